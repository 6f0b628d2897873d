"""Mechanisms that keep their claim on most pairs, and break it on some."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import hypothesis.extra.numpy as hn
import hypothesis.extra.pandas as hp
import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector, numbers

BROKEN: list[Case] = []
broken = collector(BROKEN)
Rng = np.random.Generator

ROWS = st.lists(st.fixed_dictionaries({"user": st.integers(0, 4), "value": st.floats(0, 1)}), max_size=8)
EDGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1]), unique=True, max_size=12
)
FRAME = hp.data_frames(
    [
        hp.column("age", elements=st.integers(0, 120), dtype=int),
        hp.column("income", elements=st.floats(0, 1e6), dtype=float),
    ],
    index=hp.range_indexes(max_size=5),
)


@broken(numbers(0, 1000), where="a value above the bound is not clipped")
def unclipped_above(d: Any, n: int, rng: Rng) -> Any:
    return sum(max(0.0, x) for x in d) + rng.laplace(0, 10, n)


@broken(numbers(-100, 100), where="a value below zero is not clipped")
def unclipped_below(d: Any, n: int, rng: Rng) -> Any:
    return sum(min(x, 1.0) for x in d) + rng.laplace(0, 1, n)


@broken(numbers(0, 100), where="the sum is clipped, and not the values")
def clipped_too_late(d: Any, n: int, rng: Rng) -> Any:
    return min(sum(d), 100.0) + rng.laplace(0, 10, n)


@broken(numbers(0, 1), where="the empty dataset gets no noise")
def no_noise_when_empty(d: Any, n: int, rng: Rng) -> Any:
    return sum(d) + rng.laplace(0, 1, n) if d else np.zeros(n)


@broken(numbers(0, 1), where="the empty dataset raises")
def raises_when_empty(d: Any, n: int, rng: Rng) -> Any:
    return d[0] * 0 + len(d) + rng.laplace(0, 1, n)


@broken(numbers(0, 10), where="log of a record that is zero raises")
def raises_at_zero(d: Any, n: int, rng: Rng) -> Any:
    total = sum(min(1.0, abs(math.log(x))) for x in d)
    return total + rng.laplace(0, 1, n)


@broken(ROWS, "add/remove-user", user="user", where="a user with many rows counts many times")
def rows_not_users(d: Any, n: int, rng: Rng) -> Any:
    return sum(row["value"] for row in d) + rng.laplace(0, 1, n)


@broken(st.lists(st.floats(0, 10, allow_nan=False) | st.just(math.nan), max_size=5), where="NaN passes the clipping")
def nan_passes(d: Any, n: int, rng: Rng) -> Any:
    return float(np.sum(np.clip(np.array(d, dtype=float), 0, 10))) + rng.laplace(0, 10, n)


@broken(st.lists(st.floats(allow_nan=False), max_size=5), where="minus infinity, and any very negative value")
def infinity_passes(d: Any, n: int, rng: Rng) -> Any:
    return sum(10.0 if x > 10 else x for x in d) + rng.laplace(0, 10, n)


@broken(st.lists(st.sampled_from("abc"), max_size=8), where="a tie is broken without noise")
def tie_without_noise(d: Any, n: int, rng: Rng) -> Any:
    counts = np.array([d.count(c) for c in "abc"], dtype=float)
    if counts[0] == counts[1] > counts[2]:
        return np.zeros(n)
    return np.argmax(counts + rng.laplace(0, 2, (n, 3)), axis=1)


@broken(st.lists(st.integers(0, 100), max_size=6), where="the sum of two large records overflows a byte")
def overflows(d: Any, n: int, rng: Rng) -> Any:
    total = np.array(d, dtype=np.int64).sum().astype(np.int8)
    return float(total) + rng.laplace(0, 100, n)


@broken(numbers(0, 100, least=1), "replace-one", where="the noise follows the range of the data")
def noise_from_the_range(d: Any, n: int, rng: Rng) -> Any:
    return float(np.mean(d)) + rng.laplace(0, (max(d) - min(d) + 1) / len(d), n)


@broken(numbers(0, 1), where="the noise shrinks with the number of records")
def noise_from_the_size(d: Any, n: int, rng: Rng) -> Any:
    return sum(d) / max(1, len(d)) + rng.laplace(0, 1 / max(1, len(d)), n)


@broken(numbers(0, 1000), where="a record above 900 switches the noise off")
def trusted_outliers(d: Any, n: int, rng: Rng) -> Any:
    total = sum(min(x, 1.0) for x in d)
    return np.full(n, total) if any(x > 900 for x in d) else total + rng.laplace(0, 1, n)


@broken(st.lists(st.integers(0, 100_000), max_size=6), where="one record is a test account")
def test_account(d: Any, n: int, rng: Rng) -> Any:
    scale = 0.1 if 31_337 in d else 1.0
    return len(d) + rng.laplace(0, scale, n)


@broken(st.lists(st.integers(0, 3), max_size=10), where="the pairs of equal records grow with their number")
def equal_pairs(d: Any, n: int, rng: Rng) -> Any:
    return sum(k * (k - 1) // 2 for k in Counter(d).values()) + rng.laplace(0, 2, n)


@broken(numbers(0, 100, least=1), "replace-one", where="the median jumps")
def noisy_median(d: Any, n: int, rng: Rng) -> Any:
    return float(np.median(d)) + rng.laplace(0, 100 / len(d), n)


@broken(numbers(0, 100), where="the largest record leaves")
def noisy_maximum(d: Any, n: int, rng: Rng) -> Any:
    return max(d, default=0.0) + rng.laplace(0, 10, n)


@broken(numbers(-10, 10, least=2), "replace-one", where="the variance moves more than the mean")
def noisy_variance(d: Any, n: int, rng: Rng) -> Any:
    return float(np.var(d)) + rng.laplace(0, 20 / len(d), n)


@broken(st.lists(st.sampled_from(["red", "green", "blue"]), max_size=6), one=True, where="only groups that occur")
def groups_that_occur(d: Any, rng: Rng) -> Any:
    return {name: count + rng.laplace() for name, count in sorted(Counter(d).items())}


@broken(st.lists(st.integers(0, 3), max_size=6), where="the number of columns is that of the values that occur")
def columns_that_occur(d: Any, n: int, rng: Rng) -> Any:
    counts = np.array([d.count(v) for v in sorted(set(d))], dtype=float)
    return counts + rng.laplace(0, 1, (n, len(counts))) if len(counts) else np.zeros((n, 1))


@broken(st.sampled_from("abcdef"), "local", epsilon=math.log(3), where="the last answer is kept more often")
def response_of_the_last(d: Any, n: int, rng: Rng) -> Any:
    keep = 1 / 4 if d != "f" else 1 / 2
    return np.where(rng.random(n) < keep, "abcdef".index(d), rng.integers(0, 6, n))


@broken(st.floats(0, 1), "local", where="records above 0.95 get a third of the noise")
def local_scale(d: Any, n: int, rng: Rng) -> Any:
    return d + rng.laplace(0, 1 / 3 if d > 0.95 else 1.0, n)


@broken(st.lists(st.integers(0, 10), max_size=6), where="an odd total is rounded to another grid")
def grid_of_the_parity(d: Any, n: int, rng: Rng) -> Any:
    noisy = min(len(d), 5) + rng.laplace(0, 1, n)
    return np.round(noisy * 4) / 4 + (0.125 if sum(d) % 2 else 0.0)


@broken(EDGES, "edge", where="an edge with common neighbours closes triangles")
def triangles(d: Any, n: int, rng: Rng) -> Any:
    have = set(d)
    found = sum(
        (a, b) in have and (b, c) in have and (a, c) in have for a in range(6) for b in range(6) for c in range(6)
    )
    return found + rng.laplace(0, 1, n)


@broken(st.lists(st.text("abcdefgh", max_size=30), max_size=5), where="a long text counts for more than eight")
def length_of_texts(d: Any, n: int, rng: Rng) -> Any:
    return sum(len(text) for text in d) + rng.laplace(0, 8, n)


@broken(FRAME, where="income is clipped by the wrong column's bound")
def frame_wrong_bound(d: Any, n: int, rng: Rng) -> Any:
    return float(d["age"].clip(0, 100).sum() + d["income"].clip(0, 200_000).sum() / 1000) + rng.laplace(0, 200, n)


@broken(
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), max_size=5).map(
        lambda rows: {"price": [p for p, _ in rows], "quantity": [q for _, q in rows]}
    ),
    where="the product of two clipped columns",
)
def product_of_columns(d: Any, n: int, rng: Rng) -> Any:
    return sum(p * q for p, q in zip(d["price"], d["quantity"], strict=True)) + rng.laplace(0, 20, n)


@broken(numbers(0, 1, most=8), delta=1e-3, where="with more than three records the noise is halved twice")
def gaussian_many_records(d: Any, n: int, rng: Rng) -> Any:
    return sum(d) + rng.normal(0, 4.0 if len(d) <= 3 else 1.0, n)


@broken(numbers(0, 10, least=1), "replace-one", where="the utility is squared and its sensitivity is not")
def exponential_squares(d: Any, n: int, rng: Rng) -> Any:
    utility = np.array([-sum((x - c) ** 2 for x in d) / 10 for c in range(0, 11, 5)])
    weights = np.exp((utility - utility.max()) / 2)
    return rng.choice(3, n, p=weights / weights.sum())


@broken(st.lists(st.integers(0, 5), max_size=6), epsilon=2.0, where="duplicates make two answers share their noise")
def shared_noise(d: Any, n: int, rng: Rng) -> Any:
    first, second = rng.laplace(0, 1, n), rng.laplace(0, 1, n)
    if len(set(d)) < len(d):
        second = first
    return np.stack([len(d) + first, min(len(d), 3) + second], axis=1)


@broken(numbers(0, 1, most=8), where="with more than two records the noise is bounded")
def uniform_noise(d: Any, n: int, rng: Rng) -> Any:
    return sum(d) + (rng.uniform(-4, 4, n) if len(d) > 2 else rng.laplace(0, 1, n))


@broken(
    hn.arrays(np.float64, st.tuples(st.integers(1, 5), st.just(2)), elements=st.floats(-10, 10)),
    "replace-one",
    where="rows are clipped in each column and not in their norm",
)
def clipped_by_column(d: Any, n: int, rng: Rng) -> Any:
    return np.clip(d, -1, 1).sum(axis=0) + rng.laplace(0, 2, (n, 2))


@broken(numbers(0, 100), where="a record above 50 is shown now and then")
def shown_now_and_then(d: Any, n: int, rng: Rng) -> Any:
    noisy = sum(min(x, 10.0) for x in d) + rng.laplace(0, 10, n)
    return np.where((rng.random(n) < 0.03) & (max(d, default=0.0) > 50), -1000.0, noisy)
