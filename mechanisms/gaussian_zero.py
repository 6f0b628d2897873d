"""The Gaussian mechanism for epsilon = 0, with sigma = Delta / (2 delta) (002 Thm 5.14)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP
from mechanisms.gaussian import GaussianNoise


@dataclass(frozen=True)
class GaussianZero(GaussianNoise):
    """f(D) + N(0, (Delta / (2 delta))^2) is (0, delta)-DP; exact is 2 Phi(delta) - 1 < 0.8 delta."""

    delta: float = 0.1
    sensitivity: float = 1.0

    id: ClassVar[str] = "gaussian-zero"
    title: ClassVar[str] = "Gaussian mechanism for epsilon 0"
    source: ClassVar[str] = "002 Thm 5.14"
    note: ClassVar[str] = (
        "The theorem is about real numbers. On doubles the noisy value leaks through its low bits too; this "
        "claim is loose enough that the low bits alone do not refute it."
    )

    def __post_init__(self) -> None:
        checks.open_probability("delta", self.delta)
        checks.positive("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """(0, delta)-DP: total variation at most delta (002 Thm 5.14)."""
        return ApproxDP(0.0, self.delta)

    @property
    def sigma(self) -> float:
        """Delta / (2 delta) (002 Thm 5.14)."""
        return self.sensitivity / (2 * self.delta)


class GaussianZeroQuarter(GaussianZero):
    """Mutant: Delta / (4 delta), truly 2 Phi(2 delta) - 1."""

    id = "gaussian-zero/half-deviation"
    of = "gaussian-zero"
    title = "epsilon-0 Gaussian with half the noise"

    @property
    def sigma(self) -> float:
        """Broken: half of the calibration."""
        return self.sensitivity / (4 * self.delta)


class GaussianZeroRoot(GaussianZero):
    """Mutant: Delta / (2 delta) is mistaken for the variance."""

    id = "gaussian-zero/sigma-as-variance"
    of = "gaussian-zero"
    title = "epsilon-0 Gaussian with sqrt(sigma) for sigma"

    @property
    def sigma(self) -> float:
        """Broken: the root of the standard deviation."""
        return math.sqrt(self.sensitivity / (2 * self.delta))
