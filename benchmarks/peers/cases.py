"""The scalar cases on which all auditors are compared: a location, a noise, and what is true."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Draws = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Case:
    """`noise` around 0 or 1 with a scale; the exact epsilon at delta is known."""

    name: str
    noise: str
    scale: float
    delta: float
    exact: float

    def sample(self, dataset: float, n: int, rng: np.random.Generator) -> Draws:
        """n outputs on the answer 0 or 1."""
        match self.noise:
            case "laplace":
                return dataset + rng.laplace(0.0, self.scale, n)
            case "gaussian":
                return dataset + rng.normal(0.0, self.scale, n)
            case "geometric":
                stop = -math.expm1(-1 / self.scale)
                return dataset + (rng.geometric(stop, n) - rng.geometric(stop, n)).astype(np.float64)
            case "response":
                truthful = 1 / (1 + math.exp(-1 / self.scale))
                return np.where(rng.random(n) < truthful, dataset, 1 - dataset)
        raise ValueError(f"a case's noise must be laplace, gaussian, geometric or response, got {self.noise!r}")


CASES = (
    Case("Laplace, epsilon 1", "laplace", 1.0, 0.0, 1.0),
    Case("Laplace, epsilon 0.1", "laplace", 10.0, 0.0, 0.1),
    Case("Laplace, epsilon 3", "laplace", 1 / 3, 0.0, 3.0),
    Case("two-sided geometric, epsilon 1", "geometric", 1.0, 0.0, 1.0),
    Case("randomized response, epsilon 1", "response", 1.0, 0.0, 1.0),
    # sigma = sqrt(2 ln(1.25/delta)) for delta = 1e-3; the exact epsilons are dp-accounting's.
    Case("Gaussian for (1, 1e-3)", "gaussian", 3.77648, 1e-3, 0.633906),
    Case("Gaussian, sigma halved", "gaussian", 1.88824, 1e-3, 1.448820),
)
