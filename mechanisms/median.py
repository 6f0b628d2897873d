"""The median and how stable it is: every distance and sensitivity of 004 exact, under replace-one.

Records lie in [low, high] and their number is odd; x_1 <= ... <= x_n are the sorted records, with x_i = low
for i < 1 and x_i = high for i > n (Nissim, Raskhodnikova and Smith 2007, Section 3.1). Where records come
from a finite list of values, `low` and `high` are its ends, and the same formulas are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Sorted(NamedTuple):
    """Sorted records with their bounds; indices start at 1 and run past both ends."""

    records: tuple[float, ...]
    low: float
    high: float

    @property
    def middle(self) -> int:
        """m = (n + 1) / 2, the median's place."""
        return (len(self.records) + 1) // 2

    def at(self, i: int) -> float:
        """x_i."""
        if i < 1:
            return self.low
        return self.high if i > len(self.records) else self.records[i - 1]


def in_order(dataset: Sequence[float], low: float, high: float) -> Sorted:
    """The records sorted, when their number is odd and they lie within the bounds."""
    if len(dataset) % 2 == 0 or not all(low <= record <= high for record in dataset):
        raise ValueError(f"a median needs an odd number of records in [{low}, {high}], got {dataset!r:.60}")
    return Sorted(tuple(sorted(map(float, dataset))), float(low), float(high))


def median(x: Sorted) -> float:
    """The middle record."""
    return x.at(x.middle)


def sensitivity_at_distance(x: Sorted, k: int) -> float:
    """The largest local sensitivity among datasets that differ from x in at most k records (ibid. Claim 3.3).

    A^(k)(x) = max over t = 0, ..., k + 1 of x_(m+t) - x_(m+t-k-1); A^(0) is the local sensitivity of x.
    """
    m = x.middle
    return max(x.at(m + t) - x.at(m + t - k - 1) for t in range(k + 2))


def smooth_sensitivity(x: Sorted, t: float) -> float:
    """S^t(x) = max over k of e^(-t k) A^(k)(x), the smallest t-smooth bound on the local sensitivity."""
    return max(math.exp(-t * k) * sensitivity_at_distance(x, k) for k in range(len(x.records) + 1))


def distance_to_sensitivity(x: Sorted, bound: float) -> float:
    """How many records must change until the local sensitivity exceeds `bound` (004 Section 15.2)."""
    for k in range(len(x.records) + 1):
        if sensitivity_at_distance(x, k) > bound:
            return k
    return math.inf


def distance_to_change(x: Sorted) -> float:
    """How many records must change until the median does: m of n then lie strictly on one side of it."""
    value = median(x)
    above = x.middle - sum(record > value for record in x.records) if value < x.high else math.inf
    below = x.middle - sum(record < value for record in x.records) if value > x.low else math.inf
    return min(above, below)
