"""Neighbouring datasets: what may differ, and why this pair was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mechanisms.core import checks, records
from mechanisms.core.described import described
from mechanisms.core.relations import check_neighbours


class Relation(StrEnum):
    """What makes two datasets neighbours. The same theorem can hold for one relation and fail for another."""

    ADD_REMOVE = "add/remove"
    REPLACE_ONE = "replace-one"
    EDGE = "edge"
    ADD_REMOVE_USER = "add/remove-user"  # all records of one user
    LOCAL = "local"  # any two records: each is one person's whole dataset
    ANSWERS = "answers"  # no datasets, but the answers of queries that one record can move so
    UNSPECIFIED = "unspecified"


@dataclass(frozen=True, eq=False)
class NeighbourPair:
    """Two neighbouring datasets. With `group` = k they differ in k records (001 Prop 1.2).

    A named relation is checked where the datasets' records can be compared (`relations`); a pair that breaks it is an
    error. Opaque datasets, and those of the relations unspecified, answers and local, are taken at their word.
    """

    left: Any
    right: Any
    relation: Relation = Relation.UNSPECIFIED
    why: str = ""
    group: int = 1

    def __post_init__(self) -> None:
        if str(self.relation) not in [relation.value for relation in Relation]:
            known = ", ".join(relation.value for relation in Relation)
            raise ValueError(f"relation must be one of {known}, got relation={self.relation!r:.60}")
        object.__setattr__(self, "relation", Relation(str(self.relation)))
        checks.whole("group", self.group)
        check_neighbours(self.left, self.right, self.relation.value, self.group)

    @staticmethod
    def add_remove(data: Any, row: Any, why: str = "") -> NeighbourPair:
        """The dataset with one more record on the left, and the dataset itself on the right."""
        return NeighbourPair(records.added(data, row), data, Relation.ADD_REMOVE, why)

    @staticmethod
    def replace_one(data: Any, index: int, row: Any, why: str = "") -> NeighbourPair:
        """The dataset on the left, and on the right the same with another record at this position."""
        return NeighbourPair(data, records.replaced(data, index, row), Relation.REPLACE_ONE, why)

    def __str__(self) -> str:
        how = "" if self.relation is Relation.UNSPECIFIED else f" ({self.relation}"
        if how:
            how += f", group of {self.group})" if self.group > 1 else ")"
        return f"{' and '.join(described(self.left, self.right))}{how}"
