"""Numbers, times and foreign text, written the same way in every format."""

from __future__ import annotations

import math
import re

from auditor.escaping import clean, inert, line, logged

__all__ = ["clean", "count", "duration", "inert", "line", "listed", "logged", "number", "several"]


def number(value: float | None, digits: int = 4) -> str:
    """A number to four digits: – where there is none, ∞ for infinity."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}"
    return re.sub(r"e([+-])0*(\d+)", lambda found: f"e{found[1].strip('+')}{found[2]}", text)


def count(value: int | None) -> str:
    """A count with its thousands apart."""
    return "–" if value is None else f"{value:,}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def several(amount: int, one: str, many: str | None = None) -> str:
    """`1 claim`, `2 claims`."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else "".join(parts)
