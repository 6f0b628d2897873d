"""Neighbouring datasets: what may differ, and why this pair was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mechanisms.core import checks, records
from mechanisms.core.relations import check_neighbours

_FIRST = 30  # values of a column: no more fit


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
        object.__setattr__(self, "relation", Relation(self.relation))
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
        return f"{brief(self.left)} and {brief(self.right)}{how}"


def brief(dataset: Any, width: int = 60) -> str:
    """A dataset in at most `width` characters; one that is cut short says how many records it has."""
    try:
        text = " ".join(_text(dataset).split())
        counted = hasattr(dataset, "__len__") and not isinstance(dataset, (str, bytes, dict))
        many = f"… ({len(dataset)} records)" if counted else "…"
    except Exception:  # someone else's code, and a text for people only
        text, many = f"<{type(dataset).__name__}>", "…"
    return text if len(text) <= width else text[: width - len(many)] + many


def _text(dataset: Any) -> str:
    """A frame as its first values by column: what it prints itself is a drawing of a table."""
    columns = getattr(dataset, "columns", None)
    if columns is None or not hasattr(dataset, "__array__"):
        return repr(dataset)
    return f"frame { ({str(name): list(dataset[name][:_FIRST]) for name in columns})!r}"
