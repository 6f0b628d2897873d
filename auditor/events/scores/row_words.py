"""Which rows of a table an event picks, in words: by the columns that tell them from the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from auditor.events.scores.score import choice_of, holds, listed
from auditor.events.words import decoded_column, equal, title

if TYPE_CHECKING:
    from auditor.events.scores.rows import Rows

Row = tuple[float | None, ...]
_FEW = 4  # rows that are told one by one
_COLUMNS = 6  # up to which rows are told as vectors where no column tells them apart


def told(table: Rows, op: str, at: float, names: Sequence[str]) -> str:
    """The rows whose score is `op` (<= or >=) `at`.

    Where the columns have names, only those are told that it takes to tell these rows from the others of the table; a
    row that is not in the table is not in the event, and this is said where the table does not have all of them.
    """
    chosen: list[Row] = []
    others: list[Row] = []
    for key, value in zip(table.keys, table.values, strict=True):
        (chosen if holds(value, op, at) else others).append(table.row(key))
    if not chosen:
        return "the output is nothing that was seen before"
    width = len(table.atoms)
    telling = _telling(chosen, others, width)
    own = [title(f"x[{column}]", names) for column in range(width)]
    unnamed = own == [f"x[{column}]" for column in range(width)]
    if unnamed and width <= _COLUMNS and (len(chosen) <= _FEW or len(telling) > 1):
        return f"the output is {_vectors(chosen, others)}"
    clauses = list(dict.fromkeys(_clause(row, telling, names) for row in chosen))
    if len(telling) == 1 and len(clauses) > 1:
        clauses = _one_side(chosen, others, telling[0], names) or clauses
    whole = len(table.keys) == math.prod(max(1, len(column)) for column in table.atoms)
    known = "" if whole or len(telling) == width else " (in an output seen before)"
    return listed(clauses) + known


def _one_side(chosen: Sequence[Row], others: Sequence[Row], column: int, names: Sequence[str]) -> list[str]:
    """ "age <= 3" where one column's values are below, or above, all others; nothing elsewhere."""
    ours, theirs = ([row[column] for row in rows] for rows in (chosen, others))
    inside = [value for value in ours if value is not None]
    outside = [value for value in theirs if value is not None]
    if len(inside) < len(ours) or not outside or decoded_column(f"x[{column}]", names):
        return []
    if max(inside) < min(outside):
        return [f"{title(f'x[{column}]', names)} <= {max(inside):.6g}"]
    return [f"{title(f'x[{column}]', names)} >= {min(inside):.6g}"] if min(inside) > max(outside) else []


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


def _vectors(chosen: Sequence[Row], others: Sequence[Row]) -> str:
    """A few vectors one by one; of many the coordinate that says most of them, and examples."""
    if len(chosen) <= _FEW:
        return choice_of([_vector(row) for row in chosen])
    shares = [(_share(column, chosen, others), column) for column in range(len(chosen[0]))]
    share, column = min(shares)
    values = [value for row in chosen if (value := row[column]) is not None]
    where = f" with {min(values):.4g} <= x[{column}] <= {max(values):.4g}" if share < 1 else ""
    return f"one of {len(chosen)} vectors{where}, like {_vector(chosen[0])} or {_vector(chosen[-1])},"


def _share(column: int, chosen: Sequence[Row], others: Sequence[Row]) -> float:
    """How much of a coordinate's values lies where those of the chosen rows do; 1 where one of these is ⊥."""
    ours = [row[column] for row in chosen]
    inside = [value for value in ours if value is not None]
    if len(inside) < len(ours):
        return 1.0
    seen = {value for row in (*chosen, *others) if (value := row[column]) is not None}
    return sum(min(inside) <= value <= max(inside) for value in seen) / len(seen)


def _vector(row: Row) -> str:
    return "(" + ", ".join("⊥" if value is None else f"{value:.4g}" for value in row) + ")"
