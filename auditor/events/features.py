"""Numbers that can be read off an output. A feature is a short text, so that events can be printed and stored.

`x`, `x[3]`, `x[1]-x[0]`, `x[1]+x[0]`, `x[1]*x[0]`, `sum`, `max`, `norm`, `sorted[2]`, `bottoms`, …: the values view.
`log of x[3]` is the logarithm of its size. Of whole numbers also `x mod 10`, `byte 0 of x`; of those with few decimals
`x e2 mod 10`, the residue of 100 x, and of large ones `x e-3 mod 10`, a digit; of others `x mod 1`, what follows the
point, and `fraction of x e2`, by how much 100 x passes the whole number below it.
`low bit of x[0]`, `bits of x[0]`, `mantissa byte 3 of x`, `sign bit of x`, `payload of x` (what the bits of a NaN say):
the bits view, which sees the floating-point representation.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs

_MANTISSA = 0xFFFFFFFFFFFFF  # the bits of a double that hold it
_BIT_ZERO = 2000.0  # the lowest set bit of 0.0, above every other


def low_bit(column: Floats) -> Floats:
    """The k for which a double is an odd multiple of 2^k; NaN stays NaN, 0 gets a value of its own."""
    bits = np.ascontiguousarray(column).view(np.int64)
    exponent = (bits >> 52) & 0x7FF
    mantissa = (bits & _MANTISSA) | (np.minimum(exponent, 1) << 52)
    lowest = (mantissa & -mantissa).astype(np.float64)
    k = np.frexp(lowest)[1] + np.maximum(exponent, 1) - 1076.0
    k = np.where(mantissa == 0, _BIT_ZERO, k)
    return np.where(exponent == 0x7FF, np.nan, k)


def exponent_and_low_bit(column: Floats) -> Floats:
    """Exponent and lowest set bit together, as one whole number."""
    exponent = np.frexp(column)[1].astype(np.float64)
    return 10_000 * exponent + low_bit(column)


def _first(mask: npt.NDArray[np.bool_]) -> Floats:
    """The position of the first True in each row; the row's length where there is none."""
    found = mask.any(axis=1)
    return np.asarray(np.where(found, mask.argmax(axis=1), mask.shape[1]), dtype=np.float64)


def _distinct(matrix: Floats) -> Floats:
    """How many different numbers a row has."""
    ordered = np.sort(matrix, axis=1)
    return np.asarray((ordered[:, 1:] > ordered[:, :-1]).sum(axis=1) + ~np.isnan(ordered[:, 0]), dtype=np.float64)


def _alike(matrix: Floats) -> Floats:
    """How often neighbours in a row are equal."""
    return np.asarray((matrix[:, 1:] == matrix[:, :-1]).sum(axis=1), dtype=np.float64)


_WHOLE: dict[str, Callable[[Floats], Floats]] = {
    "sum": lambda m: np.nansum(m, axis=1),
    "max": lambda m: np.fmax.reduce(m, axis=1),
    "min": lambda m: np.fmin.reduce(m, axis=1),
    "range": lambda m: np.fmax.reduce(m, axis=1) - np.fmin.reduce(m, axis=1),
    "argmax": lambda m: np.where(np.isnan(m), -np.inf, m).argmax(axis=1).astype(np.float64),
    "norm": lambda m: np.sqrt(np.nansum(m * m, axis=1)),
    "size": lambda m: np.nansum(np.abs(m), axis=1),
    "distinct": lambda m: _distinct(m),
    "alike": lambda m: _alike(m),
    "positive": lambda m: (m > 0).sum(axis=1).astype(np.float64),
    "bottoms": lambda m: np.isnan(m).sum(axis=1).astype(np.float64),
    "first bottom": lambda m: _first(np.isnan(m)),
    "first change": lambda m: _first(m != m[:, :1]),
    "negative zeros": lambda m: ((m == 0) & np.signbit(m)).sum(axis=1).astype(np.float64),
    "lowest low bit": lambda m: np.fmin.reduce(np.stack([low_bit(m[:, j]) for j in range(m.shape[1])]), axis=0),
}

_COLUMN = re.compile(r"x\[(\d+)\]")
_PLAIN = r"(?:x(?:\[\d+\](?:[-+*]x\[\d+\])?)?|sorted\[\d+\]|" + "|".join(map(re.escape, _WHOLE)) + ")"
EYE = re.compile(
    rf"(?:(?P<bits>low bit|bits|sign bit|payload|log|fraction|byte \d|mantissa byte \d) of )?(?P<of>{_PLAIN})"
    r"(?: e(?P<decimals>-?\d{1,2}))?(?: mod (?P<mod>\d{1,8}))?"
)


def column_of(outputs: Outputs, feature: str) -> Floats:
    """The feature's value for each output."""
    found = EYE.fullmatch(feature)
    if found is None:
        raise ValueError(f"a feature must be one that auditor/events/features.py knows, got {feature!r:.60}")
    column = _plain(outputs, found["of"])
    if found["bits"] == "fraction":
        return fraction(column, int(found["decimals"] or 0))
    if found["decimals"]:
        power = int(found["decimals"])
        column = np.round(column * 10.0**power) if power >= 0 else np.floor(np.abs(column) / 10.0**-power)
    if found["mod"]:
        column = np.fmod(np.abs(column), float(found["mod"]))
    bits = found["bits"]
    if bits is None:
        return column
    if bits in _BITS:
        return _BITS[bits](column)
    of = mantissa_byte if bits.startswith("mantissa") else byte
    return of(column, int(bits[-1]))


