"""All threshold queries of an ordered universe (001 Example 1)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mechanisms.core.claims import Profile
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.core.queries import TEN_ROWS, THREE_BITS, CountingQueries, replaced, thresholds
from mechanisms.laplace import laplace_noise
from mechanisms.noisy_queries import NoisyQueries


@dataclass(frozen=True)
class ThresholdQueries(NoisyQueries):
    """The eight fractions "x <= y" of 001 Example 1, with noise for their joint sensitivity 7/n."""

    id: ClassVar[str] = "threshold-queries"
    title: ClassVar[str] = "threshold queries"
    source: ClassVar[str] = "001 Example 1; 003 Laplace theorem"
    queries: ClassVar[CountingQueries] = thresholds(THREE_BITS)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """000 becomes 111: all answers move but the last, which is constant."""
        return (
            NeighbourPair(
                TEN_ROWS,
                replaced(TEN_ROWS, 0, (1, 1, 1)),
                Relation.REPLACE_ONE,
                "seven of eight answers move",
            ),
            NeighbourPair(
                TEN_ROWS, replaced(TEN_ROWS, 4, (0, 1, 0)), Relation.REPLACE_ONE, "001's D': two answers move"
            ),
        )


class ThresholdQueriesEachAlone(ThresholdQueries):
    """Mutant: each answer gets the noise it would need alone, Lap(1/(n epsilon)); truly 7 epsilon."""

    id = "threshold-queries/each-alone"
    of = "threshold-queries"
    title = "threshold queries with the noise of a single one"

    @property
    def covered(self) -> float:
        """Broken: the sensitivity of one query."""
        return 1.0


class ThresholdQueriesSharedNoise(ThresholdQueries):
    """Mutant: one draw for all answers; the constant last one gives it away, and with it all the others."""

    id = "threshold-queries/shared-noise"
    of = "threshold-queries"
    title = "threshold queries with the same noise in every answer"

    def noise(self, dataset: Sequence[Hashable], n: int, rng: np.random.Generator) -> Outputs:
        """Broken: one Y instead of Y_1, ..., Y_k."""
        return np.repeat(laplace_noise(self.scale(dataset), (n, 1), rng), len(self.queries.names), axis=1)

    def exact(self) -> Profile | None:
        """Differences of answers carry no noise."""
        return certain("the differences of answers carry no noise")
