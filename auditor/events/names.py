"""What the numbers of an output are called: keys, fields and columns, in the order in which they are read."""

from __future__ import annotations

import contextlib
import dataclasses
import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from auditor.events.objects import parts_of, read_as_number

_LONGEST = 40  # most characters of a name


def column_names(raw: Any, width: int) -> tuple[str, ...]:
    """Names of the first `width` numbers of each output in a batch; nothing where they have none of their own."""
    with contextlib.suppress(Exception):  # someone else's objects, and a text for people only
        found = _columns(raw) or tuple(_named(path) for path in _paths(_first(raw), ""))
        plain = tuple(f"x[{index}]" for index in range(len(found)))
        if found != plain and found != ("x",):
            return found[:width]
    return ()


def _columns(raw: Any) -> tuple[str, ...]:
    """The names of the columns of a table with a row for each output."""
    if getattr(raw, "ndim", 2) == 2 and hasattr(raw, "columns") and hasattr(raw, "__array__"):
        return tuple(_named(f".{name}") for name in raw.columns)
    return ()


def _first(raw: Any) -> Any:
    if isinstance(raw, np.ndarray) or not hasattr(raw, "__array__"):
        return raw[0]
    return np.asarray(raw)[0]


def _paths(item: Any, path: str) -> Iterator[str]:
    """The way to each number in an output, in the order of `objects.numbers_of`."""
    parts = parts_of(item)
    if parts is None:
        if read_as_number(item):
            yield path
    elif getattr(item, "ndim", 0) == 2 and hasattr(item, "columns"):  # a frame, read row by row
        for row, held in enumerate(np.asarray(item).tolist()):
            for name, part in zip(item.columns, held, strict=True):
                yield from _paths(part, f"{path}.{name}[{row}]")
    elif isinstance(item, dict):
        for key, value in sorted(item.items(), key=repr):
            yield from _paths(key, f"{path}.key {key!r}")
            yield from _paths(value, f"{path}.{key}")
    else:
        held = list(parts)
        for step, part in zip(_steps(item, len(held)), held, strict=True):
            yield from _paths(part, path + step)


def _steps(item: Any, count: int) -> Sequence[str]:
    names: Sequence[Any] | None = getattr(item, "_fields", None)  # the fields of a named tuple
    if dataclasses.is_dataclass(item):
        names = [field.name for field in dataclasses.fields(item)]
    elif isinstance(item, (np.void, np.ndarray)) and item.dtype.names:
        names = item.dtype.names if isinstance(item, np.void) else None
    elif isinstance(item, numbers.Complex) and not isinstance(item, numbers.Real):
        names = ("real", "imag")
    elif hasattr(item, "index") and getattr(item, "ndim", 0) == 1 and hasattr(item, "__array__"):
        names = [name for name in item.index if isinstance(name, str)]  # the index of a series
    if names is not None and len(names) == count:
        return [f".{name}" for name in names]
    return [f"[{index}]" for index in range(count)]


def labels_of_series(samples: Sequence[Any]) -> dict[str, str]:
    """What the numbers of labelled series are called: "values[1]" is "south" where each has the same labels."""
    with contextlib.suppress(Exception):  # someone else's objects, and a text for people only
        if all(hasattr(one, "index") and hasattr(one, "name") and getattr(one, "ndim", 0) == 1 for one in samples):
            labels = list(samples[0].index)
            if all(isinstance(label, str) for label in labels) and all(list(one.index) == labels for one in samples):
                return {f"values[{place}]": short(label) for place, label in enumerate(labels)}
    return {}


def _named(path: str) -> str:
    return short("x" + path if not path.startswith(".") else path[1:])


def short(name: str) -> str:
    """A name in one line of at most 40 characters."""
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
