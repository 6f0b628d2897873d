"""Batches that come as one array, series or frame: each member, whatever type numpy chose for all of them together.

`np.array(["none", 1])` holds texts and `np.array([2, 1])` whole numbers, so the type of an array is the doing of a
batch and says nothing about a member. A member is therefore read in a form that is the same in every type in which
it can come. Where there is none, the array is refused.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.errors import MechanismError

Floats = npt.NDArray[np.float64]

PLAIN = {float, int, bool, np.float64, np.float32, np.bool_, np.int64, np.int32}  # types that numpy reads as numbers
EXACT = 2**53  # whole numbers beyond it do not fit a double
_COARSE = {"W": 604_800, "D": 86_400, "h": 3600, "m": 60, "s": 1}  # seconds in a unit
_FINE = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}  # units in a second
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,19})")
_WORDS = {"True": 1.0, "False": 0.0, "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
_CLASHES = {  # in which types a member cannot be read alike: its digits or its unit are lost, or its text is no text
    "texts": {"short floats", "times", "complex numbers", "a list"},
    "objects": {"times", "a list"},
}


def family(raw: Any) -> str:
    """What kind of batch this is: a list, or an array with a type of one of the kinds that numpy chooses among."""
    if isinstance(raw, (list, tuple)) or not hasattr(raw, "dtype"):
        return "a list"
    if raw.dtype.names:
        return "records"
    if raw.dtype.kind == "f" and raw.dtype.itemsize < 8:
        return "short floats"
    kinds = {"b": "whole numbers", "i": "whole numbers", "u": "whole numbers", "f": "floats", "c": "complex numbers"}
    return {**kinds, "m": "times", "M": "times", "U": "texts", "S": "texts"}.get(raw.dtype.kind, "objects")


def times_in(raw: Any) -> tuple[str, ...]:
    """The family "times" where a batch of objects holds some; none otherwise."""
    return ("times",) if any(isinstance(item, (np.datetime64, np.timedelta64)) for item in raw) else ()


def check_families(families: set[str] | frozenset[str], who: str) -> None:
    """A MechanismError where one mechanism returns arrays whose members cannot be read alike."""
    for one, others in _CLASHES.items():
        if one in families and (clash := sorted(others & families)):
            raise MechanismError(
                f"{who} must return one kind of array at every call, got {one} and {clash[0]}: numpy chooses the type "
                "of an array for all its members together; return a list, or an array with dtype=object every time"
            )


def as_array(raw: Any, columns: tuple[str, ...], who: str) -> Any:
    """Series, frames, tensors and masked arrays as an array; lists as they are. What is masked is ⊥.

    `columns` are a frame's: a frame that has others, because of what else is in it, is refused.
    """
    if isinstance(raw, np.ma.MaskedArray):
        if raw.dtype.kind in "biuf":
            return np.ma.filled(raw.astype(np.float64), np.nan)
        return np.where(np.ma.getmaskarray(raw), None, raw.astype(object).data)  # type: ignore[call-overload]
    if isinstance(raw, (list, tuple, np.ndarray)) or not hasattr(raw, "__array__"):
        return raw
    found = columns_of(raw)
    if columns and found != columns:
        if set(found) != set(columns) or len(found) != len(columns):
            raise MechanismError(
                f"{who} must return frames with the same columns at every call, got {list(columns)!r:.60} and "
                f"{list(found)!r:.60}; return a list of dicts"
            )
        raw = raw[[raw.columns[found.index(name)] for name in columns]]
    return np.asarray(raw)


def columns_of(raw: Any) -> tuple[str, ...]:
    """The names of a frame's columns; none for anything else."""
    return tuple(map(repr, raw.columns)) if hasattr(raw, "columns") and hasattr(raw, "__array__") else ()


def plain_array(raw: Any) -> npt.NDArray[Any] | None:
    """`raw` as an array of plain numbers, or None where it holds Python objects or texts."""
    if not isinstance(raw, np.ndarray):
        if (kinds := set(map(type, raw))) <= PLAIN:
            raw = np.array(raw, dtype=np.float64 if kinds <= {float} else None)
        elif all(map(_plain_class, kinds)):  # one array an output
            parts = [np.asarray(part) for part in raw]
            if len({(part.shape, part.dtype) for part in parts}) > 1 and parts[0].dtype.kind not in "mM":
                return None
            if any(part.dtype.names and part.ndim for part in parts):  # tables of records, which have rows
                return None
            raw = np.array(parts)
        else:
            return None
    if raw.dtype.names:
        if any(raw.dtype[name].kind not in "biuf" for name in raw.dtype.names):
            return None
        raw = np.stack([raw[name] for name in raw.dtype.names], axis=1)
    if raw.dtype.kind in "mM":
        return np.stack(split_seconds(raw), axis=-1)
    if raw.dtype.kind == "c":
        return np.stack([raw.real, raw.imag, np.abs(raw), np.angle(raw)], axis=-1)
    return raw if raw.dtype.kind in "biuf" else None


