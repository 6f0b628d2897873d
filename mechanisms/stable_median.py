"""Stable release of a median (004 Section 15.1.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core.claims import Profile
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.distance_to_instability import BEYOND, StableRelease
from mechanisms.median import distance_to_change, in_order, median
from mechanisms.noisy_test import ReversedTest


@dataclass(frozen=True)
class StableMedian(StableRelease):
    """The median of an odd number of records in {0, ..., top}."""

    top: int = 4

    id: ClassVar[str] = "stable-median"
    title: ClassVar[str] = "stable release of the median"

    def value(self, dataset: Sequence[float]) -> float:
        """The middle record."""
        return median(in_order(dataset, 0, self.top))

    def changes(self, dataset: Sequence[float]) -> float:
        """Until more than half of the records lie strictly on one side of the median."""
        return distance_to_change(in_order(dataset, 0, self.top))

    def steadiest(self) -> tuple[int, ...]:
        """All records at one end."""
        return (self.top,) * self.records

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Case A, where the median changes; case B, where a distance crosses the threshold, and one step beyond."""
        n, half, low, high = self.records, self.records // 2, self.top - 1, self.top
        far = min(n, half + 2 + int(self.threshold))
        farther = min(n, far + 1)
        return (
            NeighbourPair(
                (low,) * half + (high,) * (half + 1),
                (low,) * (half + 1) + (high,) * half,
                Relation.REPLACE_ONE,
                "case A: the median changes",
            ),
            NeighbourPair(
                (low,) * (n - far) + (high,) * far,
                (low,) * (n - far + 1) + (high,) * (far - 1),
                Relation.REPLACE_ONE,
                "case B: the distance crosses",
            ),
            NeighbourPair(
                (low,) * (n - farther) + (high,) * farther,
                (low,) * (n - farther + 1) + (high,) * (farther - 1),
                Relation.REPLACE_ONE,
                BEYOND,
            ),
        )


class StableMedianReversed(ReversedTest, StableMedian):
    """Mutant: the test as case B prints it; delta = 1 - delta/2."""

    id = "stable-median/reversed-test"
    of = "stable-median"
    title = "stable median with the test reversed"


class StableMedianOneSided(StableMedian):
    """Mutant: only the changes that raise the median are counted, so one that lowers it goes unseen."""

    id = "stable-median/one-sided-distance"
    of = "stable-median"
    title = "stable median whose distance looks upwards alone"

    def changes(self, dataset: Sequence[float]) -> float:
        """Broken: a median at the top cannot rise, and counts as perfectly stable."""
        x = in_order(dataset, 0, self.top)
        value = median(x)
        return x.middle - sum(record > value for record in x.records) if value < self.top else math.inf

    def exact(self) -> Profile | None:
        """At the top the value is always released, and one change away it is another one."""
        return certain("the median at the top is always released")
