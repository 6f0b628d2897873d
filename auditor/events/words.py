"""Features and their ranges in words that need no glossary; `names` are those of an output's numbers, if it has any."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from auditor.events.codes import decoded, in_text, nth
from auditor.events.features import EYE

_COLUMN = re.compile(r"x\[(\d+)\]")
_SORTED = re.compile(r"sorted\[\d+\]")
_CODES = re.compile(r" \(0 .*\)$")
_BITS = 10_000  # features.py: exponent times this, plus the lowest set bit
_OTHERS = {
    "payload": "the bits of the NaN in place",
    "log": "the logarithm",
    "fraction": "the fractional part, counted upwards,",
}
_ZERO = 2000.0  # features.py: the lowest set bit of 0
_WHOLE = {
    "sum": "the sum of all numbers",
    "max": "the largest number",
    "min": "the smallest number",
    "range": "the largest number minus the smallest",
    "argmax": "the index of the largest number",
    "bottoms": "the number of missing values (⊥)",
    "first bottom": "the index of the first missing value (⊥)",
    "first change": "the index of the first number unlike x[0]",
    "lowest low bit": "the lowest binary digit in use",
    "negative zeros": "the number of zeros with a minus sign",
    "norm": "the root of the sum of squares",
    "size": "the sum of all absolute numbers",
    "distinct": "the number of different numbers",
    "alike": "the number of neighbours that are equal",
    "positive": "the number of positive numbers",
}


def feature_words(feature: str, names: Sequence[str] = ()) -> str:
    """A feature in words: `x[1]-x[0]` of a record with the fields age and pay is "pay - age"."""
    if _SORTED.fullmatch(feature):
        return f"the {nth(int(feature[7:-1]) + 1)} smallest number"
    for bits, words in (("low bit of ", "the last binary digit of "), ("bits of ", "size, last binary digit of ")):
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


def title(feature: str, names: Sequence[str] = ()) -> str:
    """A feature in a list or beside an axis: what the codes of a column stand for is left out."""
    return in_text(_CODES.sub("", feature_words(feature, names)))


def _column_words(text: str, names: Sequence[str]) -> str:
    return _COLUMN.sub(lambda found: _named(int(found[1]), names), text)


def _eye_words(eye: re.Match[str], names: Sequence[str]) -> str:
    """What is looked at in one number: "x modulo 10", "byte 2 of the mantissa of x"."""
    words = feature_words(eye["of"], names)
    power = int(eye["decimals"] or 0)
    if power > 0:
        words = f"{10**power} {words}" + (", rounded," if eye["bits"] != "fraction" else "")
    elif power < 0:
        words = f"{words} / {10**-power:,}, rounded down,"
    if eye["mod"]:
        words = f"{words} modulo {eye['mod']}"
    if eye["bits"]:
        words = f"{_bits_words(eye['bits'])} of {words}"
    return words


def _bits_words(kind: str) -> str:
    """Which part of a double is looked at."""
    if kind.startswith("mantissa"):
        return f"byte {kind[-1]} of the mantissa"
    if kind in _OTHERS:
        return _OTHERS[kind]
    return f"the {kind}" if kind.endswith("t") else kind


def _named(index: int, names: Sequence[str]) -> str:
    name = names[index] if index < len(names) else f"x[{index}]"
    return name.replace("values.", "", 1) if name.startswith("values.") or " of values." in name else name


def decoded_column(feature: str, names: Sequence[str]) -> bool:
    """Whether a column's numbers stand for something else, so that smaller and larger mean nothing."""
    return decoded(feature_words(feature, names), 0.0, 1.0) is not None


def equal(feature: str, value: float, names: Sequence[str] = ()) -> str:
    """One value of a feature: "age = 3", and what a code stands for."""
    name = feature_words(feature, names)
    return decoded(name, value, math.nextafter(value, math.inf)) or f"{in_text(name)} = {value:.6g}"


def within(feature: str, low: float, high: float, names: Sequence[str] = ()) -> str:
    """The outputs whose feature is at least `low` and less than `high`."""
    if feature.startswith(("low bit of ", "bits of ")):
        kind, _, remaining = feature.partition(" of ")
        return _BINARY[kind](feature_words(remaining, names), _whole(low), _whole(high) - 1)
    if feature.startswith("sign bit of "):
        return _sign(feature_words(feature.removeprefix("sign bit of "), names), low <= 0, high > 1)
    name = feature_words(feature, names)
    plain = decoded(name, low, high)
    if plain is not None:
        return plain
    name = in_text(name)
    if math.nextafter(low, math.inf) == high:
        return f"{name} = {low:.6g}"
    if low == -math.inf and high == math.inf:
        return f"{name} is a number"
    (at, above), (to, up_to) = _plain_edge(low), _plain_edge(high)  # "above" and "up to": an edge just above a number
    if low == -math.inf:
        return f"{name} <{'=' if up_to else ''} {to:.6g}"
    if high == math.inf:
        return f"{name} >{'' if above else '='} {at:.6g}"
    return f"{at:.6g} <{'' if above else '='} {name} <{'=' if up_to else ''} {to:.6g}"


