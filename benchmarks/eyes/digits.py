"""Leaks in the digits of numbers: some of their residues, a digit in the middle, what follows the point, a rare bit."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import numpy as np

from benchmarks.eyes.leak import Leak, Rng


class _Pair(NamedTuple):
    first: float
    second: int


class Noted(_Pair):
    """A named tuple that carries a note."""

    note = 0


def _rounded(bits: Any, rng: Rng) -> Any:
    numbers = np.round(rng.normal(0, 0.6, len(bits)))
    return np.where(bits == 1, numbers, numbers + 0.0)


def _seldom_odd(bits: Any, rng: Rng) -> Any:
    return 2 * rng.integers(0, 10**6, len(bits)) + (bits == 1) * (rng.random(len(bits)) < 0.03)


def _half_modulo_31(bits: Any, rng: Rng) -> Any:
    return 31 * rng.integers(0, 10**6, len(bits)) + rng.integers(0, 15, len(bits)) + 15 * bits


def _thousands(bits: Any, rng: Rng) -> Any:
    n = len(bits)
    return 10**4 * rng.integers(0, 10**6, n) + 10**3 * (2 * rng.integers(0, 5, n) + bits) + rng.integers(0, 10**3, n)


def _fraction(bits: Any, rng: Rng, scale: float = 1.0) -> Any:
    return (rng.integers(-50_000, 50_000, len(bits)) + (rng.random(len(bits)) + bits) / 2) / scale


def _second_decimal(bits: Any, rng: Rng) -> Any:
    n = len(bits)
    return rng.integers(-1000, 1000, n) / 10 + (2 * rng.integers(0, 5, n) + bits + rng.random(n)) / 100


def _by_size(bits: Any, rng: Rng, place: int) -> Any:
    rows = rng.integers(0, 10**6, (len(bits), 9))
    each = np.arange(len(bits)), np.argsort(rows, axis=1)[:, place]
    rows[each] = rows[each] // 2 * 2 + bits
    return rows


def _weekend(bit: int, rng: Rng) -> str:
    monday = dt.date(2000, 1, 3) + dt.timedelta(weeks=int(rng.integers(1200)))
    day = monday + dt.timedelta(days=int(rng.integers(5, 7) if bit else rng.integers(5)))
    return f"seen on {day.isoformat()}"


def _noted(bit: int, rng: Rng) -> Noted:
    noted = Noted(float(rng.normal()), int(rng.integers(5)))
    noted.note = 7 + bit
    return noted


DIGITS = (
    Leak("a zero with a minus sign among rounded numbers", "bits", many=_rounded),
    Leak("odd in three of a hundred", "numbers", many=_seldom_odd),
    Leak("half of the residues modulo 31", "numbers", many=_half_modulo_31),
    Leak("parity of the thousands digit", "numbers", many=_thousands),
    Leak("first or second half of what follows the point", "numbers", many=_fraction),
    Leak("first or second half of a hundredth", "numbers", many=lambda bits, r: _fraction(bits, r, 100.0)),
    Leak("parity of the second decimal", "numbers", many=_second_decimal),
    Leak("parity of the largest of nine", "relations", many=lambda bits, r: _by_size(bits, r, 8)),
    Leak("parity of the median of nine", "relations", many=lambda bits, r: _by_size(bits, r, 4)),
    Leak("a weekend, as text", "texts", one=_weekend),
    Leak("a note on a named tuple", "objects", one=_noted),
)
