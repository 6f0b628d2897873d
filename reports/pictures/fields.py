"""Reads picture data from a results file: the right types, finite, bounded in size, or a UsageError."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from auditor.errors import UsageError
from reports.words import line

MOST = 2000  # most numbers in one list
LARGEST = 1e15


def wrong(rule: str, value: object) -> UsageError:
    """The error for data that does not fit docs/results.md."""
    return UsageError(f"a picture's {rule}, got {value!r:.80}")


def real(value: Any, name: str, low: float = -LARGEST, high: float = LARGEST) -> float:
    """A finite number within bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise wrong(f"{name} must be a number from {low:g} to {high:g}", value)
    return float(value)


def rows(value: Any, name: str, least: int = 0, most: int = MOST) -> Sequence[Any]:
    """A list that is neither too short nor too long."""
    if not isinstance(value, (list, tuple)):
        raise wrong(f"{name} must be a list", value)
    if not least <= len(value) <= most:
        raise wrong(f"{name} must have {least} to {most} parts", len(value))
    return value


def reals(value: Any, name: str, least: int = 0, low: float = -LARGEST, high: float = LARGEST) -> tuple[float, ...]:
    """A list of finite numbers."""
    return tuple(real(part, name, low, high) for part in rows(value, name, least))


def gaps(value: Any, name: str, low: float = -LARGEST, high: float = LARGEST) -> tuple[float, ...]:
    """A list of numbers in which null or an infinity leaves a gap (NaN)."""
    return tuple(
        math.nan if part is None or part in ("inf", "-inf") else real(part, name, low, high)
        for part in rows(value, name)
    )


def points(value: Any, name: str, low: float = -LARGEST, high: float = LARGEST) -> tuple[tuple[float, float], ...]:
    """A list of [x, y]; `low` and `high` bound y."""
    pairs = [rows(part, name, 2, 2) for part in rows(value, name)]
    return tuple((real(x, name), real(y, name, low, high)) for x, y in pairs)


def text(value: Any, name: str, most: int = 120) -> str:
    """Text on one line."""
    if not isinstance(value, str):
        raise wrong(f"{name} must be text", value)
    return line(value, most)


def part(data: Mapping[str, Any], name: str, kind: str) -> Any:
    """A part that must be there."""
    if name not in data:
        raise wrong(f"data of type {kind!r} must have {name!r}", sorted(data))
    return data[name]