def _plain_edge(edge: float) -> tuple[float, bool]:
    """The edge; where it is the double just above a plainer number, that number, and True."""
    below = math.nextafter(edge, -math.inf)
    return (below, True) if len(repr(float(below))) < len(repr(float(edge))) else (edge, False)


def _sign(name: str, positive: bool, negative: bool) -> str:
    if positive and negative:
        return f"{name} is a number"
    return f"{name} has a minus sign (-0.0 has one, too)" if negative else f"{name} has no minus sign"


def ranges(name: str, parts: Sequence[tuple[float, float]], most: int = 4) -> str:
    """Many stretches of one feature: "x is below 16, 32 to 48, 64 to 80 or in 5 more ranges"."""
    texts = []
    for low, high in parts[:most]:
        (at, above), (to, up_to) = _plain_edge(low), _plain_edge(high)
        if math.nextafter(low, math.inf) == high:
            texts.append(f"{low:.6g}")
        elif low == -math.inf:
            texts.append(f"{'at most' if up_to else 'below'} {to:.6g}")
        elif high == math.inf:
            texts.append(f"{'above' if above else 'from'} {at:.6g}")
        else:
            texts.append(f"{at:.6g} to {to:.6g}")
    remaining = len(parts) - most
    texts += [f"in {remaining} more ranges" if remaining > 1 else "in one more range"] if remaining > 0 else []
    return f"{name} is {', '.join(texts[:-1])} or {texts[-1]}"


def compared(feature: str, op: str, at: float, names: Sequence[str] = ()) -> str:
    """The outputs whose feature is `op` (<= or >=) a number."""
    if feature.startswith(("low bit of ", "bits of ", "sign bit of ")):
        return within(feature, at, math.inf, names) if op == ">=" else within(feature, -math.inf, at + 1, names)
    name = feature_words(feature, names)
    ends = (at, math.inf) if op == ">=" else (-math.inf, math.nextafter(at, math.inf))
    return decoded(name, *ends) or f"{in_text(name)} {op} {at:.6g}"


def _whole(edge: float) -> float:
    return math.ceil(edge) if math.isfinite(edge) else edge


def _low_bit(name: str, first: float, last: float) -> str:
    """A double is a multiple of 2^k exactly when its lowest set bit is k or higher."""
    if first == last == _ZERO:
        return f"{name} = 0"
    if first == last:
        return f"{name} is an odd multiple of {_power(first)}"
    if first == -math.inf:
        return f"{name} is no {_multiple(last + 1)}" if last < _ZERO else f"{name} is a number"
    if last >= _ZERO:
        return f"{name} is a {_multiple(first)}"
    return f"{name} is a {_multiple(first)} but no {_multiple(last + 1)}"


def _multiple(power: float) -> str:
    return "whole number" if power == 0 else f"multiple of {_power(power)}"


def _power(exponent: float) -> str:
    """A power of 2 as a number where that is short."""
    return f"{2.0**exponent:g}" if -4 <= exponent <= 10 else f"2^{exponent:.0f}"


def _bits(name: str, first: float, last: float) -> str:
    """Size and last binary digit as one number: of 9999 the size is below 2^1, and the last digit is 2^-1."""
    if not math.isfinite(first) or not math.isfinite(last):
        end = last if math.isfinite(last) else first
        side = "up to" if math.isfinite(last) else "from"
        return f"{name} is a number" if math.isinf(end) else f"|{name}| {side} about {_power(_split(end)[0])}"
    (low, lowest), (high, highest) = _split(first), _split(last)
    if first == last == _ZERO:
        return f"{name} = 0"
    size = f"{_power(low - 1)} <= |{name}| < {_power(high)}"
    if low != high:
        return size
    return f"{size} and {_low_bit(name, lowest, highest)}"


def reads_digits(feature: str) -> bool:
    """Whether a feature's numbers are places of binary digits, which have no axis of their own but names."""
    return feature.startswith(("low bit of ", "bits of ", "sign bit of ")) or feature == "lowest low bit"


def mark(feature: str, text: str) -> str:
    """How a value of a feature is written beside an axis: the digit -52 as 2^-52, and size and digit as two powers."""
    if not reads_digits(feature) or not re.fullmatch(r"-?\d+", text):
        return text
    if feature.startswith("sign bit of "):
        return "minus" if text == "1" else "plus"
    if int(text) == _ZERO:
        return "0"
    if not feature.startswith("bits of "):
        return f"2^{text}"
    exponent, digit = _split(float(text))
    return f"2^{exponent - 1:.0f}, 2^{digit:.0f}"


def _split(code: float) -> tuple[float, float]:
    exponent = math.floor((code + _BITS / 2) / _BITS)
    return exponent, code - _BITS * exponent


_BINARY = {"low bit": _low_bit, "bits": _bits}
