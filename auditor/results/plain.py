"""Values as plain JSON data and back: numbers that JSON has no word for, tuples and arrays, texts of JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from auditor.errors import UsageError


def number(value: float | None) -> float | str | None:
    """A number for JSON: null where there is none, "inf" and "-inf" for infinities."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def parse_number(value: float | str | None) -> float:
    """The number that `number` wrote (null is NaN)."""
    return math.nan if value is None else float(value)


def plain(value: Any) -> Any:
    """JSON data: lists for tuples and arrays, "inf" for infinities, null for NaN."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):  # an array or a number of numpy's
        return plain(value.tolist())
    return number(value) if isinstance(value, float) else value


def parsed(text: str, what: str, from_file: bool = False) -> Any:
    """The JSON data in a text; `what` names it in the UsageError for anything else.

    In what comes from a file half of a surrogate pair is refused: it is JSON, but no text, and cannot be written again.
    """
    try:
        data = json.loads(text, parse_constant=_no_constant)
        if from_file and "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} must be JSON: {error}") from error
    return data


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON; a number that does not exist is null, an infinity "inf"')
