"""Counting queries over a finite universe: thresholds, attributes, points and subset sums (001, 003).

A counting query is a predicate; asked of a dataset it answers how many records satisfy it (003), or which
fraction of them (001). Several at once are a table with one row of bits for each possible record, and their
joint l1 sensitivity is read off that table, exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import Relation

Bits = tuple[int, ...]

THREE_BITS: tuple[Bits, ...] = tuple(itertools.product((0, 1), repeat=3))  # ordered by binary encoding (001)

TEN_ROWS: tuple[Bits, ...] = (  # D in X^10 of 001 Examples 1 to 3: I1 to I10 with attributes D1, D2, D3
    (0, 0, 0),
    (1, 0, 1),
    (0, 1, 0),
    (1, 0, 1),
    (0, 0, 0),
    (0, 0, 1),
    (1, 1, 0),
    (0, 0, 0),
    (0, 1, 0),
    (1, 0, 1),
)


@dataclass(frozen=True)
class CountingQueries:
    """k counting queries: `table[x]` says which of them the record x satisfies."""

    names: tuple[str, ...]
    table: Mapping[Hashable, Bits] = field(repr=False)

    def __post_init__(self) -> None:
        rows = self.table.values()
        if not rows or any(len(row) != len(self.names) or not set(row) <= {0, 1} for row in rows):
            k = len(self.names)
            raise ValueError(f"every record needs one bit for each of {k} queries, got {self.table!r:.80}")

    def counts(self, dataset: Sequence[Hashable]) -> Outputs:
        """How many records satisfy each query."""
        unknown = [record for record in dataset if record not in self.table]
        if unknown:
            raise ValueError(f"records must lie in the universe of {len(self.table)}, got {unknown[0]!r:.40}")
        total = np.zeros(len(self.names))
        for record in dataset:
            total += self.table[record]
        return total

    def fractions(self, dataset: Sequence[Hashable]) -> Outputs:
        """Which fraction of the records satisfies each query, q: X^n -> [0, 1] (001)."""
        if not dataset:
            raise ValueError("a fraction needs at least one record, got an empty dataset")
        return self.counts(dataset) / len(dataset)

    def sensitivity(self, relation: Relation) -> int:
        """The largest l1 distance between the counts of neighbours; fractions of n records move by 1/n of it.

        Adding or removing a record moves the counts by its row, replacing it by the difference of two rows.
        """
        rows = [np.array(row) for row in self.table.values()]
        match relation:
            case Relation.ADD_REMOVE:
                return int(max(row.sum() for row in rows))
            case Relation.REPLACE_ONE:
                return int(max(np.abs(one - other).sum() for one in rows for other in rows))
            case _:
                raise ValueError(f"the relation must be add/remove or replace-one, got relation={relation}")


def counting_queries(
    universe: Iterable[Any], asked: Mapping[str, Any], holds: Callable[[Any, Any], bool]
) -> CountingQueries:
    """One query for each entry y of `asked`: how many records x of the universe have `holds(x, y)`."""
    table = {x: tuple(int(holds(x, y)) for y in asked.values()) for x in universe}
    return CountingQueries(tuple(asked), table)


def thresholds(universe: Sequence[Any]) -> CountingQueries:
    """q_y(x) = 1 when x <= y, for each y of an ordered universe (001 Example 1)."""
    return counting_queries(universe, {_name(y): y for y in universe}, lambda x, y: bool(x <= y))


def attributes(d: int) -> CountingQueries:
    """q_j(x) = x_j for records in {0, 1}^d (001 Example II)."""
    universe = itertools.product((0, 1), repeat=d)
    return counting_queries(universe, {f"D{j + 1}": j for j in range(d)}, lambda x, j: bool(x[j]))


def points(universe: Sequence[Any]) -> CountingQueries:
    """q_y(x) = 1 when x = y; all of them together are the histogram (001 Example III)."""
    return counting_queries(universe, {_name(y): y for y in universe}, lambda x, y: bool(x == y))


def subset_sums(universe: Sequence[Any], subsets: Sequence[Sequence[Any]]) -> CountingQueries:
    """How many elements of the dataset lie in each subset of the universe (003 "take away message")."""
    return counting_queries(universe, {_name(tuple(s)): s for s in subsets}, lambda x, s: x in s)


def replaced(dataset: Sequence[Any], index: int, record: Any) -> tuple[Any, ...]:
    """The dataset with one record replaced."""
    return (*dataset[:index], record, *dataset[index + 1 :])


def _name(record: object) -> str:
    return "".join(map(str, record)) if isinstance(record, tuple) else str(record)
