"""The query that the noise mechanisms perturb: a sum of bounded records, one number or one per attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms.core.neighbours import NeighbourPair, Relation


def scalar_pairs(bound: float) -> tuple[NeighbourPair, ...]:
    """Records in [0, bound]: one record moves the sum by at most `bound`, and these move it by that much."""
    return (
        NeighbourPair((0, 0, 0), (0, 0, bound), Relation.REPLACE_ONE, "the sum moves by its sensitivity"),
        NeighbourPair((bound, bound), (bound,), Relation.ADD_REMOVE, "a record that counts is removed"),
    )


def vector_sum(dataset: Sequence[Sequence[int]], k: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The sum of records in {0,1}^k: l1 sensitivity k, l2 sensitivity sqrt(k) (002 below Def 5.10)."""
    total: np.ndarray[Any, np.dtype[np.float64]] = np.asarray(dataset, dtype=float).reshape(-1, k).sum(axis=0)
    return total


def vector_pairs(k: int) -> tuple[NeighbourPair, ...]:
    """Records in {0,1}^k: both worst moves, and one that changes the differences between coordinates."""
    none, every, first = (0,) * k, (1,) * k, (1,) + (0,) * (k - 1)
    return (
        NeighbourPair((none, none), (none, every), Relation.REPLACE_ONE, "every coordinate moves by one"),
        NeighbourPair((first, every), (first,), Relation.ADD_REMOVE, "a record that counts is removed"),
        NeighbourPair((every, first), (every, none), Relation.REPLACE_ONE, "one coordinate alone moves"),
    )
