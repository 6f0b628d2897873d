"""Leaks in single numbers and times: a residue, a digit, a bit, a sign, a type, a time zone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng

_DAY = dt.datetime(2020, 1, 1)


def _mantissa(bits: Any, rng: Rng, place: int) -> Any:
    raw = rng.random(len(bits)).view(np.int64)
    return ((raw & ~(1 << place)) | (bits << place)).view(np.float64)


def _when(rng: Rng) -> dt.datetime:
    return _DAY + dt.timedelta(seconds=int(rng.integers(10**8)), microseconds=int(rng.integers(10**6)))


def _third(b: int, rng: Rng) -> int:
    return 3 * int(rng.integers(10**8)) + b


NUMBERS = (
    Leak("parity of a large number", "integers", many=lambda b, r: 2 * r.integers(0, 10**9, len(b)) + b),
    Leak("residue modulo 3", "integers", one=_third),
    Leak("residue modulo 7", "integers", one=lambda b, r: 7 * int(r.integers(10**8)) + 2 * b),
    Leak("residue modulo 11", "integers", many=lambda b, r: 11 * r.integers(0, 10**8, len(b)) + 5 * b),
    Leak("last digit", "integers", one=lambda b, r: 10 * int(r.integers(10**7)) + (3 if b else 8)),
    Leak("second last digit", "integers", one=lambda b, r: int(r.integers(10**6)) * 100 + 10 * b + int(r.integers(10))),
    Leak("bit 20", "integers", many=lambda b, r: (r.integers(0, 2**40, len(b)) & ~(1 << 20)) | (b << 20)),
    Leak("bit 37", "integers", many=lambda b, r: (r.integers(0, 2**50, len(b)) & ~(1 << 37)) | (b << 37)),
    Leak("lowest bit beyond 2^53", "integers", one=lambda b, r: int(r.integers(2**60)) * 2 + b),
    Leak("lowest bit of an array beyond 2^53", "integers", many=lambda b, r: r.integers(0, 2**61, len(b)) * 2 + b),
    Leak("last digit of 30", "integers", one=lambda b, r: int(r.integers(2**62)) * 10**12 * 10 + b),
    Leak(
        "bit 40 of a hash",
        "integers",
        one=lambda b, r: (int(r.integers(2**62)) << 41) | (b << 40) | int(r.integers(2**40)),
    ),
    Leak("sign of a large number", "integers", one=lambda b, r: int(r.integers(1, 2**60)) * (1 if b else -1)),
    Leak("cents", "floats", one=lambda b, r: round(float(r.integers(10**6)) + (0.25 if b else 0.75), 2)),
    Leak("last of four decimals", "floats", one=lambda b, r: (10 * int(r.integers(10**7)) + (1 if b else 2)) / 10**4),
    Leak("five decimals or six", "floats", one=lambda b, r: round(float(r.normal()), 5 if b else 6)),
    Leak("bit 0 of the mantissa", "bits", many=lambda b, r: _mantissa(b, r, 0)),
    Leak("bit 20 of the mantissa", "bits", many=lambda b, r: _mantissa(b, r, 20)),
    Leak("bit 33 of the mantissa", "bits", many=lambda b, r: _mantissa(b, r, 33)),
    Leak(
        "signed zero",
        "bits",
        many=lambda b, r: np.where(r.random(len(b)) < 0.5, r.normal(size=len(b)), np.where(b, -0.0, 0.0)),
    ),
    Leak(
        "grid of the doubles",
        "bits",
        many=lambda b, r: np.where(b, np.round(r.random(len(b)) * 2**40) / 2**40, r.random(len(b))),
    ),
    Leak("single precision", "bits", one=lambda b, r: float(np.float32(r.normal())) if b else float(r.normal())),
    Leak("type: int or float", "types", one=lambda b, r: int(r.integers(5)) if b else float(r.integers(5))),
    Leak("type: bool or int", "types", one=lambda b, r: bool(r.integers(2)) if b else int(r.integers(2))),
    Leak("None or NaN", "types", one=lambda b, r: float(r.normal()) if r.random() < 0.5 else (None if b else "n/a")),
    Leak(
        "decimal's 25th digit",
        "decimals",
        one=lambda b, r: Decimal(f"0.{r.integers(10**17):017d}{r.integers(10**7):07d}{b}"),
    ),
    Leak(
        "decimal's exponent",
        "decimals",
        one=lambda b, r: Decimal(int(r.integers(10**6))) * (Decimal("1.0") if b else Decimal("1.00")),
    ),
    Leak(
        "fraction's denominator",
        "decimals",
        one=lambda b, r: Fraction(2 * int(r.integers(10**9)) + 1, 2**40 if b else 2**41),
    ),
    Leak("phase", "complex", many=lambda b, r: r.random(len(b)) * np.exp(1j * (r.random(len(b)) * 0.1 + 2 * b))),
    Leak("size", "complex", one=lambda b, r: complex((1 + b) * np.exp(2j * np.pi * r.random()))),
    Leak("imaginary part", "complex", one=lambda b, r: complex(r.normal(), b)),
    Leak("second of a time", "times", one=lambda b, r: _when(r).replace(second=2 * int(r.integers(30)) + b)),
    Leak(
        "microsecond of a time",
        "times",
        one=lambda b, r: _when(r).replace(microsecond=1000 * int(r.integers(1000)) + b),
    ),
    Leak("weekday", "times", one=lambda b, r: dt.date(2020, 1, 6) + dt.timedelta(weeks=int(r.integers(500)), days=b)),
    Leak("time zone", "times", one=lambda b, r: _when(r).replace(tzinfo=dt.timezone(dt.timedelta(hours=b)))),
    Leak("nanosecond", "times", one=lambda b, r: np.datetime64(2 * int(r.integers(2**59)) + b, "ns")),
    Leak("length of time", "times", one=lambda b, r: dt.timedelta(days=int(r.integers(999)), seconds=b)),
)
