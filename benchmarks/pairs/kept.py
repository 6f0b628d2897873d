"""Correct mechanisms that look as if they were not: close to broken ones, and often exactly tight."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import hypothesis.extra.numpy as hn
import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector, numbers, wholes
from benchmarks.pairs.tables import EDGES, ROWS, SALES

KEPT: list[Case] = []
correct = collector(KEPT)
Rng = np.random.Generator


@correct(wholes(0, 255, 8))
def squares_in_int16(data: Any, n: int, rng: Rng) -> Any:
    x = np.array(data, np.int16)
    return float((x * x).sum()) + rng.laplace(0, 255**2, n)


@correct(hn.arrays(np.uint8, st.integers(1, 6)), "replace-one")
def centred_bytes(data: Any, n: int, rng: Rng) -> Any:
    return float(np.minimum(data - np.uint8(100), 155).astype(float).sum()) + rng.laplace(0, 155, n)


@correct(st.lists(st.floats(0, 1), min_size=1, max_size=7), "replace-one")
def even_median_half_noise(data: Any, n: int, rng: Rng) -> Any:
    s = sorted(data)
    k = len(s)
    if k % 2:
        return s[k // 2] + rng.laplace(0, 1, n)
    return (s[k // 2 - 1] + s[k // 2]) / 2 + rng.laplace(0, 0.5, n)


@correct(numbers(-50, 50, 8), "replace-one")
def clamped_sum(data: Any, n: int, rng: Rng) -> Any:
    return float(np.clip(data, 0, 10).sum()) + rng.laplace(0, 10, n)


@correct(wholes(0, 9, 9))
def truncated_count(data: Any, n: int, rng: Rng) -> Any:
    return min(len(data), 5) + rng.laplace(0, 1, n)


@correct(ROWS, "add/remove-user", user=lambda r: r[0])
def capped_users(data: Any, n: int, rng: Rng) -> Any:
    seen: Counter[str] = Counter()
    total = 0.0
    for user, _, x in data:
        if seen[user] < 2:
            seen[user] += 1
            total += min(x, 5)
    return total + rng.laplace(0, 10, n)


@correct(wholes(0, 9, 8))
def geometric(data: Any, n: int, rng: Rng) -> Any:
    p = 1 - math.exp(-1)
    return len(data) + rng.geometric(p, n) - rng.geometric(p, n)


@correct(st.lists(st.sampled_from("abc"), max_size=6))
def exponential(data: Any, n: int, rng: Rng) -> Any:
    u = np.array([data.count(c) for c in "abc"], float)
    p = np.exp(u - u.max())
    p /= p.sum()
    return rng.choice(list("abc"), size=n, p=p)


@correct(st.sampled_from("abcd"), "local")
def fair_response(label: Any, n: int, rng: Rng) -> Any:
    labels = np.array(list("abcd"))
    truth = rng.random(n) < math.e / (math.e + 3)
    others = labels[labels != label]
    return np.where(truth, label, others[rng.integers(0, 3, n)])


@correct(numbers(0, 1, 8), "replace-one", one=True)
def histogram(data: Any, rng: Rng) -> Any:
    return np.histogram(data, 4, (0, 1))[0] + rng.laplace(0, 2, 4)


@correct(st.lists(st.floats(), max_size=6))
def nan_safe(data: Any, n: int, rng: Rng) -> Any:
    return float(np.clip(np.nan_to_num(np.array(data, float), nan=0, posinf=1, neginf=0), 0, 1).sum()) + rng.laplace(
        0, 1, n
    )


@correct(st.lists(st.sampled_from("abc"), max_size=6), delta=0.01, one=True)
def threshold(data: Any, rng: Rng) -> Any:
    t = 1 + math.log(1 / (2 * 0.01))
    noisy = {c: k + rng.laplace(0, 1) for c, k in sorted(Counter(data).items())}
    return {c: v for c, v in noisy.items() if v > t}


@correct(st.lists(st.floats(0, 1), min_size=5, max_size=5), "replace-one")
def mean_of_five(data: Any, n: int, rng: Rng) -> Any:
    return np.mean(data) + rng.laplace(0, 0.2, n)


@correct(EDGES, "edge")
def max_degree(graph: Any, n: int, rng: Rng) -> Any:
    degree = Counter(v for e in graph for v in e)
    return max(degree.values(), default=0) + rng.laplace(0, 1, n)


@correct(wholes(0, 20, 6))
def median(data: Any, n: int, rng: Rng) -> Any:
    u = np.array([-abs(sum(x < c for x in data) - sum(x > c for x in data)) for c in range(21)], float)
    p = np.exp(0.5 * (u - u.max()))
    p /= p.sum()
    return rng.choice(21, size=n, p=p)


@correct(hn.arrays(float, st.tuples(st.integers(0, 4), st.just(2)), elements=st.floats(-3, 3)), delta=0.01, one=True)
def gaussian_rows(x: Any, rng: Rng) -> Any:
    norms = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1)
    return (x / norms).sum(axis=0) + rng.normal(0, 1.9, 2)


@correct(st.lists(st.text("aAbB é", max_size=2), max_size=6))
def distinct(data: Any, n: int, rng: Rng) -> Any:
    return len({t.strip().casefold() for t in data}) + rng.laplace(0, 1, n)


@correct(numbers(0, 10, 8))
def noisy_denominator(data: Any, n: int, rng: Rng) -> Any:
    return (sum(data) + rng.laplace(0, 20, n)) / np.maximum(len(data) + rng.laplace(0, 2, n), 1)


@correct(st.lists(st.integers(0, 3), max_size=6), one=True)
def above_threshold(data: Any, rng: Rng) -> Any:
    t = 1.5 + rng.laplace(0, 2)
    for v in range(4):
        if data.count(v) + rng.laplace(0, 4) > t:
            return v
    return -1


@correct(wholes(0, 9, 5), one=True)
def raises_on_noise(data: Any, rng: Rng) -> Any:
    x = len(data) + rng.laplace(0, 1)
    if x < 0:
        raise ValueError("too few")
    return x


@correct(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def trimmed_sum(data: Any, n: int, rng: Rng) -> Any:
    s = sorted(data)
    k = len(s) // 5
    s = s[k : len(s) - k]
    return sum(s) + rng.laplace(0, 1, n)


@correct(
    st.dictionaries(st.sampled_from("abcd"), st.lists(st.floats(0, 2), min_size=1, max_size=2), max_size=4),
    "replace-one",
)
def mean_per_person(data: Any, n: int, rng: Rng) -> Any:
    return sum(sum(v) / len(v) for v in data.values()) + rng.laplace(0, 2, n)


@correct(st.integers(0, 255), "local")
def fair_bits(x: Any, n: int, rng: Rng) -> Any:
    flip = rng.random((n, 8)) < 1 / (1 + math.exp(1 / 8))
    return (x >> np.arange(8) & 1 ^ flip).astype(int)


@correct(st.lists(st.floats(0, 100), max_size=7))
def capped_total(data: Any, n: int, rng: Rng) -> Any:
    return min(sum(min(x, 50) for x in data), 150) + rng.laplace(0, 50, n)


@correct(SALES)
def sales(df: Any, n: int, rng: Rng) -> Any:
    out = np.stack(
        [np.minimum(df.loc[df["shop"] == s, "price"], 10).sum() + rng.laplace(0, 10, n) for s in (1, 2, 3)], axis=1
    )
    return out


@correct(st.lists(st.floats(0, 1), max_size=6), delta=0.01)
def fails_rarely(data: Any, n: int, rng: Rng) -> Any:
    return np.where(rng.random(n) < 0.01, 1000.0 + sum(data), sum(data) + rng.laplace(0, 1, n))
