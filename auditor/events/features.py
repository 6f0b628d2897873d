"""Numbers that can be read off an output. A feature is a short text, so that events can be printed and stored.

`x`, `x[3]`, `x[1]-x[0]`, `sum`, `max`, `min`, `sorted[2]`, `bottoms`, `first bottom`, `first change`, `argmax`: the
values view. `low bit of x[0]`, `bits of x[0]`: the bits view, which sees the floating-point representation.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs

_BIT_ZERO = 2000.0  # the lowest set bit of 0.0, above every other


def low_bit(column: Floats) -> Floats:
    """The k for which a double is an odd multiple of 2^k; NaN stays NaN, 0 gets a value of its own."""
    bits = np.ascontiguousarray(column).view(np.int64)
    exponent = (bits >> 52) & 0x7FF
    mantissa = (bits & 0xFFFFFFFFFFFFF) | (np.minimum(exponent, 1) << 52)
    lowest = (mantissa & -mantissa).astype(np.float64)
    k = np.frexp(lowest)[1] + np.maximum(exponent, 1) - 1076.0
    k = np.where(mantissa == 0, _BIT_ZERO, k)
    return np.where(exponent == 0x7FF, np.nan, k)


def _bits(column: Floats) -> Floats:
    """Exponent and lowest set bit together, as one whole number."""
    exponent = np.frexp(column)[1].astype(np.float64)
    return 10_000 * exponent + low_bit(column)


def _first(mask: npt.NDArray[np.bool_]) -> Floats:
    """The position of the first True in each row; the row's length where there is none."""
    found = mask.any(axis=1)
    return np.asarray(np.where(found, mask.argmax(axis=1), mask.shape[1]), dtype=np.float64)


_WHOLE: dict[str, Callable[[Floats], Floats]] = {
    "sum": lambda m: np.nansum(m, axis=1),
    "max": lambda m: np.fmax.reduce(m, axis=1),
    "min": lambda m: np.fmin.reduce(m, axis=1),
    "range": lambda m: np.fmax.reduce(m, axis=1) - np.fmin.reduce(m, axis=1),
    "argmax": lambda m: np.where(np.isnan(m), -np.inf, m).argmax(axis=1).astype(np.float64),
    "bottoms": lambda m: np.isnan(m).sum(axis=1).astype(np.float64),
    "first bottom": lambda m: _first(np.isnan(m)),
    "first change": lambda m: _first(m != m[:, :1]),
    "lowest low bit": lambda m: np.fmin.reduce(np.stack([low_bit(m[:, j]) for j in range(m.shape[1])]), axis=0),
}

_COLUMN = re.compile(r"x\[(\d+)\]")
_FEATURE = re.compile(
    r"(low bit of |bits of )?x(\[\d+\](-x\[\d+\])?)?|sorted\[\d+\]|" + "|".join(map(re.escape, _WHOLE))
)


def column_of(outputs: Outputs, feature: str) -> Floats:
    """The feature's value for each output."""
    matrix = outputs.numbers
    if feature == "x" or feature == "x[0]":
        return _column(matrix, 0)
    if feature in _WHOLE:
        return _WHOLE[feature](matrix)
    if feature.startswith("low bit of "):
        return low_bit(column_of(outputs, feature[11:]))
    if feature.startswith("bits of "):
        return _bits(column_of(outputs, feature[8:]))
    if feature.startswith("sorted["):
        return np.sort(matrix, axis=1)[:, int(feature[7:-1])]
    indices = [int(index) for index in _COLUMN.findall(feature)]
    if len(indices) == 1 and feature == f"x[{indices[0]}]":
        return _column(matrix, indices[0])
    if len(indices) == 2 and feature == f"x[{indices[0]}]-x[{indices[1]}]":
        return _column(matrix, indices[0]) - _column(matrix, indices[1])
    raise ValueError(f"a feature must be one that auditor/events/features.py knows, got {feature!r:.60}")


def _column(matrix: Floats, index: int) -> Floats:
    if index >= matrix.shape[1]:
        return np.full(len(matrix), np.nan)
    return matrix[:, index]


def check(feature: object) -> str:
    """The feature, when it is a well-formed one."""
    if not isinstance(feature, str) or len(feature) > 60:
        raise ValueError(f"a feature must be a short text, got {feature!r:.60}")
    if not _FEATURE.fullmatch(feature):
        raise ValueError(f"a feature must be one that auditor/events/features.py knows, got {feature!r}")
    return feature


def values_features(outputs: Outputs) -> list[str]:
    """The features of the values view that matter for these outputs, the plain ones first."""
    width = outputs.numbers.shape[1]
    if outputs.scalar:
        return ["x"]
    missing = np.isnan(outputs.numbers)
    seen = np.flatnonzero(~missing.all(axis=0))
    columns = [f"x[{j}]" for j in seen[:64]]
    width = int(seen[-1]) + 1 if len(seen) else 0
    if width < 2:
        return columns
    near = [f"x[{j + 1}]-x[{j}]" for j in range(min(width - 1, 16))]
    far = [f"x[{j}]-x[0]" for j in range(2, min(width, 8))]
    order = [f"sorted[{width // 2}]"] if 2 < width <= 64 else []  # min and max are there anyway
    whole = ["sum", "max", "min", "range", "argmax"]
    if missing.any():
        whole += ["bottoms", "first bottom"]
        order = []
    if width > 2:
        whole.append("first change")
    return columns + whole + near + far + order


def bits_features(outputs: Outputs) -> list[str]:
    """The features of the bits view: none unless the outputs are floating-point numbers."""
    if not outputs.floating:
        return []
    if outputs.scalar:
        return ["low bit of x", "bits of x"]
    width = outputs.numbers.shape[1]
    columns = [f"low bit of x[{j}]" for j in range(min(width, 16))]
    return columns + (["lowest low bit"] if 1 < width <= 64 else [])
