"""Propose-test-release of the reciprocal of a count (004 Section 15.1.3 and Prop 15.5).

1/f has infinite global and smooth sensitivity, so noise fitted to either does not exist; propose-test-release
answers where the count is large, and almost always says ⊥ elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.noisy_test import NoiselessTest
from mechanisms.propose_test_release import OneNoise, ProposeTestRelease, State


@dataclass(frozen=True)
class PtrReciprocal(ProposeTestRelease):
    """1 / (number of ones), with a proposed bound of 1/20: the local sensitivity where there are five."""

    bound: float = 0.05

    id: ClassVar[str] = "ptr-reciprocal"
    title: ClassVar[str] = "propose-test-release of the reciprocal of a count"

    def query(self, dataset: Sequence[int]) -> float:
        """1/f, infinite where nothing is counted."""
        return reciprocal(sum(dataset))

    def distance(self, dataset: Sequence[int]) -> float:
        """How many ones must be removed until the local sensitivity exceeds the bound."""
        return self.distance_of(sum(dataset))

    def distance_of(self, count: int) -> float:
        """The local sensitivity falls with the count, so the way is straight down."""
        return max(0, count - self.largest_sensitive())

    def largest_sensitive(self) -> int:
        """The largest count whose local sensitivity exceeds the bound."""
        count = 1
        while local_sensitivity(count + 1) > self.bound:
            count += 1
        return count

    def states(self) -> Iterator[tuple[State, State]]:
        """Counts f and f + 1, until a release is almost certain and 1/f hardly moves."""
        for count in range(self.largest_sensitive() + 2 * int(self.threshold) + 40):
            yield (
                State(self.distance_of(count), reciprocal(count)),
                State(self.distance_of(count + 1), reciprocal(count + 1)),
            )

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Unstable with a far value; the bound attained; the distance crossing the threshold; just before that, the
        worst."""
        edge = self.largest_sensitive()
        far = edge + 1 + int(self.threshold)
        return (
            NeighbourPair((1, 1), (1,), Relation.ADD_REMOVE, "d = 0 on both sides and 1/f falls from 1 to 1/2"),
            NeighbourPair((1,) * (edge + 1), (1,) * edge, Relation.ADD_REMOVE, "1/f moves by the bound"),
            NeighbourPair((1,) * far, (1,) * (far - 1), Relation.ADD_REMOVE, "the distance crosses the threshold"),
            NeighbourPair(
                (1,) * (far - 1),
                (1,) * (far - 2),
                Relation.ADD_REMOVE,
                "before the threshold, where a release is e^epsilon times as likely and 1/f moves more",
            ),
        )


def reciprocal(count: int) -> float:
    """1/f, infinite at 0."""
    return 1 / count if count else math.inf


def local_sensitivity(count: int) -> float:
    """|1/f - 1/(f - 1)|, the larger of the two steps (004 Section 15.1.3); infinite below f = 2."""
    return 1 / (count * (count - 1)) if count >= 2 else math.inf


class PtrReciprocalDistanceToZero(PtrReciprocal):
    """Mutant: the distance to a count of zero, not to where the local sensitivity is too large."""

    id = "ptr-reciprocal/distance-to-zero"
    of = "ptr-reciprocal"
    title = "propose-test-release of 1/f with the distance to f = 0"

    def distance_of(self, count: int) -> float:
        """Broken: trouble starts well before zero."""
        return count

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Counts that are sensitive, and already pass the test now and then."""
        worst = NeighbourPair((1,) * 4, (1,) * 3, Relation.ADD_REMOVE, "1/f rises from 1/4 to 1/3")
        return (worst, *super().neighbours())


class PtrReciprocalNoiseless(NoiselessTest, PtrReciprocal):
    """Mutant: the distance is tested without noise; delta = 1 where it crosses the threshold."""

    id = "ptr-reciprocal/no-noise"
    of = "ptr-reciprocal"
    worst = 2
    title = "propose-test-release of 1/f with a noiseless test"


class PtrReciprocalOneNoise(OneNoise, PtrReciprocal):
    """Mutant: one draw of noise for the test and the release."""

    id = "ptr-reciprocal/one-noise"
    of = "ptr-reciprocal"
    worst = 2
    title = "propose-test-release of 1/f with one noise for test and release"
