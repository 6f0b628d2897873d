"""Stable release of a majority (004 Section 15.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.distance_to_instability import BEYOND, StableRelease
from mechanisms.noisy_test import NoiselessTest, RandomThreshold, ReversedTest


@dataclass(frozen=True)
class StableMajority(StableRelease):
    """The majority bit of an odd number of bits."""

    id: ClassVar[str] = "stable-majority"
    title: ClassVar[str] = "stable release of the majority"

    def value(self, dataset: Sequence[int]) -> float:
        """1 when more than half of the bits are 1."""
        return float(2 * sum(dataset) > len(dataset))

    def changes(self, dataset: Sequence[int]) -> float:
        """Half of the majority's lead, rounded up."""
        lead = abs(2 * sum(dataset) - len(dataset))
        return (lead + 1) // 2

    def steadiest(self) -> tuple[int, ...]:
        """All ones."""
        return (1,) * self.records

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Case A, where the value changes; case B, where a distance crosses the threshold, and one step beyond."""
        n, half = self.records, self.records // 2
        crossing = min(n, half + 2 + int(self.threshold))
        return (
            NeighbourPair(ones(half + 1, n), ones(half, n), Relation.REPLACE_ONE, "case A: the majority changes"),
            NeighbourPair(
                ones(crossing, n), ones(crossing - 1, n), Relation.REPLACE_ONE, "case B: the distance crosses"
            ),
            NeighbourPair(
                ones(min(n, crossing + 1), n), ones(min(n, crossing + 1) - 1, n), Relation.REPLACE_ONE, BEYOND
            ),
        )


def ones(count: int, n: int) -> tuple[int, ...]:
    """n bits, the first `count` of them 1."""
    return (1,) * count + (0,) * (n - count)


class StableMajorityReversed(ReversedTest, StableMajority):
    """Mutant: the test as 004 prints it in case B; delta = 1 - delta/2."""

    id = "stable-majority/reversed-test"
    of = "stable-majority"
    title = "stable majority with the test reversed"


class StableMajorityRandomThreshold(RandomThreshold, StableMajority):
    """Mutant: the threshold as 004 prints it in case A; delta = 1/2."""

    id = "stable-majority/random-threshold"
    of = "stable-majority"
    title = "stable majority with a random threshold"


class StableMajorityNoiseless(NoiselessTest, StableMajority):
    """Mutant: the distance is tested without noise; delta = 1 where it crosses the threshold."""

    id = "stable-majority/no-noise"
    of = "stable-majority"
    worst = 1
    title = "stable majority with a noiseless test"


class StableMajorityWideNoise(StableMajority):
    """Mutant: noise Lap(2/epsilon) against the threshold for Lap(1/epsilon); delta = sqrt(delta)/2."""

    id = "stable-majority/wide-noise"
    of = "stable-majority"
    title = "stable majority with twice the noise"

    @property
    def scale(self) -> float:
        """Broken: more noise passes the test more often."""
        return 2 / self.epsilon


class StableMajorityNarrowNoise(StableMajority):
    """Mutant: noise Lap(1/(2 epsilon)); case B then costs 2 epsilon."""

    id = "stable-majority/narrow-noise"
    of = "stable-majority"
    worst = 1
    title = "stable majority with half the noise"

    @property
    def scale(self) -> float:
        """Broken: half of the noise that d needs."""
        return 1 / (2 * self.epsilon)


class StableMajorityWholeDistance(StableMajority):
    """Mutant: d(x) without its -1; delta = e^epsilon delta/2."""

    id = "stable-majority/whole-distance"
    of = "stable-majority"
    title = "stable majority without the -1 in the distance"
    spared = 0
