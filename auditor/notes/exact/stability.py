"""Stability by brute force: distances over whole finite spaces, all small graphs, tested releases."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core import checks
from mechanisms.core.profiles import laplace_hockey

Array = np.ndarray[Any, np.dtype[Any]]


# ---- datasets of n records over k values, as an array of shape (k,) * n; neighbours replace one record ----


def distance_to_set(inside: Array) -> Array:
    """The Hamming distance of every dataset to the nearest one that is `inside`, infinite where none is."""
    distance = np.where(inside, 0.0, np.inf)
    for _ in range(distance.ndim):
        nearest = np.stack(
            [np.broadcast_to(distance.min(axis=a, keepdims=True), distance.shape) for a in _axes(distance)]
        )
        distance = np.minimum(distance, nearest.min(axis=0) + 1)
    return distance


def distance_to_instability(values: Array) -> Array:
    """d(x) = min{d(x, x'') - 1 : f(x'') != f(x)} of every dataset x, for f as its values (004 15.1.4)."""
    result = np.full(values.shape, np.inf)
    for value in np.unique(values):
        here = values == value
        result[here] = distance_to_set(~here)[here] - 1
    return result


def local_sensitivity(values: Array) -> Array:
    """LS(x): the most that f moves when one record of x is replaced."""
    highest = [values.max(axis=a, keepdims=True) - values for a in _axes(values)]
    lowest = [values - values.min(axis=a, keepdims=True) for a in _axes(values)]
    return np.asarray(np.maximum.reduce([*highest, *lowest]))


def neighbour_pairs(shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Flat indices of all unordered pairs of datasets that differ in one record."""
    index = np.arange(math.prod(shape)).reshape(shape)
    left, right = [], []
    for axis, size in enumerate(shape):
        rows = np.moveaxis(index, axis, 0)
        for a, b in itertools.combinations(range(size), 2):
            left.append(rows[a].ravel())
            right.append(rows[b].ravel())
    return np.concatenate(left), np.concatenate(right)


def _axes(array: Array) -> range:
    return range(array.ndim)


# ---- what is released only when a test passes: ⊥ with the rest of the probability ----


def gated_release_delta(epsilon: float, left: float, right: float, gap: float) -> float:
    """Exact delta when an answer is released with probability `left` on one input and `right` on the other.

    `gap` is the distance of the two answers in scales of their Laplace noise: 0 for equal answers, infinite
    for different ones without noise. The other output is ⊥ (004 sections 15.1.4 and 15.2).
    """
    bottom = max(0.0, (1 - left) - math.exp(epsilon) * (1 - right))
    if left == 0:
        return bottom
    if right == 0 or math.isinf(gap):
        return bottom + left
    return bottom + left * laplace_hockey(gap, epsilon + math.log(right / left))


# ---- all graphs on n vertices: bit k of a graph's number is the k-th pair of vertices ----


@dataclass(frozen=True)
class AllGraphs:
    """Every graph on n labelled vertices at once, with edge-neighbours (one edge added or removed)."""

    n: int

    def __post_init__(self) -> None:
        if not 2 <= checks.whole("n", self.n) <= 7:
            raise ValueError(f"brute force covers graphs of 2 to 7 vertices, got n={self.n}")

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of vertices, in the order of their bits."""
        return tuple(itertools.combinations(range(self.n), 2))

    @property
    def numbers(self) -> Array:
        """The graphs."""
        return np.arange(1 << len(self.pairs))

    def edges(self, number: int) -> tuple[tuple[int, int], ...]:
        """One graph as a list of edges."""
        return tuple(pair for bit, pair in enumerate(self.pairs) if number >> bit & 1)

    def degrees(self) -> Array:
        """The largest degree of each graph."""
        has = self._has()
        incident = [[k for k, pair in enumerate(self.pairs) if v in pair] for v in range(self.n)]
        return np.asarray(np.maximum.reduce([has[ks].sum(axis=0) for ks in incident]))

    def triangles(self) -> Array:
        """The number of triangles of each graph."""
        has = self._has()
        bit = {pair: k for k, pair in enumerate(self.pairs)}
        total = np.zeros(len(self.numbers), dtype=int)
        for a, b, c in itertools.combinations(range(self.n), 3):
            total += has[bit[a, b]] & has[bit[a, c]] & has[bit[b, c]]
        return total

    def changes(self, values: Array) -> Array:
        """|values(G) - values(G with pair k flipped)| as rows k; their maximum is the local sensitivity."""
        return np.stack([np.abs(values - values[self.numbers ^ (1 << k)]) for k in range(len(self.pairs))])

    def present(self) -> Array:
        """Whether pair k is an edge, as rows k."""
        return self._has().astype(bool)

    def _has(self) -> Array:
        return np.stack([self.numbers >> k & 1 for k in range(len(self.pairs))])


# ---- noise whose scale is released first (004 Lemma 15.6) ----


def released_scale_delta(epsilon: float, rate: float, left: float, right: float, moved: float, least: float) -> float:
    """Exact delta of the pair (D~, f + Lap(D~/rate)) by a plain midpoint rule over D~.

    D~ = max(least, centre + Lap(1/rate)) with centres `left` and `right`; f moves by `moved`. For each D~ the
    two Laplace densities are compared at epsilon plus the log ratio of the densities of D~.
    """
    p, q = (_below(rate * (least - centre)) for centre in (left, right))
    total = p * laplace_hockey(rate * moved / least, epsilon + math.log(q / p))
    edges = np.unique([least, *(max(least, c + x / rate) for c in (left, right) for x in (-40, -5, -1, 0, 1, 5, 40))])
    for low, high in itertools.pairwise(edges):
        width = (high - low) / _POINTS
        s = low + width * (np.arange(_POINTS) + 0.5)
        density = rate / 2 * np.exp(-rate * np.abs(s - left))
        level = epsilon + rate * (np.abs(s - left) - np.abs(s - right))
        shift = rate * moved / s
        inside = -np.expm1(np.minimum(0.0, (level - shift) / 2))
        total += float((density * np.where(level < -shift, -np.expm1(level), inside)).sum() * width)
    return total


_POINTS = 4000


def _below(x: float) -> float:
    """P[Lap(1) <= x]."""
    return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)
