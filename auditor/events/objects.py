"""One output that is a Python object: the numbers in it, and what it says beside them."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from auditor.errors import MechanismError

EXACT = 2**53  # whole numbers beyond it do not fit a double
_REAL: tuple[Any, ...] = (numbers.Real, np.bool_, Decimal)
_TIMES = (date, time, timedelta)
_START = datetime(1970, 1, 1, tzinfo=UTC)


def is_number(item: Any) -> bool:
    """A number that a double holds exactly, or ⊥."""
    if isinstance(item, Decimal):
        item = float(item)
    return item is None or (isinstance(item, _REAL) and (isinstance(item, float) or abs(item) <= EXACT))


def number(item: Any) -> float:
    """The item as a double; NaN where it is no number."""
    if type(item) is float:
        return item
    if isinstance(item, (str, bytes, bytearray)):
        return float("nan")
    try:
        return _seconds(item) if isinstance(item, _TIMES) else float(item)
    except OverflowError:
        return float("inf") if item > 0 else float("-inf")
    except (TypeError, ValueError):
        held = np.asarray(item if hasattr(item, "__array__") else None)
        return float(held) if held.ndim == 0 and held.dtype.kind in "biuf" else float("nan")


def _seconds(item: date | time | timedelta) -> float:
    """Of a length of time, or since midnight, or since 1970; what has no time zone is read in UTC."""
    if isinstance(item, timedelta):
        return item.total_seconds()
    if isinstance(item, time):
        return 3600.0 * item.hour + 60 * item.minute + item.second + item.microsecond / 1e6
    if not isinstance(item, datetime):
        return 86_400.0 * (item.toordinal() - _START.toordinal())
    return ((item if item.tzinfo else item.replace(tzinfo=UTC)) - _START).total_seconds()


def parts_of(item: Any) -> Iterable[object] | None:
    """What a container holds, in an order that its contents alone decide; None for anything else."""
    if isinstance(item, (tuple, list)):
        return item
    if item is None or isinstance(item, (str, bytes, bytearray, *_REAL, *_TIMES)):
        return None
    if isinstance(item, (dict, set, frozenset)):
        return sorted(item.items() if isinstance(item, dict) else item, key=repr)
    if isinstance(item, numbers.Complex):
        return item.real, item.imag
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return [getattr(item, field.name) for field in dataclasses.fields(item)]
    if hasattr(item, "__array__"):  # arrays, records, tensors, series, frames
        array = np.asarray(item)
        if array.ndim == 0 and not array.dtype.names:
            return None if array.dtype == object else [array.item()]
        held: Iterable[object] = array.tolist()
        return held
    return None


def leaves(item: object) -> Iterator[object]:
    """What containers hold at last."""
    parts = parts_of(item)
    if parts is None:
        yield item
    else:
        for part in parts:
            yield from leaves(part)


def numbers_of(item: object) -> Iterator[float]:
    """The numbers in an output, in their order; ⊥ among them is NaN."""
    for leaf in leaves(item):
        if read_as_number(leaf):
            yield number(leaf)


def read_as_number(leaf: object) -> bool:
    """Whether what is no container counts as a number of the output; ⊥ does."""
    return leaf is None or (not isinstance(leaf, str) and isinstance(leaf, (*_REAL, *_TIMES)))


def text(item: object, width: int, who: str) -> str:
    """What an output says beside the numbers that its columns hold: each of those is shown as #."""
    whole = sum(1 for _ in numbers_of(item)) > width
    said = item if isinstance(item, str) else _structure(item, whole)
    if " object at 0x" in said:
        raise MechanismError(
            f"{who} must return numbers, strings, None or tuples of them, got a {type(item).__name__} without a repr"
        )
    return said


def _structure(item: object, whole: bool) -> str:
    if item is None or isinstance(item, str):
        return repr(item)
    if not whole and (isinstance(item, _TIMES) or (isinstance(item, _REAL) and is_number(item))):
        return "#"
    parts = parts_of(item)
    return repr(item) if parts is None else "(" + ", ".join(_structure(part, whole) for part in parts) + ")"
