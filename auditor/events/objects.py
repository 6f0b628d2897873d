"""Single Python objects: the number that one is, the parts of a time, and texts that are no outputs."""

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
_NAN = float("nan")


def is_number(item: Any) -> bool:
    """A number that a double holds exactly, or ⊥."""
    if isinstance(item, Decimal):
        item = float(item)
    return item is None or (isinstance(item, _REAL) and (isinstance(item, float) or abs(item) <= EXACT))


def as_double(item: Any) -> float:
    """The item as a double; NaN where it is no number."""
    if type(item) is float:
        return item
    if item is None or isinstance(item, (str, bytes, bytearray, tuple, list, dict)):
        return _NAN
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return float(seconds(np.asarray(item)))
    try:
        return _seconds(item) if isinstance(item, _TIMES) else float(item)
    except OverflowError:
        return float("inf") if item > 0 else float("-inf")
    except (TypeError, ValueError):
        held = np.asarray(item if hasattr(item, "__array__") else None)
        return float(held) if held.ndim == 0 and held.dtype.kind in "biuf" else _NAN


def _seconds(item: date | time | timedelta) -> float:
    """The seconds of a length of time, since midnight or since 1970; what has no time zone is read in UTC."""
    if isinstance(item, timedelta):
        return item.total_seconds()
    if isinstance(item, time):
        return 3600.0 * item.hour + 60 * item.minute + item.second + item.microsecond / 1e6
    if not isinstance(item, datetime):
        return 86_400.0 * (item.toordinal() - _START.toordinal())
    return ((item if item.tzinfo else item.replace(tzinfo=UTC)) - _START).total_seconds()


_OF_TIMES = ("year", "month", "day", "weekday", "hour", "minute", "second", "microsecond", "nanosecond")
TIME_PARTS = (*_OF_TIMES, "offset", "fold")  # what `time_parts` tells


def time_parts(item: Any) -> list[float]:
    """Year, month, day, weekday, hour, minute, second, micro- and nanosecond, minutes from UTC, fold; NaN for none.

    Of a length of time: days, and the remaining hours, minutes, seconds, microseconds and nanoseconds.
    """
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return _numpy_parts(item)
    if isinstance(item, timedelta):
        hours, remaining = divmod(item.seconds, 3600)
        nano = getattr(item, "nanoseconds", 0)
        return [
            _NAN,
            _NAN,
            item.days,
            _NAN,
            hours,
            remaining // 60,
            remaining % 60,
            item.microseconds,
            nano,
            _NAN,
            _NAN,
        ]
    found = [getattr(item, name, _NAN) for name in _OF_TIMES]
    offset = item.utcoffset() if hasattr(item, "utcoffset") else None
    minutes = _NAN if offset is None else offset.total_seconds() / 60
    return [*(float(part() if callable(part) else part) for part in found), minutes, getattr(item, "fold", _NAN)]


def zone_of(item: Any) -> str:
    """The name of a time's zone, or nothing."""
    zone = getattr(item, "tzinfo", None)
    return "" if zone is None else str(zone)


def _numpy_parts(item: np.datetime64 | np.timedelta64) -> list[float]:
    unit, count = np.datetime_data(item.dtype)
    if np.isnat(item) or unit in ("ps", "fs", "as", "generic"):
        return [_NAN] * 11
    nano = int(item.view(np.int64)) * count % 1000 if unit == "ns" else 0
    coarse = item.astype(f"{item.dtype.kind}8[us]").item()
    if not isinstance(coarse, (date, timedelta)):  # beyond the years that Python knows
        return [_NAN] * 11
    parts = time_parts(coarse)
    return [*parts[:8], nano, _NAN, _NAN]


def address_in(item: object, said: str) -> bool:
    """Whether a text tells where in memory something is: a function, a generator, a method, an object.

    Python writes " at 0x…"; a repr that writes the number in another way is known by the object's own address.
    """
    if "0x" not in said:
        return False
    if isinstance(item, str):
        return _SHOWN.search(said) is not None
    own = {id(item), id(getattr(item, "__self__", None))}
    return " at 0x" in said or any(int(found, 16) in own for found in _HEX.findall(said))


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
    """The items inside an output that are no containers, in their order."""
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
            yield as_double(leaf)


def read_as_number(leaf: object) -> bool:
    """Whether what is no container counts as a number of the output; ⊥ does."""
    return leaf is None or (not isinstance(leaf, str) and isinstance(leaf, (*_REAL, *_TIMES)))


def text(item: object, width: int, who: str) -> str:
    """What an output says beside the numbers that its columns hold: each of those is shown as #."""
    whole = sum(1 for _ in numbers_of(item)) > width
    said = item if isinstance(item, str) else _structure(item, whole)
    if address_in(item, said):
        raise MechanismError(
            f"{who} must return numbers, strings, None or tuples of them, got a {type(item).__name__} without a repr "
            f"of its own: its text {said!r:.60} has an address in memory, which is another in every run"
        )
    return said


def _structure(item: object, whole: bool) -> str:
    if item is None or isinstance(item, str):
        return repr(item)
    if not whole and (isinstance(item, _TIMES) or (isinstance(item, _REAL) and is_number(item))):
        return "#"
    parts = parts_of(item)
    return repr(item) if parts is None else "(" + ", ".join(_structure(part, whole) for part in parts) + ")"
