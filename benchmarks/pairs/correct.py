"""Mechanisms that keep their claim on every pair: the search must not accuse them."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.broken import EDGES, FRAME, ROWS
from benchmarks.pairs.case import Case, collector, numbers

CORRECT: list[Case] = []
correct = collector(CORRECT)
Rng = np.random.Generator


@correct(numbers(0, 1000))
def clipped_sum(d: Any, n: int, rng: Rng) -> Any:
    return sum(min(max(x, 0.0), 10.0) for x in d) + rng.laplace(0, 10, n)


@correct(st.lists(st.integers(0, 9), max_size=6))
def geometric_count(d: Any, n: int, rng: Rng) -> Any:
    p = 1 - math.exp(-1)
    return len(d) + rng.geometric(p, n) - rng.geometric(p, n)


@correct(st.lists(st.sampled_from("abc"), max_size=6), one=True)
def fixed_groups(d: Any, rng: Rng) -> Any:
    return {name: d.count(name) + rng.laplace() for name in "abc"}


@correct(st.sampled_from("abcdef"), "local", epsilon=math.log(4))
def response(d: Any, n: int, rng: Rng) -> Any:
    return np.where(rng.random(n) < 1 / 3, "abcdef".index(d), rng.integers(0, 6, n))


@correct(st.lists(st.sampled_from("abc"), max_size=8))
def noisy_max(d: Any, n: int, rng: Rng) -> Any:
    counts = np.array([d.count(c) for c in "abc"], dtype=float)
    return np.argmax(counts + rng.laplace(0, 2, (n, 3)), axis=1)


@correct(numbers(0, 10, least=1), "replace-one")
def exponential_median(d: Any, n: int, rng: Rng) -> Any:
    utility = np.array([-abs(sum(x < c for x in d) - len(d) / 2) for c in range(11)])
    weights = np.exp((utility - utility.max()) / 2)
    return rng.choice(11, n, p=weights / weights.sum())


@correct(numbers(0, 100, least=2, most=5), "replace-one")
def mean_of_a_known_size(d: Any, n: int, rng: Rng) -> Any:
    return float(np.clip(d, 0, 10).mean()) + rng.laplace(0, 10 / len(d), n)


@correct(numbers(0, 5), delta=1e-2)
def gaussian_sum(d: Any, n: int, rng: Rng) -> Any:
    return sum(min(x, 1.0) for x in d) + rng.normal(0, 2.6, n)


@correct(ROWS, "add/remove-user", user="user")
def bounded_users(d: Any, n: int, rng: Rng) -> Any:
    of: dict[int, float] = {}
    for row in d:
        of[row["user"]] = min(1.0, of.get(row["user"], 0.0) + row["value"])
    return sum(of.values()) + rng.laplace(0, 1, n)


@correct(FRAME)
def clipped_frame(d: Any, n: int, rng: Rng) -> Any:
    return float(d["income"].clip(0, 100_000).sum()) / 1e5 + rng.laplace(0, 1, n)


@correct(EDGES, "edge")
def edge_count(d: Any, n: int, rng: Rng) -> Any:
    return len(set(d)) + rng.laplace(0, 1, n)


@correct(st.lists(st.floats(), max_size=5))
def finite_values_only(d: Any, n: int, rng: Rng) -> Any:
    return sum(min(max(x, -1.0), 1.0) for x in d if math.isfinite(x)) + rng.laplace(0, 1, n)
