"""Datasets and pairs of them as they stand in a sentence: short, in one line, and told apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.core import records
from mechanisms.core.relations import differences

_WIDTH = 60  # characters of a dataset
_FIRST = 30  # values of a column: no more fit
_RECORD = 48  # characters of a record
_COMPARED = 100_000  # records of datasets that are compared for a sentence


def described(left: Any, right: Any) -> tuple[str, str]:
    """Two datasets in words: whole where they are short, else what the one has and the other has not."""
    texts = brief(left), brief(right)
    if texts == (brief(left, 2 * _WIDTH), brief(right, 2 * _WIDTH)):  # nothing was cut off
        return texts
    try:
        return _by_difference(left, right) or texts
    except Exception:  # someone else's data, and a text for people only
        return texts


def _by_difference(left: Any, right: Any) -> tuple[str, str] | None:
    """ "4 records with 7" and "the same without it"; None where more than one record differs, or none can be told."""
    if not (records.has_records(left) and records.has_records(right)) or records.size(left) > _COMPARED:
        return None
    found = next(iter(differences(left, right)), None)
    if found is None:
        return None
    many = f"{records.size(left):,} records"
    match found.left, found.right:
        case (row,), ():
            return f"{many} with {_record(left, row)}", "the same without it"
        case (), (row,):
            return many, f"the same with {_record(right, row)} added"
        case (row,), (other,):
            return f"{many} with {_record(left, row)}", f"the same with {_record(right, other)} in its place"
    return None


def _record(data: Any, row: Any) -> str:
    """A record in one line; of a table with the names of its columns."""
    if records.is_columns(data):
        row = dict(zip(sorted(data, key=repr), row, strict=True))
    elif records.is_frame(data) and hasattr(data, "columns"):
        row = dict(zip(data.columns, row, strict=True))
    if isinstance(row, dict):
        return _cut(", ".join(f"{name}={_plain(value)!r}" for name, value in row.items()), _RECORD)
    return _cut(repr(_plain(row)), _RECORD)


def _plain(value: Any) -> Any:
    """A number or a list in place of numpy's own, whose repr says its type."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def brief(dataset: Any, width: int = _WIDTH) -> str:
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
