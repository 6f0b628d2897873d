"""One output that is a Python object: the numbers in it, and what it says beside them."""

from __future__ import annotations

import dataclasses
import numbers
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from auditor.errors import MechanismError
from auditor.events.arrays import EXACT, seconds

_REAL: tuple[Any, ...] = (numbers.Real, np.bool_, Decimal)
_TIMES = (date, time, timedelta)
_SHOWN = re.compile(r"<[^<>]+ at 0x[0-9a-fA-F]+")  # as in <function f at 0x7f…>
_HEX = re.compile(r"0x([0-9a-fA-F]{4,16})")
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
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return float(seconds(np.asarray(item)))
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


def _parts(item: Any) -> Iterable[object] | None:
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
    parts = _parts(item)
    if parts is None:
        yield item
    else:
        for part in parts:
            yield from leaves(part)


def numbers_of(item: object) -> Iterator[float]:
    """The numbers in an output, in their order; ⊥ among them is NaN."""
    for leaf in leaves(item):
        if leaf is None or (not isinstance(leaf, str) and isinstance(leaf, (*_REAL, *_TIMES))):
            yield number(leaf)


def text(item: object, width: int, who: str) -> str:
    """What an output says beside the numbers that its columns hold: each of those is shown as #."""
    whole = sum(1 for _ in numbers_of(item)) > width
    said = item if isinstance(item, str) else _structure(item, whole)
    if _has_address(item, said):
        raise MechanismError(
            f"{who} must return numbers, strings, None or tuples of them, got a {type(item).__name__} without a repr "
            f"of its own: its text {said!r:.60} has an address in memory, which is another in every run"
        )
    return said


def _has_address(item: object, said: str) -> bool:
    """Whether a text tells where in memory something is: that of a function, a generator, a method, an object.

    Python writes " at 0x…"; a repr that writes the number in another way is known by the object's own address.
    """
    if "0x" not in said:
        return False
    if isinstance(item, str):
        return _SHOWN.search(said) is not None
    return " at 0x" in said or any(int(found, 16) in _addresses(item) for found in _HEX.findall(said))


def _addresses(item: object) -> set[int]:
    return {id(leaf) for leaf in leaves(item)} | {id(getattr(leaf, "__self__", None)) for leaf in leaves(item)}


def _structure(item: object, whole: bool) -> str:
    if item is None or isinstance(item, str):
        return repr(item)
    if not whole and (isinstance(item, _TIMES) or (isinstance(item, _REAL) and is_number(item))):
        return "#"
    parts = _parts(item)
    return repr(item) if parts is None else "(" + ", ".join(_structure(part, whole) for part in parts) + ")"
