"""The discrete Laplace mechanism on a power-of-two grid: a Laplace mechanism that is private on doubles."""

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
from mechanisms.geometric import geometric_profile
from mechanisms.lattice import LatticeNoise, laplace_weights, shift_profile, two_sided


@cache
def discrete_laplace(width: int, end: int | None = None) -> ExactSampler:
    """P(j) ~ e^(-|j|/width) over the whole numbers, or over those with |j| < end."""
    return ExactSampler(two_sided(laplace_weights(width)[:end]))


@dataclass(frozen=True)
class LatticeLaplace(LatticeNoise):
    """A sum of records in [0, sensitivity], rounded to the grid, plus discrete Laplace noise on the grid."""

    epsilon: float = 1.0
    sensitivity: float = 1.0
    grid: float = 2.0**-6

    id: ClassVar[str] = "lattice-laplace"
    title: ClassVar[str] = "Laplace mechanism on a lattice"
    source: ClassVar[str] = "001 Algorithm 2 on a grid; Ghosh et al. 2009, Canonne, Kamath and Steinke 2020"

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        self._check_grid()

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP: a shift by the sensitivity changes each probability by at most e^(shift/width)."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def width(self) -> int:
        """The scale in grid steps: Delta / epsilon, rounded up."""
        return math.ceil(self.shift / self.epsilon)

    @property
    def table(self) -> ExactSampler:
        """Discrete Laplace noise."""
        return discrete_laplace(self.width)

    def exact(self) -> Profile | None:
        """Two-sided geometric noise with ratio e^(-1/width)."""
        return geometric_profile(1 / self.width, self.shift)


class LatticeLaplaceHalfWidth(LatticeLaplace):
    """Mutant: half the noise, truly 2 epsilon."""

    id = "lattice-laplace/half-width"
    of = "lattice-laplace"
    title = "lattice Laplace with half the noise"

    @property
    def width(self) -> int:
        """Broken: half of Delta / epsilon."""
        return math.ceil(self.shift / (2 * self.epsilon))


class LatticeLaplaceUnrounded(LatticeLaplace):
    """Mutant: the noise is on the grid and the sum is not, so the outputs' remainder is the sum's."""

    id = "lattice-laplace/unrounded"
    of = "lattice-laplace"
    worst = 2
    title = "lattice Laplace whose query is not rounded"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: the sum of the records as they are."""
        return float(sum(dataset)) + super().sample((), n, rng)

    def exact(self) -> Profile | None:
        """Two sums with different remainders modulo the grid have no output in common."""
        return certain("the remainder modulo the grid carries no noise")


class LatticeLaplaceShortTable(LatticeLaplace):
    """Mutant: the table of probabilities ends at four widths, and nobody counted what is missing."""

    id = "lattice-laplace/short-table"
    of = "lattice-laplace"
    title = "lattice Laplace from a table that ends too early"

    @property
    def table(self) -> ExactSampler:
        """Broken: no noise beyond four widths."""
        return discrete_laplace(self.width, end=4 * self.width)

    def exact(self) -> Profile | None:
        """By enumeration: the ends of the table are outputs that a neighbour cannot have."""
        magnitudes = np.abs(np.arange(1 - 4 * self.width, 4 * self.width))
        return shift_profile(np.exp(-magnitudes / self.width), self.shift)
