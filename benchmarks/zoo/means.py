"""Means of values in [0, 1] when a record is added or removed: two leak the count, one does not."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Truth, ZooMechanism
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.laplace import laplace_noise

_SOURCE = "Kong, Muñoz Medina, Ribero, Syed 2024 (DP-Auditorium)"


class PrivateMean(ZooMechanism):
    """A noisy sum over a noisy count, half of the budget each."""

    id: ClassVar[str] = "PrivateMean"
    title: ClassVar[str] = "mean with a noisy count"
    source: ClassVar[str] = _SOURCE
    trials: ClassVar[int] = 2_000_000

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """(sum + Lap(2/epsilon)) / (count + Lap(2/epsilon))."""
        values = np.clip(np.asarray(dataset, dtype=np.float64), 0, 1)
        total = values.sum() + laplace_noise(2 / self.epsilon, n, rng)
        return np.asarray(total / (len(values) + laplace_noise(2 / self.epsilon, n, rng)))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """A record of value 0 or 1 is removed from a small dataset."""
        pairs = (((1, 1), (1,)), ((1, 0), (1,)), ((1, 0), (0,)), ((0, 0), (0,)))
        return tuple(NeighbourPair(a, b, Relation.ADD_REMOVE, "a record is removed") for a, b in pairs)

    def truth(self) -> Truth:
        """An upper bound; the division hides some of it."""
        return Truth(self.epsilon, "two Laplace mechanisms of epsilon / 2 and a division: at most this")


class NonPrivateMean1(PrivateMean):
    """Broken: the exact count divides the sum and sets the noise."""

    id: ClassVar[str] = "NonPrivateMean1"
    title: ClassVar[str] = "mean with the exact count"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """mean + Lap(1 / (epsilon count))."""
        values = np.clip(np.asarray(dataset, dtype=np.float64), 0, 1)
        return np.asarray(values.mean() + laplace_noise(1 / (self.epsilon * len(values)), n, rng))

    def truth(self) -> Truth:
        """Two scales."""
        return Truth(math.inf, "the scale depends on the count, so the tails' ratio is unbounded")

    def reachable(self) -> float:
        """Infinite, in the tails."""
        return math.inf


class NonPrivateMean2(PrivateMean):
    """Broken: the exact count divides; a noisy one sets the noise, which vanishes when it is negative."""

    id: ClassVar[str] = "NonPrivateMean2"
    title: ClassVar[str] = "mean with a noisy count for the noise only"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """mean + Lap(2 / (epsilon noisy count)), and a scale of at least 1e-12."""
        values = np.clip(np.asarray(dataset, dtype=np.float64), 0, 1)
        count = len(values) + laplace_noise(2 / self.epsilon, n, rng)
        scale = np.maximum(1e-12, 2 / (self.epsilon * count))
        return np.asarray(values.mean() + scale * laplace_noise(1.0, n, rng))

    def truth(self) -> Truth:
        """The mean comes out as it is."""
        return Truth(math.inf, "a negative noisy count leaves the mean without noise (e^(10^11) counts as infinite)")

    def reachable(self) -> float:
        """Infinite, on an event of probability near one half."""
        return math.inf
