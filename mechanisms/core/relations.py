"""Whether two datasets are neighbours as their relation says, where their records can be compared.

Records count as often as they occur and their order does not matter, so the difference of two datasets is the
records that only the left has and those that only the right has. NaN equals itself here, and 1 equals 1.0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core import records

_SHOWN = 3  # records that an error names on each side
_WORD_LENGTH = 24  # characters of each


@dataclass(frozen=True)
class Difference:
    """The records that only one of two datasets has."""

    left: tuple[Any, ...]
    right: tuple[Any, ...]

    def __str__(self) -> str:
        sides = [(side, rows) for side, rows in (("left", self.left), ("right", self.right)) if rows]
        return " and ".join(f"only the {side} has {_shown(rows)}" for side, rows in sides) or "nothing differs"

    def group(self, relation: str) -> int | None:
        """The smallest group that makes the datasets neighbours; None where no group does."""
        if relation == "replace-one":
            return len(self.left) if len(self.left) == len(self.right) else None
        if relation == "add/remove-user":  # whose records they are is not known: any number, on one side only
            return 1 if not (self.left and self.right) else None
        return len(self.left) + len(self.right)


def check_neighbours(left: Any, right: Any, relation: str, group: int) -> None:
    """A ValueError that names the difference, where the datasets can be compared and break a named relation."""
    if relation not in ("add/remove", "replace-one", "edge", "add/remove-user"):
        return
    if relation == "edge" and not (is_edges(left) and is_edges(right)):
        return
    _check_columns(left, right, relation)
    readings = differences(left, right)
    groups = [difference.group(relation) for difference in readings]
    if not readings or any(found is not None and found <= group for found in groups):
        return
    difference, found = readings[0], groups[0]
    hint = f"; change the pair, or say group={found}" if found is not None else "; change the pair or its relation"
    raise ValueError(f"{_RULES[relation].format(k=group)}, got a pair in which {difference}{hint}")


def _check_columns(left: Any, right: Any, relation: str) -> None:
    """A ValueError where two frames have columns of different names. (The keys of a dict may be identifiers.)"""
    if not all(records.is_frame(data) and hasattr(data, "columns") for data in (left, right)):
        return
    names = [list(map(str, data.columns)) for data in (left, right)]
    if names[0] != names[1]:
        shown = " and ".join(", ".join(found) for found in names)
        raise ValueError(f"neighbours under {relation} have the same columns, got {shown:.200}; change the pair")


_RULES = {
    "add/remove": "neighbours under add/remove differ by at most {k} added or removed records",
    "replace-one": "neighbours under replace-one have as many records each and differ in at most {k}",
    "edge": "neighbours under edge differ by at most {k} added or removed edges",
    "add/remove-user": "neighbours under add/remove-user differ by the records of one user, which one side lacks",
}


def differences(left: Any, right: Any) -> list[Difference]:
    """How two datasets differ, in each way in which both can be read as records; none for opaque ones."""
    found = []
    for reading in (_rows, _entries):
        a, b = reading(left), reading(right)
        if a is not None and b is not None:
            found.append(_difference(a, b))
    return [difference for difference in found if difference is not None]


def _rows(data: Any) -> Any:
    """The records as `records` reads them, in an order; None for opaque data, and for dicts that are no table."""
    if isinstance(data, Mapping):
        if not records.is_columns(data):
            return None
        names = sorted(data, key=repr)
        return list(zip(*(_listed(data[name]) for name in names), strict=True))
    return _listed(data) if records.has_records(data) else None


def _entries(data: Any) -> Sequence[Any] | None:
    """The items of a dict from identifiers to records."""
    return list(data.items()) if isinstance(data, Mapping) else None


def _listed(data: Any) -> Any:
    """The records in an order, as a sequence or a table."""
    values = data.to_numpy() if records.is_frame(data) else data
    if isinstance(values, np.ndarray):
        return values if values.ndim > 1 else values.tolist()
    return records.ordered(data) if isinstance(data, (set, frozenset)) else data


def _difference(left: Sequence[Any], right: Sequence[Any]) -> Difference | None:
    """The records that remain when the common beginning, the common end and then equal records are taken away."""
    start, end = _common(left, right)
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    try:
        keys = [_key(row) for row in left], [_key(row) for row in right]
        counts = Counter(keys[0]), Counter(keys[1])
    except TypeError:  # a record of someone's own class that can be neither compared nor taken apart
        return None
    only = counts[0] - counts[1], counts[1] - counts[0]
    return Difference(_some(left, keys[0], only[0]), _some(right, keys[1], only[1]))


def _common(left: Sequence[Any], right: Sequence[Any]) -> tuple[int, int]:
    """How many records two sequences share at their beginning, and then at their end."""
    most = min(len(left), len(right))
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and left.shape[1:] == right.shape[1:]:
        start = _leading(left[:most], right[:most])
        end = _leading(left[::-1][: most - start], right[::-1][: most - start])
        return start, end
    start = next((i for i in range(most) if left[i] is not right[i]), most)
    end = next((i for i in range(most - start) if left[-1 - i] is not right[-1 - i]), most - start)
    return start, end


def _leading(a: Any, b: Any) -> int:
    unlike = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1)) if len(a) else np.empty(0)
    return int(unlike[0]) if len(unlike) else len(a)


def _some(rows: Iterable[Any], keys: Iterable[Hashable], only: Counter[Hashable]) -> tuple[Any, ...]:
    """The rows whose keys are counted in `only`, as often as they are."""
    remaining = Counter(only)
    found = []
    for row, key in zip(rows, keys, strict=True):
        if remaining[key] > 0:
            remaining[key] -= 1
            found.append(row)
    return tuple(found)


def _key(row: Any) -> Hashable:
    """A value that two records share if and only if they are equal; a TypeError where that cannot be told."""
    if isinstance(row, np.generic):
        row = row.item()
    if isinstance(row, float) and math.isnan(row):
        return ("nan",)
    if isinstance(row, (str, bytes, int, float, complex, bool, type(None))):
        return row
    if records.is_frame(row) or isinstance(row, np.ndarray):
        return ("row", *map(_key, np.asarray(row).tolist()))
    if isinstance(row, (list, tuple)):
        return ("row", *map(_key, row))
    if isinstance(row, Mapping):
        return ("map", frozenset((_key(name), _key(value)) for name, value in row.items()))
    if isinstance(row, (set, frozenset)):
        return ("set", frozenset(map(_key, row)))
    if getattr(type(row), "__hash__", None) in (object.__hash__, None):
        raise TypeError(f"records of {type(row).__name__} cannot be compared")
    return (type(row).__qualname__, row)


def is_edges(data: Any) -> bool:
    """True for a list, tuple or set of pairs of vertices, and for an array of two columns."""
    if isinstance(data, np.ndarray):
        return data.ndim == 2 and data.shape[1] == 2
    return isinstance(data, (list, tuple, set, frozenset)) and all(
        isinstance(edge, (list, tuple, set, frozenset)) and len(edge) == 2 for edge in data
    )


def _shown(rows: Sequence[Any]) -> str:
    """A few records in words: "the record 3", "5 records (1, 1, 1, …)"."""
    plain = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows[:_SHOWN]]
    words = [" ".join(repr(row).split()) for row in plain]
    words = [word if len(word) <= _WORD_LENGTH else word[: _WORD_LENGTH - 1] + "…" for word in words]
    more = ", …" if len(rows) > _SHOWN else ""
    return f"the record {words[0]}" if len(rows) == 1 else f"{len(rows)} records ({', '.join(words)}{more})"
