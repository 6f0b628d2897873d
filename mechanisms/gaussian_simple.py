"""The Gaussian mechanism with sigma^2 = 32 ln(2/delta) Delta^2 / (9 epsilon^2).

For one number it is 002 Thm 5.7, for k numbers 002 Thm 5.12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.profiles import certain
from mechanisms.core.sums import vector_pairs, vector_sum
from mechanisms.gaussian import GaussianNoise


def simple_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """sqrt(32 ln(2/delta) / 9) Delta / epsilon."""
    return math.sqrt(32 * math.log(2 / delta) / 9) * sensitivity / epsilon


def _check_range(epsilon: float, delta: float) -> None:
    if checks.positive("epsilon", epsilon) > 1:
        raise ValueError(f"epsilon must be at most 1 in 002 Thm 5.7 and 5.12, got epsilon={epsilon!r}")
    checks.open_probability("delta", delta)


@dataclass(frozen=True)
class GaussianSimple(GaussianNoise):
    """f(D) + N(0, 32 Delta^2 ln(2/delta) / (9 epsilon^2)), for epsilon up to 1 (002 Thm 5.7)."""

    epsilon: float = 1.0
    delta: float = 1e-3
    sensitivity: float = 1.0

    id: ClassVar[str] = "gaussian-simple"
    title: ClassVar[str] = "Gaussian mechanism, calibration of the simple proof"
    source: ClassVar[str] = "002 Thm 5.7"

    def __post_init__(self) -> None:
        _check_range(self.epsilon, self.delta)
        checks.positive("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (002 Thm 5.7)."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sigma(self) -> float:
        """sqrt(32 ln(2/delta) / 9) Delta / epsilon (002 Thm 5.7)."""
        return simple_sigma(self.epsilon, self.delta, self.sensitivity)


class GaussianSimpleNoLogarithm(GaussianSimple):
    """Mutant: the logarithm is lost, so the noise no longer knows delta."""

    id = "gaussian-simple/no-logarithm"
    of = "gaussian-simple"
    title = "simple Gaussian without the logarithm"

    @property
    def sigma(self) -> float:
        """Broken: sqrt(32/9) Delta / epsilon."""
        return math.sqrt(32 / 9) * self.sensitivity / self.epsilon


class GaussianSimpleInverted(GaussianSimple):
    """Mutant: 9/32 for 32/9."""

    id = "gaussian-simple/inverted-fraction"
    of = "gaussian-simple"
    title = "simple Gaussian with 9/32 for 32/9"

    @property
    def sigma(self) -> float:
        """Broken: sqrt(9 ln(2/delta) / 32) Delta / epsilon."""
        return simple_sigma(self.epsilon, self.delta, self.sensitivity) * 9 / 32


@dataclass(frozen=True)
class GaussianVector(GaussianNoise):
    """f(D) + N(0, sigma^2 I_k), sigma as in GaussianSimple, for the k counts of records in {0,1}^k."""

    epsilon: float = 1.0
    delta: float = 1e-3
    k: int = 10

    id: ClassVar[str] = "gaussian-vector"
    title: ClassVar[str] = "Gaussian mechanism for a vector"
    source: ClassVar[str] = "002 Thm 5.12"

    def __post_init__(self) -> None:
        _check_range(self.epsilon, self.delta)
        checks.whole("k", self.k)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (002 Thm 5.12, with the l2 sensitivity for its Delta)."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sensitivity(self) -> float:  # type: ignore[override]  # follows from k here
        """The l2 sensitivity sqrt(k) (002 below Def 5.10)."""
        return math.sqrt(self.k)

    @property
    def sigma(self) -> float:
        """sqrt(32 ln(2/delta) / 9) Delta_2 / epsilon (002 Thm 5.12)."""
        return simple_sigma(self.epsilon, self.delta, self.sensitivity)

    def query(self, dataset: Any) -> Any:
        """The sum of the records, coordinate by coordinate."""
        return vector_sum(dataset, self.k)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Worst where every coordinate moves by one."""
        return vector_pairs(self.k)


class GaussianVectorPerCoordinate(GaussianVector):
    """Mutant: the noise covers the sensitivity of one coordinate."""

    id = "gaussian-vector/per-coordinate"
    of = "gaussian-vector"
    title = "vector Gaussian with the sensitivity of one coordinate"

    @property
    def sigma(self) -> float:
        """Broken: one coordinate moves by 1, all of them by sqrt(k) in l2."""
        return simple_sigma(self.epsilon, self.delta, 1.0)


class GaussianVectorReusedNoise(GaussianVector):
    """Mutant: one draw is added to all coordinates, so their differences are published as they are."""

    id = "gaussian-vector/reused-noise"
    of = "gaussian-vector"
    worst = 2
    title = "vector Gaussian with the same noise in every coordinate"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("k", self.k, least=2)

    def noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> Outputs:
        """Broken: one Z instead of Z_1, ..., Z_k."""
        return np.repeat(super().noise((shape[0], 1), rng), self.k, axis=1)

    def exact(self) -> Profile | None:
        """A record that counts in one coordinate alone changes a difference that carries no noise."""
        return certain("the differences of coordinates carry no noise")
