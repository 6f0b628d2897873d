"""What every calibration of the Gaussian mechanism shares (000 Thm 3; 002 Section 5.2.2): N(0, sigma^2).

Each calibration of the notes, a way to choose sigma, is a file of its own: gaussian_classic, gaussian_simple,
gaussian_zero, gaussian_analytic.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, GaussianDP, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.sums import scalar_pairs


def gaussian_profile(mu: float) -> Profile:
    """Exact profile of Gaussian noise under a shift of mu standard deviations (002 Thm 5.18)."""
    return GaussianDP(mu)


def analytic_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The smallest sigma that 002 Thm 5.18 allows: delta(epsilon) = delta exactly, for any epsilon >= 0."""
    checks.non_negative("epsilon", epsilon)
    checks.open_probability("delta", delta)
    checks.positive("sensitivity", sensitivity)

    from scipy.optimize import brentq  # takes long to import

    def excess(log_mu: float) -> float:
        return GaussianDP(math.exp(log_mu)).delta_at(epsilon) - delta

    low, high = -1.0, 1.0  # delta grows with mu (002 Lemma 5.17)
    while excess(low) > 0:
        low *= 2
    while excess(high) < 0:
        high *= 2
    return sensitivity / math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


class GaussianNoise(Mechanism):
    """f(D) + N(0, sigma^2) for a sum of records in [0, sensitivity]; a calibration gives claim and sigma."""

    sensitivity: float
    note: ClassVar[str] = ON_DOUBLES

    @property
    @abstractmethod
    def claim(self) -> ApproxDP:
        """What the calibration promises."""

    @property
    @abstractmethod
    def sigma(self) -> float:
        """The standard deviation of the noise."""

    def query(self, dataset: Any) -> Any:
        """The sum."""
        return float(sum(dataset))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(D) + Z with Z ~ N(0, sigma^2 I)."""
        centre = self.query(dataset)
        noise = self.noise((n, *np.shape(centre)), rng)
        noise += centre
        return noise

    def noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Outputs:
        """Z ~ N(0, sigma^2 I)."""
        noise = rng.standard_normal(shape)
        noise *= self.sigma
        return noise

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any two datasets whose values of f differ by the sensitivity are equally bad (002 Lemma 5.17)."""
        return scalar_pairs(self.sensitivity)

    def exact(self) -> Profile | None:
        """002 Thm 5.18: a shift of Delta / sigma standard deviations, in any number of dimensions."""
        return gaussian_profile(self.sensitivity / self.sigma)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """P(|y| > sigma t) <= 2 exp(-t^2/2) for each coordinate (002 Lemma 5.8)."""
        dataset, beta = self.neighbours()[0].right, 0.05
        limit = self.sigma * math.sqrt(2 * math.log(2 / beta))
        centre = self.query(dataset)
        return (
            Accuracy(
                f"the error of an answer exceeds {limit:.4g} with probability at most {beta}",
                dataset,
                beta,
                lambda outputs: np.abs(outputs - centre).reshape(len(outputs), -1)[:, 0] > limit,
            ),
        )
