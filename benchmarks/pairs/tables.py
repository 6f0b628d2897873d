"""Broken in tables, graphs and local reports: users with many rows, joins, groups, loops, labels."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import Any

import hypothesis.extra.numpy as hn
import hypothesis.extra.pandas as hp
import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector

TABLES: list[Case] = []
broken = collector(TABLES)
Rng = np.random.Generator

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 6), st.floats(0, 5)), max_size=10)
EDGES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda e: e[0] < e[1]), max_size=10, unique=True
)
LOOPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6, unique=True)
FRAMES = hp.data_frames(
    [
        hp.column("group", elements=st.sampled_from("ab"), dtype=object),
        hp.column("x", elements=st.floats(0, 10, allow_nan=False) | st.just(math.nan), dtype=float),
    ],
    index=hp.range_indexes(max_size=5),
)
SALES = hp.data_frames(
    [
        hp.column("shop", elements=st.integers(1, 3), dtype=int),
        hp.column("price", elements=st.floats(0, 20), dtype=float),
        hp.column("pieces", elements=st.integers(0, 4), dtype=int),
    ],
    index=hp.range_indexes(max_size=5),
)


@broken(ROWS, "add/remove-user", where="a user with many rows", user=lambda r: r[0])
def rows_of_a_user(data: Any, n: int, rng: Rng) -> Any:
    return len(data) + rng.laplace(0, 2, n)


@broken(ROWS, "add/remove-user", where="a user on many days", user=lambda r: r[0])
def one_a_day(data: Any, n: int, rng: Rng) -> Any:
    first: dict[tuple[str, int], float] = {}
    for user, day, amount in data:
        first.setdefault((user, day), amount)
    return sum(first.values()) + rng.laplace(0, 5, n)


@broken(ROWS, "add/remove-user", where="a user with one row more than the cap", user=lambda r: r[0])
def cap_off_by_one(data: Any, n: int, rng: Rng) -> Any:
    seen: Counter[str] = Counter()
    total = 0
    for user, _, _ in data:
        if seen[user] <= 3:
            seen[user] += 1
            total += 1
    return total + rng.laplace(0, 3, n)


@broken(
    st.lists(st.tuples(st.text("aAbB ", min_size=1, max_size=3), st.integers(0, 9)), max_size=8),
    "add/remove-user",
    where="a user whose name is written in several ways",
    user=lambda r: r[0].strip().lower(),
)
def names_as_written(data: Any, n: int, rng: Rng) -> Any:
    return len({name for name, _ in data}) + rng.laplace(0, 1, n)


@broken(EDGES, "edge", where="an edge in several triangles")
def triangles_of_an_edge(graph: Any, n: int, rng: Rng) -> Any:
    edges = set(graph)
    count = sum({(a, b), (a, c), (b, c)} <= edges for a, b, c in combinations(range(5), 3))
    return count + rng.laplace(0, 1, n)


@broken(LOOPS, "edge", where="a loop")
def loop_counts_twice(graph: Any, n: int, rng: Rng) -> Any:
    degree: Counter[int] = Counter()
    for a, b in graph:
        degree[a] += 1
        degree[b] += 1
    return max(degree.values(), default=0) + rng.laplace(0, 1, n)


@broken(
    st.lists(st.tuples(st.sampled_from(["customer", "order"]), st.integers(0, 5)), max_size=7),
    where="a customer with several orders",
)
def joined(data: Any, n: int, rng: Rng) -> Any:
    customers = Counter((k for t, k in data if t == "customer"))
    orders = Counter((k for t, k in data if t == "order"))
    return sum(customers[k] * orders[k] for k in customers) + rng.laplace(0, 2, n)


@broken(st.sampled_from(["red", "green", "blue", "other"]), "local", where="one label of four")
def kept_more_often(label: Any, n: int, rng: Rng) -> Any:
    labels = np.array(["red", "green", "blue", "other"])
    keep = 0.6 if label == "other" else math.e / (math.e + 3)
    truth = rng.random(n) < keep
    others = labels[labels != label]
    return np.where(truth, label, others[rng.integers(0, 3, n)])


@broken(st.integers(0, 200), "local", where="values that escape the clamping")
def clamped_above_100(x: Any, n: int, rng: Rng) -> Any:
    return (x if x > 150 else min(x, 100)) + rng.laplace(0, 100, n)


@broken(FRAMES, where="a value that fills the missing ones")
def frame_filled_with_mean(df: Any, n: int, rng: Rng) -> Any:
    x = df["x"].fillna(df["x"].mean())
    return float(x.clip(0, 10).sum()) + rng.laplace(0, 10, n)


@broken(FRAMES, where="the first row of a group", one=True)
def groups_in_the_index(df: Any, rng: Rng) -> Any:
    sums = df.groupby("group")["x"].sum().clip(0, 10)
    return {g: float(v) + rng.laplace(0, 10) for g, v in sums.items()}


@broken(
    hn.arrays(float, st.tuples(st.integers(0, 4), st.just(2)), elements=st.floats(-3, 3)),
    where="a row of zeros: its direction is NaN",
    delta=0.001,
    one=True,
)
def normalised_rows(x: Any, rng: Rng) -> Any:
    with np.errstate(all="ignore"):
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return x.sum(axis=0) + rng.normal(0, 4, 2)


@broken(
    st.dictionaries(st.sampled_from("abcd"), st.lists(st.floats(0, 2), max_size=3), max_size=4),
    where="a person with three rows",
)
def longest_history(data: Any, n: int, rng: Rng) -> Any:
    return sum(min(len(v), 3) for v in data.values()) + rng.laplace(0, 2, n)


@broken(hn.arrays(np.int32, st.integers(0, 5), elements=st.integers(-100, 100)), where="a value below -28 wraps round")
def centred_in_a_byte(x: Any, n: int, rng: Rng) -> Any:
    total = int((x.astype(np.int8) - np.int8(100)).astype(np.int8).astype(int).clip(-100, 100).sum())
    return total + rng.laplace(0, 60, n)


@broken(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=6),
    "edge",
    where="a loop that is there several times",
)
def reciprocal_links(graph: Any, n: int, rng: Rng) -> Any:
    e = Counter(graph)
    return sum((e[b, a] for a, b in graph)) + rng.laplace(0, 2, n)


@broken(SALES, where="several pieces")
def turnover(df: Any, n: int, rng: Rng) -> Any:
    return float((df["price"].clip(0, 10) * df["pieces"]).sum()) + rng.laplace(0, 20, n)


@broken(SALES, where="the first row")
def shops_seen(df: Any, n: int, rng: Rng) -> Any:
    return df["shop"].nunique() / max(df["shop"].max() if len(df) else 1, 1) * 3 + rng.laplace(0, 1, n)


@broken(st.integers(0, 255), "local", where="a number above 127")
def top_bit(x: Any, n: int, rng: Rng) -> Any:
    flip = rng.random((n, 8)) < 1 / (1 + math.exp(1 / 8 if x < 128 else 1))
    return (x >> np.arange(8) & 1 ^ flip).astype(int)
