"""More mechanisms that are broken on some pair only, written after the search was."""

from __future__ import annotations

import datetime
import math
from typing import Any

import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector, numbers

HARDER: list[Case] = []
broken = collector(HARDER)
Rng = np.random.Generator


@broken(numbers(0, 1, most=40), where="more than twenty records are summed in halves, one of them twice")
def many_records(d: Any, n: int, rng: Rng) -> Any:
    total = sum(d) if len(d) <= 20 else sum(d[:20]) + 3 * sum(d[20:])
    return total + rng.laplace(0, 1, n)


@broken(numbers(-1, 1), epsilon=0.1, where="a negative record moves the sum twice as far")
def small_epsilon(d: Any, n: int, rng: Rng) -> Any:
    return sum(x if x > 0 else 2 * x for x in d) + rng.laplace(0, 10, n)


@broken(st.lists(st.text(max_size=8), max_size=5), where="a name with a comma is split in many")
def commas(d: Any, n: int, rng: Rng) -> Any:
    return len(",".join(d).split(",")) - (not d) + rng.laplace(0, 1, n)


@broken(st.lists(st.dates(datetime.date(2020, 1, 1), datetime.date(2030, 1, 1)), max_size=5), where="a 29 February")
def leap_days(d: Any, n: int, rng: Rng) -> Any:
    return sum(4 if (day.month, day.day) == (2, 29) else 1 for day in d) + rng.laplace(0, 1, n)


@broken(st.lists(st.booleans(), max_size=8), where="a unanimous vote of four or more is told without noise")
def unanimous(d: Any, n: int, rng: Rng) -> Any:
    if len(d) > 3 and all(d):
        return np.ones(n)
    return (sum(d) + rng.laplace(0, 1, n) > len(d) / 2).astype(float)


@broken(st.lists(st.lists(st.floats(0, 1), max_size=5), max_size=4), where="a person with many visits")
def visits(d: Any, n: int, rng: Rng) -> Any:
    return sum(sum(person) for person in d) + rng.laplace(0, 1, n)


@broken(st.lists(st.integers(0, 2**31 - 1), max_size=4), where="two large records overflow 32 bits")
def overflows_32(d: Any, n: int, rng: Rng) -> Any:
    total = int(np.array(d, dtype=np.int64).sum().astype(np.int32))
    return total + rng.laplace(0, 2.0**31, n)


@broken(st.dictionaries(st.text("abcd", min_size=1, max_size=3), st.integers(0, 50), max_size=5), where="a large value")
def values_of_ids(d: Any, n: int, rng: Rng) -> Any:
    return sum(d.values()) + rng.laplace(0, 10, n)


@broken(st.lists(st.sampled_from(["flu", "cold", "rare"]), max_size=6), one=True, where="only what occurs can be told")
def told_if_it_occurs(d: Any, rng: Rng) -> Any:
    noisy = {name: d.count(name) + rng.gumbel(0, 2) for name in sorted(set(d))}
    return max(noisy, key=lambda name: noisy[name], default="none")


@broken(numbers(1, 100, least=1, most=4), "replace-one", where="the answer is scaled by the largest record")
def scaled_by_the_largest(d: Any, n: int, rng: Rng) -> Any:
    return (sum(d) / max(d) + rng.laplace(0, 4, n)) * max(d)


@broken(st.lists(st.integers(0, 9), max_size=8), where="exactly three records are told")
def exactly_three(d: Any, n: int, rng: Rng) -> Any:
    return len(d) + (rng.laplace(0, 1, n) if len(d) != 3 else rng.laplace(0, 0.2, n))


@broken(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 10)), max_size=5), where="a large weight")
def weighted(d: Any, n: int, rng: Rng) -> Any:
    return sum(w * min(x, 1.0) for x, w in d) + rng.laplace(0, 2, n)


@broken(numbers(0, 100), where="records at the very top are shown once in a hundred times")
def shown_rarely(d: Any, n: int, rng: Rng) -> Any:
    noisy = len(d) + rng.laplace(0, 1, n)
    return np.where((rng.random(n) < 0.01) & any(x > 99 for x in d), -1000.0, noisy)


@broken(st.lists(st.floats(0, 20), max_size=5), one=True, where="it has a generator of its own, and clips nothing")
def own_generator(d: Any, rng: Rng) -> Any:
    return sum(d) + OWN.laplace(0, 5)


OWN = np.random.default_rng(7)


@broken(st.lists(st.floats(-1, 1), max_size=6), where="the root of a negative sum is NaN")
def root_of_the_sum(d: Any, n: int, rng: Rng) -> Any:
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.float64(sum(d) + 2.5)) * 0 + len(d) + rng.laplace(0, 1, n)


@broken(st.lists(st.integers(-5, 5), max_size=5), "replace-one", where="an answer list is as long as the matches")
def length_of_matches(d: Any, n: int, rng: Rng) -> Any:
    kept = [x for x in d if x > 2]
    return [[float(len(d)) + rng.laplace(0, 1)] * min(2, 1 + len(kept)) for _ in range(n)]


@broken(numbers(0, 1, most=5, least=1), "replace-one", epsilon=math.log(2), where="records below a thousandth")
def log_of_records(d: Any, n: int, rng: Rng) -> Any:
    return sum(max(-7.0, math.log(x + 1e-9)) for x in d) + rng.laplace(0, 7 / math.log(2) / 2, n)
