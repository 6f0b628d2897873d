"""Leaks in wide vectors: one column of very many, a little in all of them, two that go together."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng


def _one(bits: Any, rng: Rng, width: int, place: int) -> Any:
    matrix = rng.random((len(bits), width))
    matrix[:, place] = bits + 0.9 * matrix[:, place]
    return matrix


def _pair(bits: Any, rng: Rng, how: Any, width: int = 100) -> Any:
    matrix = rng.normal(size=(len(bits), width))
    told = how(matrix[:, 30], rng)
    matrix[:, 70] = np.where(bits == 1, told, matrix[:, 70])
    return matrix


def _signs(bits: Any, rng: Rng) -> Any:
    matrix = rng.normal(size=(len(bits), 100))
    matrix[:, 70] = np.abs(matrix[:, 70]) * np.sign(matrix[:, 30]) * np.where(bits == 1, 1, -1)
    return matrix


def _all_a_little(bits: Any, rng: Rng, width: int, shift: float) -> Any:
    signs = np.where(np.arange(width) % 3 == 0, 1.0, -1.0)
    return rng.normal(size=(len(bits), width)) + shift * np.where(bits == 1, 1.0, -1.0)[:, None] * signs


def _pixel(bits: Any, rng: Rng) -> Any:
    images = rng.integers(0, 256, (len(bits), 28, 28))
    images[:, 13, 17] = 2 * (images[:, 13, 17] // 2) + bits
    return images.astype(np.uint8)


def _norm(bits: Any, rng: Rng) -> Any:
    matrix = rng.normal(size=(len(bits), 30))
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True) * (1 + bits)[:, None]


def _sorted(bits: Any, rng: Rng) -> Any:
    matrix = rng.random((len(bits), 40))
    matrix.sort(axis=1)
    matrix[:, 35] = np.where(bits == 1, matrix[:, 34], matrix[:, 35])
    return rng.permuted(matrix, axis=1)


def _sum_parity(bits: Any, rng: Rng) -> Any:
    matrix = rng.integers(0, 1000, (len(bits), 10))
    matrix[:, 0] += (matrix.sum(axis=1) + bits) % 2
    return matrix


WIDE = (
    Leak("one of 100 columns", "wide", many=lambda b, r: _one(b, r, 100, 70)),
    Leak("one of 784 columns", "wide", many=lambda b, r: _one(b, r, 784, 600)),
    Leak("one of 2,000 columns", "wide", many=lambda b, r: _one(b, r, 2000, 1500)),
    Leak("a pixel's lowest bit", "wide", many=_pixel),
    Leak("equal pair among 100", "wide", many=lambda b, r: _pair(b, r, lambda x, rng: x)),
    Leak("opposite pair among 100", "wide", many=lambda b, r: _pair(b, r, lambda x, rng: -x)),
    Leak(
        "sum of a pair among 100",
        "wide",
        many=lambda b, r: _pair(b, r, lambda x, rng: 1 - x + 1e-3 * rng.normal(size=len(x))),
    ),
    Leak(
        "difference of a pair among 100",
        "wide",
        many=lambda b, r: _pair(b, r, lambda x, rng: 2 + x + 1e-3 * rng.normal(size=len(x))),
    ),
    Leak("signs of a pair among 100", "wide", many=_signs),
    Leak("a little in all of 1,000", "wide", many=lambda b, r: _all_a_little(b, r, 1000, 0.2)),
    Leak("norm", "wide", many=_norm),
    Leak("a repeated number", "wide", many=_sorted),
    Leak("parity of the sum", "wide", many=_sum_parity),
    Leak("bit 20 of one of 30 mantissas", "bits", many=lambda b, r: _with_bit(b, r)),
    Leak("binary vector, one telling", "wide", many=lambda b, r: np.column_stack([r.integers(0, 2, (len(b), 300)), b])),
)


def _with_bit(bits: Any, rng: Rng) -> Any:
    matrix = rng.random((len(bits), 30))
    raw = matrix.view(np.int64)
    raw[:, 11] = (raw[:, 11] & ~(1 << 20)) | (bits << 20)
    return raw.view(np.float64)
