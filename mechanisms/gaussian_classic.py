"""The Gaussian mechanism with sigma^2 = 2 ln(1.25/delta) Delta^2 / epsilon^2 (000 Thm 3; 002 Thm 5.9)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP
from mechanisms.gaussian import GaussianNoise


def classic_sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    """sqrt(2 ln(1.25/delta)) Delta / epsilon."""
    return math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon


@dataclass(frozen=True)
class GaussianClassic(GaussianNoise):
    """f(D) + N(0, 2 ln(1.25/delta) Delta^2 / epsilon^2), for epsilon up to 1 (002 Thm 5.9).

    000 Thm 3 prints the same formula without a range for epsilon; there it is false (see the mutants).
    """

    epsilon: float = 0.9
    delta: float = 1e-3
    sensitivity: float = 1.0

    id: ClassVar[str] = "gaussian-classic"
    title: ClassVar[str] = "Gaussian mechanism, classic calibration"
    source: ClassVar[str] = "000 Thm 3; 002 Thm 5.9"

    def __post_init__(self) -> None:
        self._check_epsilon()
        checks.open_probability("delta", self.delta)
        checks.positive("sensitivity", self.sensitivity)

    def _check_epsilon(self) -> None:
        if checks.positive("epsilon", self.epsilon) > 1:
            raise ValueError(
                f"epsilon must be at most 1 for the classic calibration, got epsilon={self.epsilon!r}; "
                "the analytic calibration takes any epsilon"
            )

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (002 Thm 5.9)."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sigma(self) -> float:
        """sqrt(2 ln(1.25/delta)) Delta / epsilon (002 Thm 5.9)."""
        return classic_sigma(self.epsilon, self.delta, self.sensitivity)


class GaussianClassicHalf(GaussianClassic):
    """Mutant: half the standard deviation."""

    id = "gaussian-classic/half-deviation"
    of = "gaussian-classic"
    title = "classic Gaussian with half the noise"

    @property
    def sigma(self) -> float:
        """Broken: half of the calibration."""
        return classic_sigma(self.epsilon, self.delta, self.sensitivity) / 2


class GaussianClassicRoot(GaussianClassic):
    """Mutant: sigma is mistaken for the variance, and its root is used as the standard deviation."""

    id = "gaussian-classic/sigma-as-variance"
    of = "gaussian-classic"
    title = "classic Gaussian with sqrt(sigma) for sigma"

    @property
    def sigma(self) -> float:
        """Broken: the root of the standard deviation."""
        return math.sqrt(classic_sigma(self.epsilon, self.delta, self.sensitivity))


@dataclass(frozen=True)
class GaussianClassicSquaredSensitivity(GaussianClassic):
    """Mutant: Delta_2 is taken to be the squared norm, as the recap of 000 Section 2 prints it."""

    sensitivity: float = 0.1

    id: ClassVar[str] = "gaussian-classic/squared-sensitivity"
    of: ClassVar[str | None] = "gaussian-classic"
    title: ClassVar[str] = "classic Gaussian with the l2 sensitivity squared"
    source: ClassVar[str] = "000 Section 2, recap of the l2 sensitivity"

    @property
    def sigma(self) -> float:
        """Broken: Delta^2 for Delta, too little noise whenever Delta < 1."""
        return classic_sigma(self.epsilon, self.delta, self.sensitivity**2)


@dataclass(frozen=True)
class GaussianClassicLargeEpsilon(GaussianClassic):
    """Mutant: the formula beyond its range, as 000 Thm 3 prints it; at delta = 0.1 it fails from 5.743 up."""

    epsilon: float = 7.0
    delta: float = 0.3

    id: ClassVar[str] = "gaussian-classic/large-epsilon"
    of: ClassVar[str | None] = "gaussian-classic"
    title: ClassVar[str] = "classic Gaussian with epsilon above 1"
    source: ClassVar[str] = "000 Thm 3, which states no range for epsilon"

    def _check_epsilon(self) -> None:
        checks.positive("epsilon", self.epsilon)
