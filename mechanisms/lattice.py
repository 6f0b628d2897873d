"""What the lattice twins share: records and noise in whole steps of a grid that doubles hold exactly.

Every dataset has the same set of possible outputs, the multiples of the grid, whatever its records are. Noise
on floating-point numbers does not have that property, and its low bits give the dataset away (Mironov 2012).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import Profile
from mechanisms.core.exact_sampler import ExactSampler
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import finite_profile
from mechanisms.core.sums import scalar_pairs

_FRACTION_BITS = 192
LARGEST_WIDTH = 4096


def fixed_exp(exponent: Decimal) -> int:
    """e^exponent in units of 2^-192, rounded down."""
    with localcontext() as context:
        context.prec = 80
        return int(exponent.exp() * (1 << _FRACTION_BITS))


def two_sided(weights: Sequence[int]) -> list[int]:
    """Weights for -J, ..., J from those for 0, ..., J."""
    return [*weights[:0:-1], *weights]


def laplace_weights(width: int) -> list[int]:
    """e^(-j/width) for j = 0, 1, ... down to 2^-128, in units of 2^-192."""
    return list(_decay(fixed_exp(Decimal(-1) / width), 1 << _FRACTION_BITS))


def gaussian_weights(width: int) -> list[int]:
    """e^(-j^2 / (2 width^2)) for j = 0, 1, ... down to 2^-128, in units of 2^-192."""
    ratio = fixed_exp(Decimal(-1) / (2 * width**2))
    return list(_decay(ratio, (ratio * ratio) >> _FRACTION_BITS))


def _decay(ratio: int, ratio_of_ratios: int) -> Iterator[int]:
    weight = 1 << _FRACTION_BITS
    while weight >> (_FRACTION_BITS - 128):
        yield weight
        weight = (weight * ratio) >> _FRACTION_BITS
        ratio = (ratio * ratio_of_ratios) >> _FRACTION_BITS


def shift_profile(weights: Outputs, shift: int) -> Profile:
    """Exact profile of noise with these weights on consecutive whole numbers, under a shift; enumerated."""
    law = weights / weights.sum()
    return finite_profile(list(np.pad(law, (0, shift))), list(np.pad(law, (shift, 0))))


class LatticeNoise(Mechanism):
    """grid * (whole sum of the rounded records + whole noise); a law of the noise states its table."""

    sensitivity: float
    grid: float

    views: ClassVar[tuple[str, ...]] = ("values", "bits")
    note: ClassVar[str] = (
        "Only whole numbers are drawn and added, and the output is a multiple of a power of two that a "
        "double holds exactly: what is claimed for numbers holds for their bits. The table of probabilities "
        "is right to 2^-128; rarer noise is never drawn."
    )

    def _check_grid(self) -> None:
        checks.positive("sensitivity", self.sensitivity)
        if math.frexp(checks.positive("grid", self.grid))[0] != 0.5:
            raise ValueError(f"grid must be a power of two, got grid={self.grid!r}")
        if self.shift < 1:
            raise ValueError(f"grid must be at most twice the sensitivity, got grid={self.grid!r}")
        if self.width > LARGEST_WIDTH:
            raise ValueError(
                f"the noise must be at most {LARGEST_WIDTH} grid steps wide, got {self.width}; take a coarser grid"
            )

    @property
    @abstractmethod
    def width(self) -> int:
        """The width of the noise in grid steps: its scale or its deviation."""

    @property
    @abstractmethod
    def table(self) -> ExactSampler:
        """The law of the noise on -J, ..., J."""

    @property
    def shift(self) -> int:
        """The sensitivity in grid steps, which is what a rounded record counts for at most."""
        return self.steps(self.sensitivity)

    def steps(self, record: float) -> int:
        """The nearest grid point; rounding never decreases when the record grows."""
        return math.floor(record / self.grid + 0.5)

    def total(self, dataset: Sequence[float]) -> int:
        """The sum of the records, each clipped to [0, sensitivity] and rounded: whole, so without error."""
        return sum(self.steps(min(max(record, 0.0), self.sensitivity)) for record in dataset)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """grid * (total + noise)."""
        table = self.table
        outputs = table.draw(n, rng).astype(float)
        outputs += self.total(dataset) - table.size // 2
        outputs *= self.grid
        return outputs

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Worst where the sum moves by its sensitivity; and two records that lie off the grid."""
        low, high = 0.3 * self.sensitivity, 0.7 * self.sensitivity
        return (
            *scalar_pairs(self.sensitivity),
            NeighbourPair((low,), (high,), Relation.REPLACE_ONE, "records between grid points"),
        )
