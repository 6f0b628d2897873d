"""Broken where the data decide what is released: the noise, its scale, thresholds, numbers of outputs, exceptions."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from typing import Any

import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector, numbers, wholes

RELEASES: list[Case] = []
broken = collector(RELEASES)
Rng = np.random.Generator


@broken(numbers(0, 1, 8), where="sizes that give another scale")
def scale_by_size(data: Any, n: int, rng: Rng) -> Any:
    size = max(len(data), 1)
    return sum(data) / size + rng.laplace(0, 1 / size, n)


@broken(
    st.lists(st.sampled_from("abc"), max_size=6),
    "replace-one",
    where="a record that changes from the second to the first",
)
def gap_of_the_winner(data: Any, n: int, rng: Rng) -> Any:
    top = sorted((data.count(c) for c in "abc"), reverse=True)
    return top[0] - top[1] + rng.laplace(0, 1, n)


@broken(st.lists(st.sampled_from("abcd"), max_size=7), where="nobody, and three in a tie", one=True)
def winner_unless_tied(data: Any, rng: Rng) -> Any:
    counts = Counter(data)
    if not counts:
        return "none"
    best = max(counts.values())
    tied = [c for c in counts if counts[c] == best]
    if len(tied) > 2:
        return "tie"
    noisy = {c: counts[c] + rng.exponential(2) for c in "abcd"}
    return max(noisy, key=lambda name: noisy[name])


@broken(st.lists(st.sampled_from("ab"), max_size=8), where="the third record of a group", one=True)
def small_counts_suppressed(data: Any, rng: Rng) -> Any:
    return [data.count(c) + rng.laplace(0, 1) if data.count(c) >= 3 else 0.0 for c in "ab"]


@broken(st.lists(st.sampled_from("abc"), max_size=6), where="the only record of a group", delta=0.001, one=True)
def threshold_too_low(data: Any, rng: Rng) -> Any:
    noisy = {c: k + rng.laplace(0, 1) for c, k in sorted(Counter(data).items())}
    return {c: v for c, v in noisy.items() if v > 4}


@broken(
    st.lists(st.tuples(st.sampled_from("ab"), st.floats(-10, 10)), max_size=6), where="the first of two rows of a name"
)
def first_row_of_each_name(data: Any, n: int, rng: Rng) -> Any:
    kept: dict[str, float] = {}
    for name, x in data:
        kept.setdefault(name, x)
    return sum(kept.values()) + rng.laplace(0, 10, n)


@broken(
    st.lists(st.tuples(st.integers(0, 99), st.floats(-1, 1)), max_size=6), where="a record that pushes out another one"
)
def two_oldest(data: Any, n: int, rng: Rng) -> Any:
    top = sorted(data, key=lambda r: -r[0])[:2]
    return sum((x for _, x in top)) + rng.laplace(0, 1, n)


@broken(numbers(0, 10, 8), where="equal values: the range is 0")
def range_as_sensitivity(data: Any, n: int, rng: Rng) -> Any:
    span = max(data) - min(data) if data else 1.0
    return sum(data) + rng.laplace(0, span + 1e-06, n)


@broken(
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    "replace-one",
    where="equal values: the deviation is 0",
    delta=0.001,
)
def noise_by_deviation(data: Any, n: int, rng: Rng) -> Any:
    return np.mean(data) + rng.normal(0, 4 * (np.std(data) + 0.05), n)


@broken(st.lists(st.tuples(st.sampled_from("abcde"), st.floats(0, 1)), max_size=8), where="the first record of a group")
def budget_by_groups(data: Any, n: int, rng: Rng) -> Any:
    groups = {g for g, _ in data}
    return sum((x for _, x in data)) + rng.laplace(0, max(1, len(groups)), n)


@broken(
    st.integers(0, 5).flatmap(
        lambda k: st.fixed_dictionaries(
            {
                "x": st.lists(st.floats(0, 1), min_size=k, max_size=k),
                "w": st.lists(st.floats(0, 3), min_size=k, max_size=k),
            }
        )
    ),
    where="a weight above 1",
)
def weights_unbounded(data: Any, n: int, rng: Rng) -> Any:
    return sum((x * w for x, w in zip(data["x"], data["w"], strict=True))) + rng.laplace(0, 1, n)


@broken(numbers(0, 1, 8), where="one record raises an exception")
def variance_of_one(data: Any, n: int, rng: Rng) -> Any:
    return statistics.variance(data) + rng.laplace(0, 1, n)


@broken(wholes(0, 5, 6), where="the first record of a value", one=True)
def one_number_a_value(data: Any, rng: Rng) -> Any:
    return [data.count(v) + rng.laplace(0, 1) for v in sorted(set(data))]


@broken(numbers(0, 1, 10), where="the seventh record")
def buffer_flushed_twice(data: Any, n: int, rng: Rng) -> Any:
    total, buffer = (0.0, [])
    for x in data:
        buffer.append(x)
        if len(buffer) == 7:
            total += sum(buffer)
    return total + sum(buffer) + rng.laplace(0, 1, n)


@broken(
    st.lists(st.integers(0, 10), min_size=3, max_size=7),
    "replace-one",
    where="a record that moves the median",
    delta=0.001,
    one=True,
)
def ptr_distance_from_size(data: Any, rng: Rng) -> Any:
    distance = len(data) // 2
    if distance + rng.laplace(0, 1) > 1:
        return float(np.median(data))
    return math.nan


@broken(st.lists(st.integers(0, 3), max_size=6), where="counts on both sides of one threshold", one=True)
def svt_without_query_noise(data: Any, rng: Rng) -> Any:
    threshold = 1.5 + rng.laplace(0, 2)
    return tuple(data.count(v) > threshold for v in range(4))


@broken(wholes(0, 20, 6), where="a record beside the median", one=True)
def quantile_full_epsilon(data: Any, rng: Rng) -> Any:
    u = np.array([-abs(sum(x < c for x in data) - sum(x > c for x in data)) for c in range(21)], float)
    p = np.exp(1.0 * (u - u.max()))
    p /= p.sum()
    return int(rng.choice(21, p=p))


@broken(st.lists(st.integers(0, 60), max_size=6), where="the largest value, which sets the width", one=True)
def auto_bins(data: Any, rng: Rng) -> Any:
    width = max(data, default=10) // 6 + 1
    bins = np.bincount([x // width for x in data], minlength=7)[:7] if data else np.zeros(7)
    return bins + rng.laplace(0, 1, 7)


@broken(st.lists(st.sampled_from(["x", "y"]), max_size=8), "replace-one", where="the record that decides", one=True)
def majority_rounded(data: Any, rng: Rng) -> Any:
    share = round(data.count("x") / max(len(data), 1))
    return "x" if rng.random() < (0.8 if share else 0.2) else "y"
