"""Columns whose numbers stand for something else (types, texts, characters), in words of what they stand for."""

from __future__ import annotations

import math
import re

_CODED = re.compile(r"(?P<kind>type|text|keys) of (?P<place>.+?) \((?P<codes>0 .*)\)")
_PART = re.compile(r"(?P<what>character|number) (?P<place>-?\d+) of (?P<text>.+)")
_COUNT = re.compile(r"count of (?P<what>.+) of (?P<text>.+)")
_LETTER = re.compile(r"the (?:last|\w+(?: last)?) character of .+")
_PRESENCE = re.compile(r"word (?P<word>.+) of (?P<text>.+)|(?P<element>.+) in (?P<set>\S+)")
_ENDS = re.compile(r"(?P<end>beginning|ending) of (?P<place>.+)")
_LONGEST = 2.0**53


def in_text(name: str) -> str:
    """The name of a column of a text as people count: "character 4 of x" is "the 5th character of x"."""
    part, count = _PART.fullmatch(name), _COUNT.fullmatch(name)
    if count is not None:
        return f"the number of {count['what']} in {count['text']}"
    if part is None:
        return name
    place, between = int(part["place"]), "of" if part["what"] == "character" else "in"
    which = nth(place + 1) if place >= 0 else "last" if place == -1 else f"{nth(-place)} last"
    return f"the {which} {part['what']} {between} {part['text']}"


def nth(number: int) -> str:
    """1st, 2nd, 3rd, 4th, …"""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def decoded(name: str, low: float, high: float) -> str | None:
    """The outputs whose column is at least `low` and less than `high`; None where its numbers are just numbers."""
    if low == -math.inf and high == math.inf:
        return None
    coded = _CODED.fullmatch(name)
    if coded is not None:
        return _chosen(coded, low, high)
    if _LETTER.fullmatch(in_text(name)):
        return _letter(in_text(name), low, high)
    there = _PRESENCE.fullmatch(name)
    if there is not None and (low <= 0 < high) != (low <= 1 < high):
        return _present(there, low <= 1 < high)
    ends = _ENDS.fullmatch(name)
    if ends is not None and math.nextafter(low, math.inf) >= high and 0 < low < _LONGEST:
        return _spelled(ends, int(low))
    return None


def other_than(name: str, value: float) -> str | None:
    """The outputs whose column has another value; None where its numbers are just numbers."""
    this = decoded(name, value, math.nextafter(value, math.inf))
    return None if this is None or " is " not in this else " is not ".join(this.rsplit(" is ", 1))


def _chosen(coded: re.Match[str], low: float, high: float) -> str:
    """ "x is list or set" for the codes of a type, "kind is 'a'" for those of a text."""
    values = re.split(r", (?=\d+ |…)", coded["codes"])
    known = [value.partition(" ")[2] for value in values if value != "…"]
    inside = [value for code, value in enumerate(known) if low <= code < high]
    if high > len(known):
        inside += ["anything else"] if inside else ["something else than " + " or ".join(known)]
    place = f"the order of keys in {coded['place']}" if coded["kind"] == "keys" else coded["place"]
    return f"{place} is {' or '.join(inside) or 'nothing of the kind'}"


def _present(there: re.Match[str], present: bool) -> str:
    """A word of a text, or an element of a set, of which a column holds 1 where it is there and 0 where not."""
    what, where = there["word"] or there["element"], there["text"] or there["set"]
    return f"{what} is {'' if present else 'not '}in {where}"


def _letter(name: str, low: float, high: float) -> str:
    """The characters from the first code not below `low` to the last one below `high`."""
    if math.isinf(low):
        return f"{name} comes before {_shown(math.ceil(high))}"
    if math.isinf(high):
        return f"{name} comes after {_shown(math.ceil(low) - 1)}"
    first, last = math.ceil(low), math.ceil(high) - 1
    return f"{name} is {_shown(first)}" if first >= last else f"{name} is {_shown(first)} to {_shown(last)}"


def _shown(number: int) -> str:
    """The character with this number."""
    return repr(chr(number)) if 0 <= number < 0x110000 else str(number)


def _spelled(ends: re.Match[str], number: int) -> str | None:
    """The last or the first characters, of which a column holds the bytes as one number."""
    data = number.to_bytes(8, "big").lstrip(b"\0")
    text = data.decode("latin-1")
    if not text.isprintable():
        return None
    return f"{ends['place']} {'ends in' if ends['end'] == 'ending' else 'begins with'} {text!r}"