def _plain_class(cls: type) -> bool:
    """Whether objects of this class hold what their array holds and nothing else: no names, nulls, mask or notes."""
    own = issubclass(cls, np.ndarray) and not cls.__module__.startswith("numpy")
    more = own or hasattr(cls, "iloc") or hasattr(cls, "null_count") or issubclass(cls, np.ma.MaskedArray)
    return hasattr(cls, "__array__") and not more


def members(array: npt.NDArray[Any], exact: bool, who: str) -> list[Any]:
    """The outputs in an array, one by one: numbers as doubles, texts that are a number as that number.

    `exact` keeps whole numbers that no double holds. An array in which such a number was rounded is then refused.
    """
    if array.dtype.names:
        parts = [members(array[name], exact, who) for name in array.dtype.names]
        return list(zip(*parts, strict=True))
    kind = array.dtype.kind
    if kind in "mM":
        return list(seconds(array).tolist())
    if kind in "bf" or (kind in "iu" and not exact):
        numbers = array.astype(np.float64, copy=False)
        if exact and kind == "f":
            _check_not_rounded(numbers, who)
        return list(numbers.tolist())
    if array.ndim > 1:
        return [members(row, exact, who) for row in array]
    held = array.tolist()
    known = {text: _of_text(text, exact) for text in {item for item in held if type(item) in (str, bytes)}}
    items = [known[item] if type(item) in (str, bytes) else _of_object(item, exact) for item in held]
    if exact:
        _check_not_rounded(np.array([item for item in items if type(item) is float]), who)
    return items


def beyond_doubles(array: npt.NDArray[Any]) -> bool:
    """Whether some of these whole numbers fit no double."""
    return bool(array.size) and max(abs(int(array.max())), abs(int(array.min()))) > EXACT


def needs_exact(raw: Any) -> bool:
    """Whether an array has whole numbers that fit no double, so that they are kept as Python integers."""
    if not isinstance(raw, np.ndarray):
        return False
    if raw.dtype.names:
        return any(needs_exact(raw[name]) for name in raw.dtype.names)
    if raw.dtype.kind in "iu":
        return beyond_doubles(raw)
    return raw.dtype.kind == "O" and any(isinstance(item, int) and abs(item) > EXACT for item in raw.ravel().tolist())


def _check_not_rounded(numbers: Floats, who: str) -> None:
    if (np.isfinite(numbers) & (np.abs(numbers) >= EXACT)).any():
        raise MechanismError(
            f"{who} must return whole numbers beyond 2^53 in one kind of array at every call, got some as floats, "
            "which rounds them; return a list, or an array with dtype=object every time"
        )


def _of_text(text: str | bytes, exact: bool) -> Any:
    """The number that numpy would write as this text, else the text; bytes as the text that numpy makes of them."""
    if isinstance(text, bytes):
        if not text.isascii():
            return text
        text = text.decode()
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return _of_object(int(text), exact)
    try:
        number = float(text)
    except ValueError:
        return text
    return number if repr(number) == text else text


def _of_object(item: Any, exact: bool) -> Any:
    """A number as a double, and what is missing as NaN: None, NaN, NaT and pandas' NA come for each other."""
    if item is None or type(item).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(item, (bool, int, np.bool_, np.integer)):
        return int(item) if exact and abs(int(item)) > EXACT else _float(int(item))
    return float(item) if isinstance(item, np.floating) else item


def _float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def seconds(times: npt.NDArray[Any]) -> Floats:
    """Times and lengths of time in seconds (calendar months for lengths in months or years), whatever their unit."""
    whole, nano = split_seconds(times)
    return np.asarray(whole + nano / 1e9)


def split_seconds(times: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """The whole seconds of times, and the nanoseconds after them: a double holds no nanosecond of our days."""
    unit, count = np.datetime_data(times.dtype)
    if unit in ("Y", "M"):
        times = times.astype("M8[D]" if times.dtype.kind == "M" else "m8[M]")
        unit, count = np.datetime_data(times.dtype)
    units = times.astype(times.dtype.newbyteorder("="), copy=False).view(np.int64) * count
    missing = np.isnat(times)
    ticks = _FINE.get(unit, 1)
    whole, remaining = np.divmod(units, ticks)
    return np.where(missing, np.nan, whole * float(_COARSE.get(unit, 1))), np.where(
        missing, np.nan, remaining / ticks * 1e9
    )
