"""Stable release of a vote (004 Section 15.1.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core.claims import Profile
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import finite_profile, worst
from mechanisms.distance_to_instability import StableRelease


@dataclass(frozen=True)
class StableVote(StableRelease):
    """The label with the most votes; among equals the one that comes first in `labels`."""

    epsilon: float = 0.5
    records: int = 31
    labels: tuple[str, ...] = ("red", "green", "blue")

    id: ClassVar[str] = "stable-vote"
    title: ClassVar[str] = "stable release of a vote"
    nothing: ClassVar[float | None] = None

    def value(self, dataset: Sequence[str]) -> str:
        """The winner."""
        return max(self.labels, key=list(dataset).count)

    def changes(self, dataset: Sequence[str]) -> float:
        """A vote that moves from the winner to another label narrows the gap by two."""
        winner = self.value(dataset)
        return min(
            (self.gap(dataset, other) + 1) // 2
            if self.labels.index(other) < self.labels.index(winner)  # wins when level
            else self.gap(dataset, other) // 2 + 1
            for other in self.labels
            if other != winner
        )

    def gap(self, dataset: Sequence[str], other: str) -> int:
        """By how many votes the winner leads another label."""
        votes = list(dataset)
        return votes.count(self.value(dataset)) - votes.count(other)

    def steadiest(self) -> tuple[str, ...]:
        """Everybody votes for the first label."""
        return self.labels[:1] * self.records

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Case A, where the winner changes; case B, where a distance crosses the threshold."""
        red, green, n = *self.labels[:2], self.records
        half, far = n // 2, min(n - 1, n // 2 + 1 + int(self.threshold))
        return (
            NeighbourPair(
                (red,) * (half + 1) + (green,) * half,
                (red,) * half + (green,) * (half + 1),
                Relation.REPLACE_ONE,
                "case A: the winner changes",
            ),
            NeighbourPair(
                (red,) * far + (green,) * (n - far),
                (red,) * (far + 1) + (green,) * (n - far - 1),
                Relation.REPLACE_ONE,
                "case B: the distance crosses",
            ),
        )


class StableVoteUnscaledThreshold(StableVote):
    """Mutant: the threshold ln(1/delta) without its 1/epsilon; delta = delta^epsilon / 2."""

    id = "stable-vote/unscaled-threshold"
    of = "stable-vote"
    title = "stable vote with a threshold that forgets epsilon"

    @property
    def threshold(self) -> float:
        """Broken: 1/epsilon is missing."""
        return math.log(1 / self.delta)


class StableVoteGap(StableVote):
    """Mutant: every vote of the winner's lead counts as one change, though a replaced vote narrows it by two.

    That is the distance under add/remove. Under replace-one it moves by two, and case B costs 2 epsilon.
    """

    id = "stable-vote/whole-gap"
    of = "stable-vote"
    title = "stable vote with the distance of add/remove"

    def changes(self, dataset: Sequence[str]) -> float:
        """Broken: twice as far as the winner's lead over the runner-up reaches."""
        winner = self.value(dataset)
        return min(
            self.gap(dataset, other) + (self.labels.index(other) > self.labels.index(winner))
            for other in self.labels
            if other != winner
        )

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """A lead that crosses the threshold, by two at a time."""
        red, green, n = *self.labels[:2], self.records
        ahead = min(n - 1, (n + 1 + int(self.threshold)) // 2)
        crossing = NeighbourPair(
            (red,) * ahead + (green,) * (n - ahead),
            (red,) * (ahead + 1) + (green,) * (n - ahead - 1),
            Relation.REPLACE_ONE,
            "the lead crosses the threshold",
        )
        return (crossing, *super().neighbours())

    def exact(self) -> Profile | None:
        """A replaced vote changes the winner at leads of 1, or moves the lead by two."""
        leads = (
            *range(1, self.records),
            self.records + 1,
        )  # all votes but one for a label: two less than all
        p = {lead: self.release_probability(lead - self.spared) for lead in leads}
        case_a = [finite_profile((p[a], 0, 1 - p[a]), (0, p[b], 1 - p[b])) for a, b in ((1, 2), (2, 1))]
        case_b = [finite_profile((p[a], 1 - p[a]), (p[a + 2], 1 - p[a + 2])) for a in leads if a + 2 in p]
        return worst((*case_a, *case_b), "enumeration")
