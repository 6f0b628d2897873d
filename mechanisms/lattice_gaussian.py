"""The discrete Gaussian mechanism on a power-of-two grid: a Gaussian mechanism that is private on doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.exact_sampler import ExactSampler
from mechanisms.core.mechanism import Outputs
from mechanisms.core.profiles import certain
from mechanisms.gaussian import analytic_sigma
from mechanisms.lattice import LARGEST_WIDTH, LatticeNoise, gaussian_weights, shift_profile, two_sided


@cache
def discrete_gaussian(width: int, end: int | None = None) -> ExactSampler:
    """P(j) ~ e^(-j^2 / (2 width^2)) over the whole numbers, or over those with |j| < end.

    Canonne, Kamath and Steinke 2020, Def 1.
    """
    return ExactSampler(two_sided(gaussian_weights(width)[:end]))


def discrete_gaussian_profile(width: int, shift: int, end: int | None = None) -> Profile:
    """Exact profile of that noise under a shift, summed; what lies beyond 40 widths is below 1e-300."""
    end = end or 40 * width
    j = np.arange(1 - end, end)
    return shift_profile(np.exp(-(j**2) / (2 * width**2)), shift)


@cache
def smallest_width(epsilon: float, delta: float, shift: int) -> int:
    """The smallest whole width that is enough, searched upward from just below the continuous one."""
    width = math.ceil(analytic_sigma(epsilon, delta, shift) * (1 - 1e-3))
    while width <= LARGEST_WIDTH and discrete_gaussian_profile(width, shift).delta_at(epsilon) > delta:
        width += 1
    return width


@dataclass(frozen=True)
class LatticeGaussian(LatticeNoise):
    """A sum of records in [0, sensitivity], rounded to the grid, plus discrete Gaussian noise on the grid."""

    epsilon: float = 1.0
    delta: float = 1e-2
    sensitivity: float = 1.0
    grid: float = 2.0**-6

    id: ClassVar[str] = "lattice-gaussian"
    title: ClassVar[str] = "Gaussian mechanism on a lattice"
    source: ClassVar[str] = "002 Thm 5.18 on a grid; Canonne, Kamath and Steinke 2020"

    def __post_init__(self) -> None:
        checks.non_negative("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)
        self._check_grid()

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP, with the sums of 002 Thm 5.15 in place of integrals."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def width(self) -> int:
        """The standard deviation parameter in grid steps, whole and just large enough."""
        return smallest_width(self.epsilon, self.delta, self.shift)

    @property
    def table(self) -> ExactSampler:
        """Discrete Gaussian noise."""
        return discrete_gaussian(self.width)

    def exact(self) -> Profile | None:
        """By summation."""
        return discrete_gaussian_profile(self.width, self.shift)


class LatticeGaussianHalfWidth(LatticeGaussian):
    """Mutant: half the standard deviation."""

    id = "lattice-gaussian/half-width"
    of = "lattice-gaussian"
    title = "lattice Gaussian with half the noise"

    @property
    def width(self) -> int:
        """Broken: half of the calibration."""
        return smallest_width(self.epsilon, self.delta, self.shift) // 2


class LatticeGaussianUnrounded(LatticeGaussian):
    """Mutant: the noise is on the grid and the sum is not, so the outputs' remainder is the sum's."""

    id = "lattice-gaussian/unrounded"
    of = "lattice-gaussian"
    worst = 2
    title = "lattice Gaussian whose query is not rounded"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: the sum of the records as they are."""
        return float(sum(dataset)) + super().sample((), n, rng)

    def exact(self) -> Profile | None:
        """Two sums with different remainders modulo the grid have no output in common."""
        return certain("the remainder modulo the grid carries no noise")


class LatticeGaussianShortTable(LatticeGaussian):
    """Mutant: the table of probabilities ends at two deviations, and nobody counted what is missing."""

    id = "lattice-gaussian/short-table"
    of = "lattice-gaussian"
    title = "lattice Gaussian from a table that ends too early"

    @property
    def table(self) -> ExactSampler:
        """Broken: no noise beyond two deviations."""
        return discrete_gaussian(self.width, end=2 * self.width)

    def exact(self) -> Profile | None:
        """By enumeration: the ends of the table are outputs that a neighbour cannot have."""
        return discrete_gaussian_profile(self.width, self.shift, end=2 * self.width)
