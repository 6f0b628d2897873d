"""The Gaussian mechanism with the smallest sigma that is enough (002 Thm 5.18; Balle and Wang 2018)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP
from mechanisms.gaussian import GaussianNoise, analytic_sigma


@dataclass(frozen=True)
class GaussianAnalytic(GaussianNoise):
    """f(D) + N(0, sigma^2) with sigma solved from 002 Thm 5.18, for any epsilon >= 0."""

    epsilon: float = 1.0
    delta: float = 1e-2
    sensitivity: float = 1.0

    id: ClassVar[str] = "gaussian-analytic"
    title: ClassVar[str] = "Gaussian mechanism, analytic calibration"
    source: ClassVar[str] = "002 Thm 5.18"

    def __post_init__(self) -> None:
        checks.non_negative("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)
        checks.positive("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP, with equality (002 Thm 5.18)."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sigma(self) -> float:
        """The root of (5.23)."""
        return analytic_sigma(self.epsilon, self.delta, self.sensitivity)


class GaussianAnalyticHalf(GaussianAnalytic):
    """Mutant: half the standard deviation."""

    id = "gaussian-analytic/half-deviation"
    of = "gaussian-analytic"
    title = "analytic Gaussian with half the noise"

    @property
    def sigma(self) -> float:
        """Broken: half of the calibration."""
        return analytic_sigma(self.epsilon, self.delta, self.sensitivity) / 2


class GaussianAnalyticTenthLess(GaussianAnalytic):
    """Mutant: a tenth less noise, which a calibration without slack does not forgive."""

    id = "gaussian-analytic/tenth-less"
    of = "gaussian-analytic"
    title = "analytic Gaussian with a tenth less noise"
    trials = 2_000_000

    @property
    def sigma(self) -> float:
        """Broken: 0.9 of the calibration."""
        return 0.9 * analytic_sigma(self.epsilon, self.delta, self.sensitivity)


class GaussianAnalyticLowerBound(GaussianAnalytic):
    """Mutant: the lower bound of 002 Thm 5.19 is taken for a calibration."""

    id = "gaussian-analytic/lower-bound"
    of = "gaussian-analytic"
    title = "Gaussian with sigma = Delta / sqrt(2 epsilon)"
    source = "002 Thm 5.19, which is necessary and not sufficient"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.positive("epsilon", self.epsilon)

    @property
    def sigma(self) -> float:
        """Broken: Delta / sqrt(2 epsilon) does not know delta."""
        return self.sensitivity / math.sqrt(2 * self.epsilon)
