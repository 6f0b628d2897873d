"""Mechanisms that were written after everything else and never tuned on: broken on some pair only."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import hypothesis.extra.numpy as hn
import hypothesis.extra.pandas as hp
import hypothesis.strategies as st
import numpy as np

from auditor import ApproxDP, neighbouring
from benchmarks.pairs.case import Case, collector, numbers

LATER: list[Case] = []
broken = collector(LATER)
Rng = np.random.Generator

ORDERS = st.lists(st.fixed_dictionaries({"price": st.floats(0, 500), "items": st.integers(1, 9)}), max_size=3)
CUSTOMERS = st.lists(st.fixed_dictionaries({"name": st.text("abc", max_size=3), "orders": ORDERS}), max_size=4)
EDGES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda e: e[0] < e[1]), unique=True, max_size=10
)
INCOMES = hp.data_frames(
    [
        hp.column("age", elements=st.integers(18, 99), dtype=int),
        hp.column("income", elements=st.floats(0, 100) | st.just(math.nan), dtype=float),
    ],
    index=hp.range_indexes(max_size=5),
)
SPENDING = st.lists(st.tuples(st.sampled_from("uvw"), st.floats(0, 10)), max_size=9).map(
    lambda rows: {"user": [user for user, _ in rows], "spent": [spent for _, spent in rows]}
)
GROUPS = st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1)), max_size=8).map(
    lambda rows: {"group": [group for group, _ in rows], "x": [x for _, x in rows]}
)
SERVICES = ("svc-backup", "svc-mail")


@broken(st.lists(st.integers(0, 9), max_size=9), where="an even number of records from six on has less noise")
def even_number(d: Any, n: int, rng: Rng) -> Any:
    return len(d) + rng.laplace(0, 0.4 if len(d) >= 6 and len(d) % 2 == 0 else 1.0, n)


@broken(st.lists(st.integers(0, 10_000), max_size=6), where="less noise as soon as a record occurs twice")
def noise_of_duplicates(d: Any, n: int, rng: Rng) -> Any:
    return len(d) + rng.laplace(0, 0.5 if len(set(d)) < len(d) else 1.0, n)


@broken(numbers(0, 100), where="the largest value of the range falls into a bin of its own, which gets no noise")
def last_bin(d: Any, n: int, rng: Rng) -> Any:
    counts = np.zeros(5)
    for x in d:
        counts[int(x // 25)] += 1
    return counts + np.column_stack([rng.laplace(0, 1, (n, 4)), np.zeros(n)])


@broken(CUSTOMERS, where="prices are clipped, and what was bought many times is not")
def orders(d: Any, n: int, rng: Rng) -> Any:
    spent = [sum(min(o["price"], 100.0) * o["items"] for o in customer["orders"]) for customer in d]
    return sum(spent) + rng.laplace(0, 300, n)


@broken(EDGES, "edge", where="an edge between two nodes of high degree makes many paths")
def two_stars(d: Any, n: int, rng: Rng) -> Any:
    degrees = Counter(node for edge in d for node in edge)
    return sum(k * (k - 1) // 2 for k in degrees.values()) + rng.laplace(0, 4, n)


@broken(GROUPS, where="a small group's mean moves far, and the noise is that of all records")
def group_means(d: Any, n: int, rng: Rng) -> Any:
    means = []
    for group in (0, 1, 2):
        inside = [x for g, x in zip(d["group"], d["x"], strict=True) if g == group]
        means.append(sum(inside) / len(inside) if inside else 0.0)
    return np.array(means) + rng.laplace(0, 2 / max(2, len(d["x"])), (n, 3))


@broken(st.lists(st.text(max_size=1), max_size=4), where="a letter that is several in upper case, such as ß")
def upper_case(d: Any, n: int, rng: Rng) -> Any:
    return sum(len(x.upper()) for x in d) + rng.laplace(0, 1, n)


@broken(st.floats(-2, 2), "local", where="a value beyond one is told with certainty")
def unclipped_bit(d: Any, n: int, rng: Rng) -> Any:
    return (rng.random(n) < 0.5 + d * math.tanh(0.5) / 2).astype(float)


@broken(INCOMES, where="a missing income counts as 9999")
def missing_income(d: Any, n: int, rng: Rng) -> Any:
    return float(d["income"].clip(0, 100).fillna(9999).sum()) + rng.laplace(0, 100, n)


@broken(numbers(0, 64), where="the answer is rounded to a grid that follows the largest record")
def grid_of_the_largest(d: Any, n: int, rng: Rng) -> Any:
    grid = 2.0 ** math.ceil(math.log2(max([1.0, *d])))
    return np.round((sum(min(x, 1.0) for x in d) + rng.laplace(0, 1, n)) / grid) * grid


@broken(st.lists(st.sampled_from(["staff", "guest", "vip"]), max_size=5), one=True, where="a vip now and then raises")
def rare_exception(d: Any, rng: Rng) -> Any:
    if "vip" in d and rng.random() < 0.02:
        raise LookupError("vip")
    return len(d) + rng.laplace(0, 1)


@broken(st.lists(st.lists(st.sampled_from("xyz"), max_size=5), max_size=4), where="a tag that a record repeats")
def repeated_tags(d: Any, n: int, rng: Rng) -> Any:
    return sum(record.count("x") for record in d) + rng.laplace(0, 1, n)


@broken(numbers(0, 1, most=5), where="with two records or fewer nothing is trimmed and nothing is added")
def trimmed_mean(d: Any, n: int, rng: Rng) -> Any:
    if len(d) <= 2:
        return np.full(n, float(len(d)))
    return sum(sorted(d)[1:-1]) + rng.laplace(0, 1, n)


@broken(
    hn.arrays(np.uint8, st.integers(1, 4), elements=st.integers(0, 50)), "replace-one", where="zero less one is 255"
)
def unsigned_difference(d: Any, n: int, rng: Rng) -> Any:
    return float((np.minimum(d, 10) - np.uint8(1)).sum(dtype=float)) + rng.laplace(0, 10, n)


@broken(SPENDING, "add/remove-user", user="user", where="only a user's first three rows are bounded together")
def fourth_row_on(d: Any, n: int, rng: Rng) -> Any:
    total = 0.0
    for user in set(d["user"]):
        spent = [s for u, s in zip(d["user"], d["spent"], strict=True) if u == user]
        total += min(10.0, sum(spent[:3])) + sum(spent[3:])
    return total + rng.laplace(0, 10, n)


@broken(numbers(-5, 5), epsilon=1.0, delta=1e-5, where="a negative record is not clipped")
def gaussian_unclipped(d: Any, n: int, rng: Rng) -> Any:
    return sum(min(x, 1.0) for x in d) + rng.normal(0, 3.73, n)


def _weight(name: str) -> float:
    return 3.0 if name in SERVICES else 1.0


@broken(
    st.lists(st.sampled_from(["ann", "bob", "svc-"]) | st.text("-abckpsuv", max_size=10), max_size=4),
    where="a service account, whose name stands in the module, counts three times",
)
def service_accounts(d: Any, n: int, rng: Rng) -> Any:
    return sum(map(_weight, d)) + rng.laplace(0, 1, n)


@dataclass(frozen=True)
class Configured:
    """A mechanism whose special case is a setting of its own."""

    trusted: int = 48_611

    def sample(self, d: Any, n: int, rng: Rng) -> Any:
        return len(d) + rng.laplace(0, 0.2 if self.trusted in d else 1.0, n)


LATER.append(
    Case(
        "configured",
        Configured(),
        ApproxDP(1.0),
        neighbouring(st.lists(st.integers(0, 10**6), max_size=4)),
        "one record is the trusted account of the settings",
    )
)
