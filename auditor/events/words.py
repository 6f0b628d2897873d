"""Features and their ranges in words that need no glossary; `names` are those of an output's numbers, if it has any."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from auditor.events.codes import decoded
from auditor.events.features import EYE

_COLUMN = re.compile(r"x\[(\d+)\]")
_BITS = 10_000  # features.py: exponent times this, plus the lowest set bit
_ZERO = 2000.0  # features.py: the lowest set bit of 0
_WHOLE = {
    "sum": "the sum of all numbers",
    "max": "the largest number",
    "min": "the smallest number",
    "range": "the largest number minus the smallest",
    "argmax": "the index of the largest number",
    "bottoms": "the number of ⊥",
    "first bottom": "the index of the first ⊥",
    "first change": "the index of the first number unlike x[0]",
    "lowest low bit": "the lowest binary digit in use",
    "norm": "the root of the sum of squares",
    "size": "the sum of all absolute numbers",
    "distinct": "the number of different numbers",
    "alike": "the number of neighbours that are equal",
    "positive": "the number of positive numbers",
}


def feature_words(feature: str, names: Sequence[str] = ()) -> str:
    """A feature in words: `x[1]-x[0]` of a record with the fields age and pay is "pay - age"."""
    if feature.startswith("sorted["):
        return f"the number with {feature[7:-1]} smaller ones"
    for bits, words in (("low bit of ", "the last binary digit of "), ("bits of ", "size and last binary digit of ")):
        if feature.startswith(bits):
            return words + feature_words(feature.removeprefix(bits), names)
    if feature in _WHOLE:
        return _WHOLE[feature]
    eye = EYE.fullmatch(feature)
    if eye is not None and (eye["bits"] or eye["mod"]):
        return _eye_words(eye, names)
    if feature == "x" and len(names) == 1:
        return names[0]
    for sign, between in (("-", " - "), ("+", " + "), ("*", " times ")):
        first, found, second = feature.partition(sign)
        if found:
            return between.join(_column_words(part, names) for part in (first, second))
    return _column_words(feature, names)


def _column_words(text: str, names: Sequence[str]) -> str:
    return _COLUMN.sub(lambda found: _named(int(found[1]), names), text)


def _eye_words(eye: re.Match[str], names: Sequence[str]) -> str:
    """What is looked at in one number: "x modulo 10", "byte 2 of the mantissa of x"."""
    words = feature_words(eye["of"], names)
    if eye["decimals"]:
        words = f"{10 ** int(eye['decimals'])} {words}, rounded,"
    if eye["mod"]:
        words = f"{words} modulo {eye['mod']}"
    if eye["bits"]:
        words = f"{_bits_words(eye['bits'])} of {words}"
    return words


def _bits_words(kind: str) -> str:
    """Which part of a double is looked at."""
    if kind.startswith("mantissa"):
        return f"byte {kind[-1]} of the mantissa"
    return f"the {kind}" if kind.endswith("t") else kind


def _named(index: int, names: Sequence[str]) -> str:
    name = names[index] if index < len(names) else f"x[{index}]"
    return name.replace("values.", "", 1) if name.startswith("values.") or " of values." in name else name


def within(feature: str, low: float, high: float, names: Sequence[str] = ()) -> str:
    """The outputs whose feature is at least `low` and less than `high`."""
    if feature.startswith(("low bit of ", "bits of ")):
        kind, _, rest = feature.partition(" of ")
        return _BINARY[kind](feature_words(rest, names), _whole(low), _whole(high) - 1)
    name = feature_words(feature, names)
    plain = decoded(name, low, high)
    if plain is not None:
        return plain
    at_most, above = math.nextafter(high, -math.inf), math.nextafter(low, -math.inf)
    if low == -math.inf and len(repr(float(at_most))) < len(repr(float(high))):  # an edge just above a plain number
        return f"{name} <= {at_most:.6g}"
    if high == math.inf and len(repr(float(above))) < len(repr(float(low))):
        return f"{name} > {above:.6g}"
    if math.nextafter(low, math.inf) == high:
        return f"{name} = {low:.6g}"
    if low == -math.inf:
        return f"{name} < {high:.6g}" if high < math.inf else f"{name} is any number"
    return f"{name} >= {low:.6g}" if high == math.inf else f"{low:.6g} <= {name} < {high:.6g}"


def ranges(name: str, parts: Sequence[tuple[float, float]], most: int = 4) -> str:
    """Many stretches of one feature: "x is below 16, 32 to 48, 64 to 80 or in 5 more ranges"."""
    texts = []
    for low, high in parts[:most]:
        if math.nextafter(low, math.inf) == high:
            texts.append(f"{low:.6g}")
        elif low == -math.inf:
            texts.append(f"below {high:.6g}")
        else:
            texts.append(f"from {low:.6g}" if high == math.inf else f"{low:.6g} to {high:.6g}")
    rest = len(parts) - most
    texts += [f"in {rest} more ranges" if rest > 1 else "in one more range"] if rest > 0 else []
    return f"{name} is {', '.join(texts[:-1])} or {texts[-1]}"


def compared(feature: str, op: str, at: float, names: Sequence[str] = ()) -> str:
    """The outputs whose feature is `op` (<= or >=) a number."""
    if feature.startswith(("low bit of ", "bits of ")):
        return within(feature, at, math.inf, names) if op == ">=" else within(feature, -math.inf, at + 1, names)
    name = feature_words(feature, names)
    ends = (at, math.inf) if op == ">=" else (-math.inf, math.nextafter(at, math.inf))
    return decoded(name, *ends) or f"{name} {op} {at:.6g}"


def _whole(edge: float) -> float:
    return math.ceil(edge) if math.isfinite(edge) else edge


def _low_bit(name: str, first: float, last: float) -> str:
    """A double is a multiple of 2^k exactly when its lowest set bit is k or higher."""
    if first == last == _ZERO:
        return f"{name} = 0"
    if first == last:
        return f"the last binary digit of {name} is 2^{first:.0f}"
    if first == -math.inf:
        return f"{name} is no multiple of 2^{last + 1:.0f}" if last < _ZERO else f"{name} is any number"
    if last >= _ZERO:
        return f"{name} is a multiple of 2^{first:.0f}"
    return f"the last binary digit of {name} is 2^{first:.0f} to 2^{last:.0f}"


def _bits(name: str, first: float, last: float) -> str:
    """Size and last binary digit as one number: of 9999 the size is below 2^1, and the last digit is 2^-1."""
    if not math.isfinite(first) or not math.isfinite(last):
        end = last if math.isfinite(last) else first
        side = "up to" if math.isfinite(last) else "from"
        return f"{name} is any number" if math.isinf(end) else f"|{name}| {side} about 2^{_split(end)[0]:.0f}"
    (low, lowest), (high, highest) = _split(first), _split(last)
    if first == last == _ZERO:
        return f"{name} = 0"
    size = f"2^{low - 1:.0f} <= |{name}| < 2^{high:.0f}"
    if low != high:
        return size
    digits = f"is 2^{lowest:.0f}" if first == last else f"is 2^{lowest:.0f} to 2^{highest:.0f}"
    return f"{size} and its last binary digit {digits}"


def _split(code: float) -> tuple[float, float]:
    exponent = math.floor((code + _BITS / 2) / _BITS)
    return exponent, code - _BITS * exponent


_BINARY = {"low bit": _low_bit, "bits": _bits}
