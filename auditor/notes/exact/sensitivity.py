"""Sensitivities by brute force over small datasets (000 Thm 2, 001, 003 GS)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

Dataset = tuple[Any, ...]


def replacements(universe: Sequence[Any], n: int) -> Iterator[tuple[Dataset, Dataset]]:
    """All pairs of datasets of n records that differ in one record (replace-one), each pair once."""
    for rest in itertools.product(universe, repeat=n - 1):
        for a, b in itertools.combinations(universe, 2):
            for place in range(n):
                yield (*rest[:place], a, *rest[place:]), (*rest[:place], b, *rest[place:])


def removals(universe: Sequence[Any], n: int) -> Iterator[tuple[Dataset, Dataset]]:
    """All pairs of a dataset of n records and the same without its last one (add/remove, order apart)."""
    for dataset in itertools.product(universe, repeat=n):
        yield dataset, dataset[:-1]


def largest_distance(query: Callable[[Any], Any], pairs: Iterable[tuple[Any, Any]], order: float = 1) -> float:
    """The largest l_order distance of the values over the pairs; order inf is element-wise."""
    return max(
        float(np.linalg.norm(np.ravel(np.subtract(query(left), query(right))).astype(float), order))
        for left, right in pairs
    )
