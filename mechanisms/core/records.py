"""Datasets as records: how many there are, which one stands where, and the dataset with one of them changed.

A list, tuple or set has its elements as records, an array its rows (its first axis), a pandas frame or series its
rows, and a dict of columns (sequences of one length) the rows across its columns; any other dict maps an identifier
to a record. Anything else is opaque: it has no records that can be compared. Nothing here changes its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


class Identified(dict[Any, Any]):
    """A dict from identifiers to records, also where the records are lists of one length and look like columns."""


def is_frame(data: object) -> bool:
    """True for pandas frames and series, without importing pandas."""
    return hasattr(data, "iloc") and hasattr(data, "index")


def is_columns(data: object) -> bool:
    """True for a dict of columns: at least one, all sequences of one length."""
    if not isinstance(data, Mapping) or not data or isinstance(data, Identified):
        return False
    columns = list(data.values())
    return all(is_column(column) for column in columns) and len({len(column) for column in columns}) == 1


def is_column(column: object) -> bool:
    """True for what may be a column: a list, tuple, array or series."""
    return isinstance(column, (list, tuple)) or is_frame(column) or (isinstance(column, np.ndarray) and column.ndim > 0)


def has_records(data: object) -> bool:
    """True where the records of a dataset can be told apart from the dataset."""
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, (list, tuple, set, frozenset, Mapping)) or is_frame(data)


def size(data: Any) -> int:
    """The number of records."""
    return len(next(iter(data.values()))) if is_columns(data) else len(data)


def record(data: Any, index: int) -> Any:
    """The record at a position; sets and dicts of records are in the order of `ordered`."""
    if is_columns(data):
        return {name: column.iloc[index] if is_frame(column) else column[index] for name, column in data.items()}
    if isinstance(data, Mapping):
        key = ordered(data)[index]
        return (key, data[key])
    if isinstance(data, (set, frozenset)):
        return ordered(data)[index]
    return data.iloc[index] if is_frame(data) else data[index]


def ordered(data: Any) -> list[Any]:
    """The elements of a set, or the keys of a dict, in an order that their values alone decide."""
    return list(data) if isinstance(data, Mapping) else sorted(data, key=lambda item: (type(item).__name__, repr(item)))


def removed(data: Any, indices: Sequence[int]) -> Any:
    """The dataset without the records at these positions."""
    gone = set(indices)
    keep = [index for index in range(size(data)) if index not in gone]
    return _rebuilt(data, lambda column: _taken(column, keep), keep)


def _rebuilt(data: Any, change: Callable[[Any], Any], keep: Sequence[int]) -> Any:
    """`change` applied to whatever holds the records in their order: each column of a dict of columns, or all."""
    if is_columns(data):
        return {name: change(column) for name, column in data.items()}
    if isinstance(data, Mapping):
        keys = ordered(data)
        return {keys[index]: data[keys[index]] for index in keep}
    if isinstance(data, (set, frozenset)):
        items = ordered(data)
        return type(data)(items[index] for index in keep)
    return change(data)


def _taken(column: Any, keep: Sequence[int]) -> Any:
    if isinstance(column, np.ndarray):
        return column[np.asarray(keep, dtype=np.intp)]
    if is_frame(column):
        return column.iloc[list(keep)].reset_index(drop=True)
    return _like(column, [column[index] for index in keep])


def _like(column: Any, items: list[Any]) -> Any:
    """A sequence of the same type, named tuples as plain ones."""
    return tuple(items) if isinstance(column, tuple) else items


def added(data: Any, row: Any) -> Any:
    """The dataset with one more record, at its end where it has an order."""
    _check(data)
    if is_columns(data):
        _check_row(data, row)
        return {name: _appended(column, row[name]) for name, column in data.items()}
    if isinstance(data, Mapping):
        key, value = row
        if key in data:
            raise ValueError(f"a record that is added must have an identifier of its own, got key={key!r:.60}")
        return {**data, key: value}
    if isinstance(data, (set, frozenset)):
        if row in data:
            raise ValueError(f"a record that is added to a set must not be in it, got row={row!r:.60}")
        return data | {row}
    return _appended(data, row)


def replaced(data: Any, index: int, row: Any) -> Any:
    """The dataset with another record at this position; an identifier of a dict stays."""
    _check(data)
    if not -size(data) <= index < size(data):
        raise ValueError(f"index must be one of the {size(data)} records, got index={index!r:.60}")
    index %= size(data)
    if is_columns(data):
        _check_row(data, row)
        return {name: _set(column, index, row[name]) for name, column in data.items()}
    if isinstance(data, Mapping):
        return {**data, ordered(data)[index]: row}
    if isinstance(data, (set, frozenset)):
        return (data - {ordered(data)[index]}) | {row}
    return _set(data, index, row)


def _check(data: Any) -> None:
    if not has_records(data):
        raise ValueError(f"a dataset must be a list, tuple, set, dict, array or frame, got {type(data).__name__}")


def _check_row(data: Mapping[Any, Any], row: Any) -> None:
    if not isinstance(row, Mapping) or set(row) != set(data):
        raise ValueError(f"a row of a dict of columns must have the columns {sorted(map(str, data))}, got {row!r:.60}")


def _appended(column: Any, row: Any) -> Any:
    if isinstance(column, np.ndarray):
        new = np.asarray(row)
        if new.shape != column.shape[1:]:
            raise ValueError(f"a row must have the shape {column.shape[1:]} of the others, got shape={new.shape}")
        return np.concatenate([column, new[None].astype(np.result_type(column, new))])
    if is_frame(column):
        return _frame_with(column, len(column), row)
    return _like(column, [*column, row])


def _set(column: Any, index: int, row: Any) -> Any:
    if isinstance(column, np.ndarray):
        rest = np.delete(column, index, axis=0)
        longer = _appended(rest, row)
        return longer[[*range(index), len(rest), *range(index, len(rest))]]
    if is_frame(column):
        return _frame_with(column, index, row)
    return _like(column, [*column[:index], row, *column[index + 1 :]])


def _frame_with(frame: Any, index: int, row: Any) -> Any:
    """The frame whose row at `index` (or one past the end) is this one; its column types stay where they can."""
    import pandas as pd

    if isinstance(frame, pd.Series):
        values = [*frame.iloc[:index], row, *frame.iloc[index + 1 :]]
        fresh = pd.Series(values, name=frame.name)
        return _typed(fresh, frame.dtype)
    row = dict(row) if isinstance(row, (Mapping, pd.Series)) else dict(zip(frame.columns, row, strict=True))
    if set(row) != set(frame.columns):
        raise ValueError(f"a row of a frame must have the columns {list(frame.columns)}, got {list(row)}")
    return pd.DataFrame({name: _frame_with(frame[name], index, row[name]) for name in frame.columns})


def _typed(series: Any, dtype: Any) -> Any:
    """The series in this type where it holds its values; as it is otherwise."""
    try:
        changed = series.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return series
    return changed if changed.astype(object).equals(series.astype(object)) or changed.equals(series) else series
