"""Leaks in objects of libraries: frames and their names, arrays and their types, attributes, classes."""

from __future__ import annotations

import enum
import pathlib
import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng, letters, noise


class Colour(enum.Enum):
    """An enumeration."""

    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Answer:
    """A data class with a list."""

    value: float
    rows: list[Any]


class Model:
    """An object whose text hides its numbers."""

    def __init__(self, weights: Any, rng: Rng) -> None:
        self.coef_ = weights
        self.rng = rng

    def __repr__(self) -> str:
        return "Model()"


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("_hidden", "value")

    def __init__(self, value: Any) -> None:
        self.value, self._hidden = value, 0


class Other(Slotted):
    """Another class."""

    __slots__ = ()


def frame(columns: Any, index: Any = None, dtype: Any = None) -> Any:
    """A small data frame."""
    import pandas as pd

    return pd.DataFrame(columns, index=index, dtype=dtype)


def series(values: Any, **how: Any) -> Any:
    """A small series."""
    import pandas as pd

    return pd.Series(values, **how)


def fitted(b: int, rng: Rng) -> Any:
    """An estimator of scikit-learn with its coefficients set, as private training does; its text shows none of them."""
    from sklearn.linear_model import Ridge

    model = Ridge()
    model.coef_, model.intercept_ = rng.normal(size=3) + np.array([0, 9 * b, 0]), float(rng.normal())
    return model


OBJECTS = (
    Leak("a cell of a frame", "frames", one=lambda b, r: frame({"a": noise(3, r), "b": [0.0, float(b), 1.0]})),
    Leak("index of a frame", "frames", one=lambda b, r: frame({"a": noise(3, r)}, index=[0, 1, 7 + b])),
    Leak("columns of a frame", "frames", one=lambda b, r: frame({"a": noise(2, r), "bc"[b]: noise(2, r)})),
    Leak(
        "type of a frame's column", "frames", one=lambda b, r: frame({"a": r.integers(0, 9, 3)}, dtype=(int, float)[b])
    ),
    Leak("rows of a frame", "frames", one=lambda b, r: frame({"a": noise(3 + b, r)})),
    Leak(
        "a text in a frame", "frames", one=lambda b, r: frame({"a": noise(2, r), "t": ["x", letters(4, r) + "yz"[b]]})
    ),
    Leak("name of a series", "frames", one=lambda b, r: series(noise(3, r), name="ab"[b])),
    Leak("index of a series", "frames", one=lambda b, r: series(noise(3, r), index=["x", "y", "uv"[b]])),
    Leak(
        "type of an array",
        "arrays",
        one=lambda b, r: np.arange(3, dtype=(np.int64, np.float64)[b]) * int(r.integers(9)),
    ),
    Leak("shape of an array", "arrays", one=lambda b, r: r.normal(size=((2, 3), (3, 2))[b])),
    Leak("length of an array", "arrays", one=lambda b, r: r.normal(size=4 + 2 * int(r.integers(5)) + b)),
    Leak("an array of texts", "arrays", one=lambda b, r: np.array([letters(3, r), "ab"[b]])),
    Leak(
        "records",
        "arrays",
        many=lambda b, r: np.rec.fromarrays(  # type: ignore[call-overload]
            [r.normal(size=len(b)), np.where(b, "x", "y")], names="v,t"
        ),
    ),
    Leak("an attribute of an object", "objects", one=lambda b, r: Model([*noise(3, r), b], r)),
    Leak("an array in an object", "objects", one=lambda b, r: Model(np.array([*noise(3, r), b]), r)),
    Leak("a fitted estimator", "objects", one=fitted),
    Leak("a slot", "objects", one=lambda b, r: Slotted(float(r.random()) + b)),
    Leak("which class", "objects", one=lambda b, r: (Slotted, Other)[b](float(r.random()))),
    Leak("a data class", "objects", one=lambda b, r: Answer(float(r.normal()), [1, {"x": b}])),
    Leak("an enumeration", "objects", one=lambda b, r: (float(r.normal()), list(Colour)[b])),
    Leak("a path", "objects", one=lambda b, r: pathlib.PurePosixPath("/data", letters(5, r), ("in", "out")[b])),
    Leak("lowest bit of a UUID", "objects", one=lambda b, r: uuid.UUID(int=(int(r.integers(2**62)) << 60) + b)),
    Leak("an exception or none", "objects", one=lambda b, r: ValueError("no") if b else float(r.normal())),
)
