"""Dist2Instability on whole universes: every dataset, its value, its distance to instability and its neighbours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.notes.exact.stability import distance_to_instability, gated_release_delta, neighbour_pairs
from mechanisms.distance_to_instability import StableRelease
from mechanisms.stable_majority import StableMajority
from mechanisms.stable_median import StableMedian
from mechanisms.stable_vote import StableVote

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Space:
    """Every dataset of a mechanism's universe with the catalogue's value and distance, and all neighbours."""

    name: str
    mechanism: StableRelease
    values: Array
    distances: Array

    @staticmethod
    def of(name: str, mechanism: StableRelease, universe: Sequence[Any]) -> Space:
        """Asks the catalogue for f and d on every dataset."""
        shape = (len(universe),) * mechanism.records
        datasets = list(itertools.product(universe, repeat=mechanism.records))
        names: dict[Any, int] = {}
        values = [names.setdefault(mechanism.value(x), len(names)) for x in datasets]
        distances = [mechanism.distance(x) for x in datasets]
        return Space(name, mechanism, np.reshape(values, shape), np.reshape(distances, shape))

    def brute(self) -> Array:
        """d from its definition, over the whole space."""
        return distance_to_instability(self.values)

    def steps(self) -> tuple[Array, Array, Array]:
        """For all pairs of neighbours: d of one, d of the other, whether f is the same."""
        left, right = neighbour_pairs(self.values.shape)
        d, f = self.distances.ravel(), self.values.ravel()
        return d[left], d[right], f[left] == f[right]

    def delta(self, epsilon: float) -> float:
        """Exact delta over all pairs of neighbours, both directions."""
        kinds = set(zip(*(part.tolist() for part in self.steps()), strict=True))
        release = self.mechanism.release_probability
        return max(
            gated_release_delta(epsilon, release(x), release(y), 0.0 if same else math.inf)
            for a, b, same in kinds
            for x, y in ((a, b), (b, a))
        )


def spaces(epsilon: float = 1.0, delta: float = 0.01) -> tuple[Space, ...]:
    """All majorities of 7 bits, medians of 5 records in 0..4, votes of 5 among three labels."""
    return (
        Space.of("majority of 7", StableMajority(epsilon, delta, 7), (0, 1)),
        Space.of("median of 5 in 0..4", StableMedian(epsilon, delta, 5), range(5)),
        Space.of("vote of 5 for 3", StableVote(epsilon, delta, 5), ("red", "green", "blue")),
    )
