"""Columns whose numbers stand for something else (types, texts, characters), in words of what they stand for."""

from __future__ import annotations

import math
import re

_CODED = re.compile(r"(?P<kind>type|text|keys) of (?P<place>.+?) \((?P<codes>0 .*)\)")
_LETTER = re.compile(r"character -?\d+ of .+|largest character of .+")
_ENDS = re.compile(r"(?P<end>beginning|ending) of (?P<place>.+)")
_LONGEST = 2.0**53


def decoded(name: str, low: float, high: float) -> str | None:
    """The outputs whose column is at least `low` and less than `high`; None where its numbers are just numbers."""
    if low == -math.inf and high == math.inf:
        return None
    coded = _CODED.fullmatch(name)
    if coded is not None:
        return _chosen(coded, low, high)
    if _LETTER.fullmatch(name):
        return _letter(name, low, high)
    ends = _ENDS.fullmatch(name)
    if ends is not None and math.nextafter(low, math.inf) >= high and 0 < low < _LONGEST:
        return _spelled(ends, int(low))
    return None


def _chosen(coded: re.Match[str], low: float, high: float) -> str:
    """ "x is list or set" for the codes of a type, "kind is 'a'" for those of a text."""
    values = re.split(r", (?=\d+ |…)", coded["codes"])
    known = [value.partition(" ")[2] for value in values if value != "…"]
    inside = [value for code, value in enumerate(known) if low <= code < high]
    if high > len(known):
        inside += ["anything else"] if inside else ["something else than " + " or ".join(known)]
    place = f"the order of keys in {coded['place']}" if coded["kind"] == "keys" else coded["place"]
    return f"{place} is {' or '.join(inside) or 'nothing of the kind'}"


def _letter(name: str, low: float, high: float) -> str:
    """The characters from the first code not below `low` to the last one below `high`."""
    if math.isinf(low):
        return f"{name} comes before {_shown(math.ceil(high))}"
    if math.isinf(high):
        return f"{name} comes after {_shown(math.ceil(low) - 1)}"
    first, last = math.ceil(low), math.ceil(high) - 1
    return f"{name} is {_shown(first)}" if first >= last else f"{name} is {_shown(first)} to {_shown(last)}"


def _shown(number: int) -> str:
    """A character with its number: 'x' (120)."""
    return f"{chr(number)!r} ({number})" if 0 <= number < 0x110000 else str(number)


def _spelled(ends: re.Match[str], number: int) -> str | None:
    """The last or the first characters, of which a column holds the bytes as one number."""
    data = number.to_bytes(8, "big").lstrip(b"\0")
    text = data.decode("latin-1")
    if not text.isprintable():
        return None
    return f"{ends['place']} {'ends in' if ends['end'] == 'ending' else 'begins with'} {text!r}"
