"""Stable release of a majority (004 Section 15.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.claims import NumericProfile, Profile
from mechanisms.distance_to_instability import ReversedTest, StableRelease
from mechanisms.laplace import laplace_noise
from mechanisms.mechanism import Outputs
from mechanisms.neighbours import NeighbourPair, Relation


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
        """Case A, where the value changes; case B, where a distance crosses the threshold."""
        n, half = self.records, self.records // 2
        crossing = min(n, half + 2 + int(self.threshold))
        return (
            NeighbourPair(
                ones(half + 1, n), ones(half, n), Relation.REPLACE_ONE, "case A: the majority changes"
            ),
            NeighbourPair(
                ones(crossing, n), ones(crossing - 1, n), Relation.REPLACE_ONE, "case B: the distance crosses"
            ),
        )


def ones(count: int, n: int) -> tuple[int, ...]:
    """n bits, the first `count` of them 1."""
    return (1,) * count + (0,) * (n - count)


class StableMajorityReversed(ReversedTest, StableMajority):
    """Mutant: the test as case B prints it; delta = 1 - delta/2."""

    id = "stable-majority/reversed-test"
    of = "stable-majority"
    title = "stable majority with the test reversed"


class StableMajorityRandomThreshold(StableMajority):
    """Mutant: the threshold "Lap(1/epsilon)/epsilon" that 004 prints for ln(1/delta)/epsilon; delta = 1/2."""

    id = "stable-majority/random-threshold"
    of = "stable-majority"
    title = "stable majority with a random threshold"

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """Broken: noise against noise."""
        return np.asarray(noisy > laplace_noise(self.scale, len(noisy), rng) / self.epsilon)

    def exact(self) -> Profile | None:
        """Case A releases with probability 1/2 by symmetry; case B with 1/2 or more on both sides."""
        return NumericProfile(lambda e: 0.5)


class StableMajorityWideNoise(StableMajority):
    """Mutant: noise Lap(2/epsilon) against the threshold of Lap(1/epsilon); delta = sqrt(delta)/2."""

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
    title = "stable majority with half the noise"

    @property
    def scale(self) -> float:
        """Broken: half of the noise that d needs."""
        return 1 / (2 * self.epsilon)


class StableMajorityNoiseless(StableMajority):
    """Mutant: the distance is tested without noise; delta = 1 where it crosses the threshold."""

    id = "stable-majority/no-noise"
    of = "stable-majority"
    title = "stable majority with a noiseless test"

    def noisy_distance(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: d(x) itself."""
        return np.full(n, self.distance(dataset))

    def release_probability(self, d: float) -> float:
        """Certain above the threshold, impossible below."""
        return float(d > self.threshold)


class StableMajorityWholeDistance(StableMajority):
    """Mutant: d(x) without its -1; delta = e^epsilon delta/2."""

    id = "stable-majority/whole-distance"
    of = "stable-majority"
    title = "stable majority without the -1 in the distance"
    spared = 0
