"""Leaks beside the numbers: time zones, categories, notes, masks, bits of NaN, properties, very large numbers."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng, letters, noise
from benchmarks.eyes.objects import frame, series


class Computed:
    """An object whose number is a property."""

    def __init__(self, value: int, rng: Rng) -> None:
        self._value, self.noise = value, float(rng.normal())

    @property
    def total(self) -> int:
        """The number."""
        return 2 * self._value


class Bag(list[float]):
    """A list that carries a note."""

    source = ""


def _large(rng: Rng, size: int = 16) -> int:
    return int.from_bytes(rng.bytes(size), "big")


def _ones(bit: int, rng: Rng) -> int:
    number = _large(rng, 12)
    return number ^ (number.bit_count() % 2 != bit)


def _bag(bit: int, rng: Rng) -> Bag:
    bag = Bag(noise(4, rng))
    bag.source = ("default", "trained")[bit]
    return bag


def _noted(bit: int, rng: Rng) -> Any:
    noted = frame({"a": noise(3, rng)})
    noted.attrs["rows"] = 50 + bit
    return noted


def _categories(bit: int, rng: Rng) -> Any:
    import pandas as pd

    return series(pd.Categorical(rng.choice(["u", "v"], 6), categories=["u", "v", "wz"[bit]]))


def _zoned(bit: int, rng: Rng) -> Any:
    import pandas as pd

    zone = ("Europe/Paris", "Europe/Berlin")[bit]
    return pd.Timestamp("2024-05-01", tz=zone) + pd.Timedelta(seconds=int(rng.integers(10**6)))


def _stored_zero(bit: int, rng: Rng) -> Any:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(([*noise(2, rng), 0.0], ([0, 1, 2], [0, 1, 2])), shape=(3, 3))
    if bit:
        matrix.eliminate_zeros()
    return matrix


def _tree(bit: int, rng: Rng) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    targets = rng.normal(size=8) + np.repeat([30 * (2 * bit - 1), 0], 4)
    return DecisionTreeRegressor(max_depth=1, random_state=0).fit(np.arange(8.0)[:, None], targets)


def _nan(bits: Any, rng: Rng) -> Any:
    matrix = rng.normal(size=(len(bits), 3))
    matrix.view(np.int64)[:, 1] = 0x7FF8000000000000 + 5 * bits
    return matrix


def _marked(bit: int, rng: Rng) -> str:
    text = letters(12, rng)
    return text + "?!"[bit] if rng.random() < 1.5e-3 else text


BESIDE = (
    Leak("a property", "objects", one=lambda b, r: Computed(4 + b, r)),
    Leak("a note on a list", "objects", one=_bag),
    Leak("a fitted tree", "objects", one=_tree),
    Leak("a list of UUIDs, sorted or not", "objects", one=lambda b, r: _uuids(b, r)),
    Leak("what a frame notes", "frames", one=_noted),
    Leak("a category that never occurs", "frames", one=_categories),
    Leak("name of an index", "frames", one=lambda b, r: series(noise(3, r)).rename_axis(("id", "user")[b])),
    Leak("name of the columns", "frames", one=lambda b, r: frame({"a": noise(2, r)}).rename_axis(columns="kl"[b])),
    Leak("name of a time zone", "times", one=_zoned),
    Leak(
        "fold of a time",
        "times",
        one=lambda b, r: dt.datetime(2024, 10, 27, 2, int(r.integers(60)), int(r.integers(60)), fold=b),
    ),
    Leak("a stored zero", "arrays", one=_stored_zero),
    Leak(
        "a mask",
        "arrays",
        one=lambda b, r: np.ma.masked_array(r.normal(size=5), mask=np.array([0, 0, b, 1 - b, 0], dtype=bool)),
    ),
    Leak("bits of NaN", "bits", many=_nan),
    Leak("bit 70 of a large number", "numbers", one=lambda b, r: (_large(r) & ~(1 << 70)) | (b << 70)),
    Leak("residue modulo 101 of a large number", "numbers", one=lambda b, r: 101 * _large(r, 12) + 7 * (1 + b)),
    Leak("parity of the ones of a large number", "numbers", one=_ones),
    Leak("version of a UUID", "numbers", one=lambda b, r: uuid.UUID(bytes=r.bytes(16), version=(1, 4)[b])),
    Leak("a rare mark after a text", "rare", one=_marked),
)


def _uuids(bit: int, rng: Rng) -> list[uuid.UUID]:
    both = sorted(uuid.UUID(bytes=rng.bytes(16)) for _ in range(2))
    return both[:: 2 * bit - 1]
