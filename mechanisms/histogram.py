"""The histogram: all point functions of a universe at once (001 Example III)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mechanisms.core.claims import Profile
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.core.queries import TEN_ROWS, THREE_BITS, CountingQueries, points, replaced
from mechanisms.noisy_queries import NoisyQueries


@dataclass(frozen=True)
class Histogram(NoisyQueries):
    """The eight cells of 001 Example III with Lap(2/(n epsilon)) each: epsilon in all, not 2 epsilon.

    001 prints "Budget = epsilon_global - 2 epsilon" beside this scale: the two moving cells counted twice.
    """

    id: ClassVar[str] = "histogram"
    title: ClassVar[str] = "histogram"
    source: ClassVar[str] = "001 Example III; 003 Laplace theorem"
    queries: ClassVar[CountingQueries] = points(THREE_BITS)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any replacement moves two cells by 1/n, one up and one down."""
        return (
            NeighbourPair(TEN_ROWS, replaced(TEN_ROWS, 4, (0, 1, 0)), Relation.REPLACE_ONE, "001's D': two cells move"),
            NeighbourPair(
                TEN_ROWS,
                replaced(TEN_ROWS, 5, (0, 0, 0)),
                Relation.REPLACE_ONE,
                "the only 001 leaves its cell empty",
            ),
        )


class HistogramAddRemoveScale(Histogram):
    """Mutant: Lap(1/(n epsilon)), right for add/remove and not for replace-one; truly 2 epsilon."""

    id = "histogram/add-remove-scale"
    of = "histogram"
    title = "histogram with the sensitivity of add/remove under replace-one"

    @property
    def covered(self) -> float:
        """Broken: the sensitivity of the other relation."""
        return self.queries.sensitivity(Relation.ADD_REMOVE)


class HistogramEmptyCellsExact(Histogram):
    """Mutant: cells without records get no noise, as if there were nothing to protect."""

    id = "histogram/empty-cells-exact"
    of = "histogram"
    worst = 1
    title = "histogram with noise on non-empty cells alone"

    def noise(self, dataset: Sequence[Hashable], n: int, rng: np.random.Generator) -> Outputs:
        """Broken: a cell is exactly 0 when it is empty, and never otherwise."""
        return super().noise(dataset, n, rng) * (self.queries.counts(dataset) > 0)

    def exact(self) -> Profile | None:
        """Whether a cell is empty is published."""
        return certain("an empty cell is exactly 0")