def in_bits(feature: str) -> bool:
    """Whether a feature looks at the floating-point representation."""
    found = EYE.fullmatch(feature)
    return feature in ("lowest low bit", "negative zeros") or bool(
        found and found["bits"] and not found["bits"].startswith(_VALUES)
    )


def _plain(outputs: Outputs, feature: str) -> Floats:
    matrix = outputs.numbers
    if feature == "x" or feature == "x[0]":
        return _column(matrix, 0)
    if feature in _WHOLE:
        values = matrix[:, : outputs.form.values]
        return _WHOLE[feature](values if values.shape[1] else np.full((len(matrix), 1), np.nan))
    if feature.startswith("sorted["):
        return np.sort(matrix[:, : outputs.form.values], axis=1)[:, int(feature[7:-1])]
    indices = [int(index) for index in _COLUMN.findall(feature)]
    first = _column(matrix, indices[0])
    if len(indices) == 1:
        return first
    second, sign = _column(matrix, indices[1]), feature[feature.index("]") + 1]
    return first - second if sign == "-" else first + second if sign == "+" else first * second


def fraction(column: Floats, decimals: int) -> Floats:
    """By how much a number times a power of ten passes the whole number below it."""
    scaled = column * 10.0**decimals
    return np.asarray(scaled - np.floor(scaled))


def byte(column: Floats, index: int) -> Floats:
    """Eight bits of a whole number; NaN where it is none, or larger than a double holds exactly."""
    whole = np.abs(column)
    fits = (whole <= 2.0**53) & (np.floor(whole) == whole)
    return np.where(fits, (np.where(fits, whole, 0.0).astype(np.int64) >> (8 * index)) & 255, np.nan)


def mantissa_byte(column: Floats, index: int) -> Floats:
    """Eight bits of a double's mantissa, from the lowest; NaN where it is no number."""
    bits = np.ascontiguousarray(column).view(np.int64)
    return np.where(np.isfinite(column), ((bits & _MANTISSA) >> (8 * index)) & 255, np.nan)


def sign_bit(column: Floats) -> Floats:
    """1 where a double's sign bit is set, also that of -0.0."""
    return np.where(np.isnan(column), np.nan, np.signbit(column))


def payload(column: Floats) -> Floats:
    """What the bits of a NaN say beside that it is one: its low 52 bits, below 0 where its sign is set; else NaN."""
    bits = np.ascontiguousarray(column).view(np.int64)
    held = (bits & _MANTISSA).astype(np.float64)
    return np.where(np.isnan(column), np.where(bits < 0, -held, held), np.nan)


_BITS: dict[str, Callable[[Floats], Floats]] = {
    "low bit": low_bit,
    "bits": exponent_and_low_bit,
    "sign bit": sign_bit,
    "payload": payload,
    "log": lambda column: np.log(np.abs(column)),
}
_VALUES = ("byte", "log", "fraction")  # what of these is no matter of the representation


def _column(matrix: Floats, index: int) -> Floats:
    if index >= matrix.shape[1]:
        return np.full(len(matrix), np.nan)
    return matrix[:, index]


def checked_feature(feature: object) -> str:
    """The feature, when it is a well-formed one."""
    if not isinstance(feature, str) or len(feature) > 60:
        raise ValueError(f"a feature must be a short text, got {feature!r:.60}")
    if not EYE.fullmatch(feature):
        raise ValueError(f"a feature must be one that auditor/events/features.py knows, got {feature!r}")
    return feature


def values_features(outputs: Outputs) -> list[str]:
    """The features of the values view that are always looked at, the plain ones first."""
    width = outputs.numbers.shape[1]
    if outputs.scalar:
        return ["x"]
    missing = np.isnan(outputs.numbers[:, : outputs.form.values])
    seen = np.flatnonzero(~missing.all(axis=0))
    columns = [f"x[{j}]" for j in seen[:64]]
    others = [f"x[{j}]" for j in range(outputs.form.values, min(width, outputs.form.values + 64))]
    width = int(seen[-1]) + 1 if len(seen) else 0
    if width < 2:
        return columns + others
    near = [f"x[{j + 1}]-x[{j}]" for j in range(min(width - 1, 16))]
    far = [f"x[{j}]-x[0]" for j in range(2, min(width, 8))]
    order = [f"sorted[{width // 2}]"] if 2 < width <= 64 else []  # min and max are there anyway
    whole = ["sum", "max", "min", "range", "argmax"]
    if missing.any():
        whole += ["bottoms", "first bottom"]
        order = []
    if width > 2:
        whole.append("first change")
    return columns + whole + near + far + order + others


def bits_features(outputs: Outputs) -> list[str]:
    """The features of the bits view that are always looked at: none unless there are floating-point numbers."""
    if not outputs.floating:
        return []
    width = outputs.form.values
    zeros = outputs.numbers[:, :width] == 0
    signed = ["negative zeros"] if zeros.any() and np.signbit(outputs.numbers[:, :width][zeros]).any() else []
    if outputs.scalar:
        return ["low bit of x", "bits of x", *signed]
    columns = [f"low bit of x[{j}]" for j in range(min(width, 16))]
    return columns + (["lowest low bit"] if 1 < width <= 64 else []) + signed
