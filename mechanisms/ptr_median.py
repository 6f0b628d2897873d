"""Propose-test-release of a median (004 Prop 15.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar

from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.median import Sorted, distance_to_sensitivity, in_order, median
from mechanisms.noisy_test import NoiselessTest, RandomThreshold
from mechanisms.propose_test_release import OneNoise, ProposeTestRelease, State


@dataclass(frozen=True)
class PtrMedian(ProposeTestRelease):
    """The median of an odd number of records from a short list of values, with a proposed bound of 5."""

    bound: float = 5.0
    records: int = 15
    values: tuple[float, ...] = (0.0, 5.0, 100.0)

    id: ClassVar[str] = "ptr-median"
    title: ClassVar[str] = "propose-test-release of the median"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ordered(self.values[:1] * self.records)

    def ordered(self, dataset: Sequence[float]) -> Sorted:
        """The records in order, checked."""
        return in_order(dataset, min(self.values), max(self.values))

    def query(self, dataset: Sequence[float]) -> float:
        """The middle record."""
        return median(self.ordered(dataset))

    def distance(self, dataset: Sequence[float]) -> float:
        """How many records must change until another one can move the median by more than the bound."""
        return distance_to_sensitivity(self.ordered(dataset), self.bound)

    def states(self) -> Iterator[tuple[State, State]]:
        """Every multiset of records with one of them replaced."""
        state = {
            x: State(self.distance(x), self.query(x))
            for x in combinations_with_replacement(sorted(self.values), self.records)
        }
        for x in state:
            for old in set(x):
                rest = list(x)
                rest.remove(old)
                for new in self.values:
                    yield state[x], state[tuple(sorted([*rest, new]))]

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Unstable with a far value; stable with the bound attained; the distance crossing the threshold; the worst:
        value and distance move together."""
        low, middle, high, n = *self.values[:3], self.records
        half, far = n // 2, max(1, n // 2 - int(self.threshold))
        crossing = (low,) * (half + 1) + (middle,) * (half - far) + (high,) * far
        return (
            NeighbourPair(
                (low,) * half + (high,) * (half + 1),
                (low,) * (half + 1) + (high,) * half,
                Relation.REPLACE_ONE,
                "d = 0 on both sides and the median moves far",
            ),
            NeighbourPair(
                (low,) * half + (middle,) * (half + 1),
                (low,) * (half + 1) + (middle,) * half,
                Relation.REPLACE_ONE,
                "mostly released, and the median moves by the bound",
            ),
            NeighbourPair(
                crossing,
                (*crossing[:-1], middle),
                Relation.REPLACE_ONE,
                "the distance crosses the threshold",
            ),
            NeighbourPair(
                crossing,
                (*crossing[1:], high),
                Relation.REPLACE_ONE,
                "the distance falls while the median moves by the bound: both halves of the budget at once",
            ),
        )


class PtrMedianUnitNoise(PtrMedian):
    """Mutant: the release gets Lap(1/epsilon), as 004's proof prints it; truly (1 + bound) epsilon."""

    id = "ptr-median/unit-noise"
    of = "ptr-median"
    worst = 1
    title = "propose-test-release of the median with noise that forgets the bound"

    @property
    def spread(self) -> float:
        """Broken: the bound is missing."""
        return 1 / self.epsilon


class PtrMedianRandomThreshold(RandomThreshold, PtrMedian):
    """Mutant: the threshold "Lap(1/delta)/epsilon" of 004's proof taken at its word; delta about 1/2."""

    id = "ptr-median/random-threshold"
    of = "ptr-median"
    title = "propose-test-release of the median with a random threshold"


class PtrMedianNoiseless(NoiselessTest, PtrMedian):
    """Mutant: the distance is tested without noise; delta = 1 where it crosses the threshold."""

    id = "ptr-median/no-noise"
    of = "ptr-median"
    worst = 2
    title = "propose-test-release of the median with a noiseless test"


class PtrMedianOneNoise(OneNoise, PtrMedian):
    """Mutant: one draw of noise for the test and the release."""

    id = "ptr-median/one-noise"
    of = "ptr-median"
    worst = 2
    title = "propose-test-release of the median with one noise for test and release"
