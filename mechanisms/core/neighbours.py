"""Neighbouring datasets: what may differ, and why this pair was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mechanisms.core import checks


class Relation(StrEnum):
    """What makes two datasets neighbours. The same theorem can hold for one relation and fail for another."""

    ADD_REMOVE = "add/remove"
    REPLACE_ONE = "replace-one"
    EDGE = "edge"
    UNSPECIFIED = "unspecified"


@dataclass(frozen=True, eq=False)
class NeighbourPair:
    """Two neighbouring datasets. With `group` = k they differ in k records (001 Prop 1.2)."""

    left: Any
    right: Any
    relation: Relation = Relation.UNSPECIFIED
    why: str = ""
    group: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", Relation(self.relation))
        checks.whole("group", self.group)

    def __str__(self) -> str:
        how = "" if self.relation is Relation.UNSPECIFIED else f" ({self.relation}"
        if how:
            how += f", group of {self.group})" if self.group > 1 else ")"
        return f"{brief(self.left)} and {brief(self.right)}{how}"


def brief(dataset: object, width: int = 60) -> str:
    """A dataset in at most `width` characters."""
    try:
        text = " ".join(repr(dataset).split())
    except Exception:  # someone else's code, and a text for people only
        text = f"<{type(dataset).__name__}>"
    return text if len(text) <= width else text[: width - 1] + "…"
