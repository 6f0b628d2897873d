"""Subset sums (003 "take away message" of the Laplace mechanism)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.queries import CountingQueries, subset_sums
from mechanisms.noisy_queries import NoisyQueries


@dataclass(frozen=True)
class SubsetSums(NoisyQueries):
    """k subset sums with Lap(k / epsilon) each: any k of them jointly have sensitivity k (003)."""

    id: ClassVar[str] = "subset-sums"
    title: ClassVar[str] = "subset sums"
    source: ClassVar[str] = "003 Laplace theorem, take away message 2"
    queries: ClassVar[CountingQueries] = subset_sums("abcdef", ("abcd", "ace", "abd", "a"))

    def size(self, dataset: Sequence[Hashable]) -> int:
        """Counts, not fractions."""
        return 1

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """`a` lies in all four sets and `f` in none; each other element moves fewer sums."""
        return (
            NeighbourPair(("a", "c", "d"), ("c", "d"), Relation.ADD_REMOVE, "an element of every set is removed"),
            NeighbourPair(("a", "c", "d"), ("f", "c", "d"), Relation.REPLACE_ONE, "from every set to none of them"),
            NeighbourPair(("a", "b", "c"), ("a", "b"), Relation.ADD_REMOVE, "an element of two sets is removed"),
        )


class SubsetSumsEachAlone(SubsetSums):
    """Mutant: scale 1 / epsilon, as for one sum; truly k epsilon."""

    id = "subset-sums/each-alone"
    of = "subset-sums"
    title = "subset sums with the noise of a single one"

    @property
    def covered(self) -> float:
        """Broken: the sensitivity of one sum."""
        return 1.0


class SubsetSumsEuclidean(SubsetSums):
    """Mutant: Laplace noise for the l2 sensitivity sqrt(k), which suits a Gaussian; truly sqrt(k) epsilon."""

    id = "subset-sums/euclidean"
    of = "subset-sums"
    title = "subset sums with Laplace noise for the l2 sensitivity"

    @property
    def covered(self) -> float:
        """Broken: sqrt(k) instead of k."""
        return math.sqrt(self.sensitivity)
