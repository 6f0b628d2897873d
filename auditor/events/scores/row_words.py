"""Which rows of a table an event picks, in words: by the columns that tell them from the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from auditor.events.scores.score import holds, listed, one_of
from auditor.events.words import equal, title

if TYPE_CHECKING:
    from auditor.events.scores.rows import Rows

Row = tuple[float | None, ...]
_COLUMNS = 6  # up to which rows are told as vectors where no column tells them apart


def told(table: Rows, op: str, at: float, names: Sequence[str]) -> str:
    """The rows whose score is `op` (<= or >=) `at`.

    Where the columns have names, only those are told that it takes to tell these rows from the others of the table; a
    row that is not in the table is not in the event, and this is said where the table does not have all of them.
    """
    chosen, others = [], []
    for key, value in zip(table.keys, table.values, strict=True):
        (chosen if holds(value, op, at) else others).append(table.row(key))
    if not chosen:
        return "the output is nothing that was seen before"
    width = len(table.atoms)
    own = [title(f"x[{column}]", names) for column in range(width)]
    if own == [f"x[{column}]" for column in range(width)] and width <= _COLUMNS:
        return f"the output is {one_of([_vector(row) for row in chosen])}"
    telling = _telling(chosen, others, width)
    clauses = list(dict.fromkeys(_clause(row, telling, names) for row in chosen))
    whole = len(table.keys) == math.prod(max(1, len(column)) for column in table.atoms)
    known = "" if whole or len(telling) == width else " (in an output seen before)"
    return listed(clauses) + known


def _telling(chosen: Sequence[Row], others: Sequence[Row], width: int) -> tuple[int, ...]:
    """As few columns as a greedy choice finds by which no chosen row is like another one."""
    kept = [column for column in range(width) if len({row[column] for row in (*chosen, *others)}) > 1]
    for column in tuple(kept):
        fewer = [other for other in kept if other != column]
        if fewer and not _seen(chosen, fewer) & _seen(others, fewer):
            kept = fewer
    return tuple(kept) or tuple(range(width))


def _seen(rows: Iterable[Row], columns: Sequence[int]) -> set[Row]:
    return {tuple(row[column] for column in columns) for row in rows}


def _clause(row: Row, columns: Sequence[int], names: Sequence[str]) -> str:
    """ "age = 3 and city is 'Rome'"."""
    return " and ".join(_cell(f"x[{column}]", row[column], names) for column in columns)


def _cell(feature: str, value: float | None, names: Sequence[str]) -> str:
    if value is None:
        return f"{title(feature, names)} is missing (⊥)"
    return equal(feature, value, names)


def _vector(row: Row) -> str:
    return "(" + ", ".join("⊥" if value is None else f"{value:.4g}" for value in row) + ")"
