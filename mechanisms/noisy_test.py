"""The noisy test of lecture 004: is the dataset far enough from trouble to release something?

Stable release (Section 15.1.4) and propose-test-release (Section 15.2) differ in what the distance is and in
what is released; the test is the same, and so are the ways to get it wrong.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core import checks
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.profiles import laplace_tail
from mechanisms.laplace import laplace_noise


@dataclass(frozen=True)
class NoisyTest(Mechanism):
    """Passes when d(x) + Lap(1/epsilon) > ln(1/delta)/epsilon, for a distance d of sensitivity 1."""

    epsilon: float = 1.0
    delta: float = 0.01

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)

    @abstractmethod
    def distance(self, dataset: Any) -> float:
        """d(x): how many records must change before there is trouble."""

    @property
    def scale(self) -> float:
        """1 / epsilon: d has global sensitivity 1."""
        return 1 / self.epsilon

    @property
    def threshold(self) -> float:
        """ln(1/delta) / epsilon: where d = 0, the test passes with probability delta/2."""
        return math.log(1 / self.delta) / self.epsilon

    def noisy_distance(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """d(x) + Lap(1/epsilon)."""
        noisy = laplace_noise(self.scale, n, rng)
        noisy += self.distance(dataset)
        return noisy

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """Where the noisy distance exceeds the threshold."""
        return np.asarray(noisy > self.threshold)

    def release_probability(self, d: float) -> float:
        """P[d + Lap(1/epsilon) > ln(1/delta)/epsilon]."""
        return laplace_tail((self.threshold - d) / self.scale)


class ReversedTest(NoisyTest):
    """Broken: the inequalities that 004 prints in case B, ⊥ above the threshold and a release below."""

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """Broken: what is in trouble is released."""
        return np.asarray(noisy < self.threshold)

    def release_probability(self, d: float) -> float:
        """1 - delta/2 where d = 0."""
        return 1 - super().release_probability(d)


class RandomThreshold(NoisyTest):
    """Broken: the threshold "Lap(1/epsilon)/epsilon" that 004 prints for ln(1/delta)/epsilon."""

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """Broken: noise against noise."""
        return np.asarray(noisy > laplace_noise(self.scale, len(noisy), rng) / self.epsilon)

    def release_probability(self, d: float) -> float:
        """P[X - Y > -d] for X ~ Lap(a), Y ~ Lap(b): 1/2 where d = 0."""
        a, b = self.scale, self.scale / self.epsilon
        if a == b:
            return 1 - (2 + d / a) / 4 * math.exp(-d / a)
        return 1 - (a**2 * math.exp(-d / a) - b**2 * math.exp(-d / b)) / (2 * (a**2 - b**2))


class NoiselessTest(NoisyTest):
    """Broken: the distance itself is tested; whether it exceeds the threshold is published."""

    def noisy_distance(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: d(x) without noise."""
        return np.full(n, self.distance(dataset))

    def release_probability(self, d: float) -> float:
        """Certain above the threshold, impossible below."""
        return float(d > self.threshold)
