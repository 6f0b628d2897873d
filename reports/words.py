"""Numbers, times and foreign text, written the same way in every format."""

from __future__ import annotations

import math
import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Foreign text without what is not text: control characters, terminal escapes, direction overrides."""
    return _UNSEEN.sub("�", text.replace("\r\n", "\n"))


def line(text: str, most: int | None = None) -> str:
    """Foreign text on one line, of at most `most` characters."""
    flat = " ".join(clean(text).split())
    return flat if most is None or len(flat) <= most else flat[: most - 1] + "…"


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
