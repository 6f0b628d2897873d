"""Broken where a value is one that nobody thought of: not clipped, missing, too large for its type, oddly written."""

from __future__ import annotations

import datetime
import math
import unicodedata
import zlib
from collections import Counter
from typing import Any

import hypothesis.strategies as st
import numpy as np

from benchmarks.pairs.case import Case, collector, numbers, wholes

VALUES: list[Case] = []
broken = collector(VALUES)
Rng = np.random.Generator


@broken(numbers(-50, 50, 8), where="a value far below zero")
def clipped_above_only(data: Any, n: int, rng: Rng) -> Any:
    return sum(min(x, 10.0) for x in data) + rng.laplace(0, 10, n)


@broken(numbers(0, 1000, 8), where="a value near zero, after the logarithm")
def log_near_zero(data: Any, n: int, rng: Rng) -> Any:
    return sum(min(math.log(x + 1e-09), 7.0) for x in data) + rng.laplace(0, 7, n)


@broken(numbers(0, 100, 8), where="a large value that sets its own bound")
def clip_at_own_percentile(data: Any, n: int, rng: Rng) -> Any:
    if not data:
        return rng.laplace(0, 10, n)
    top = np.percentile(data, 90)
    return float(np.minimum(data, top).sum()) + rng.laplace(0, 10, n)


@broken(numbers(0, 1, 8), where="nobody: the mean is NaN")
def mean_of_nobody(data: Any, n: int, rng: Rng) -> Any:
    with np.errstate(all="ignore"):
        mean = np.float64(sum(data)) / len(data)
    return mean + rng.laplace(0, 1, n)


@broken(st.lists(st.one_of(st.none(), st.floats(0, 10)), min_size=1, max_size=8), where="one answer among missing ones")
def mean_of_answers(data: Any, n: int, rng: Rng) -> Any:
    answers = [x for x in data if x is not None]
    return sum(answers) / max(len(answers), 1) + rng.laplace(0, 10 / len(data), n)


@broken(st.lists(st.floats(0, 1) | st.just(math.nan), max_size=6), where="NaN passes the clipping")
def nan_through_clip(data: Any, n: int, rng: Rng) -> Any:
    return float(np.clip(np.array(data, float), 0, 1).sum()) + rng.laplace(0, 1, n)


@broken(st.lists(st.floats(allow_nan=False), max_size=6), where="infinity over infinity is NaN")
def squashed_infinity(data: Any, n: int, rng: Rng) -> Any:
    with np.errstate(all="ignore"):
        x = np.array(data, float)
        return float((x / (1 + np.abs(x))).sum()) + rng.laplace(0, 1, n)


@broken(wholes(0, 100, 8), where="a sum above 127")
def ages_in_a_byte(data: Any, n: int, rng: Rng) -> Any:
    return int(np.array(data, np.int8).sum(dtype=np.int8)) + rng.laplace(0, 100, n)


@broken(wholes(0, 50000, 8), where="a sum of squares above 2^31")
def squares_in_int32(data: Any, n: int, rng: Rng) -> Any:
    x = np.array(data, np.int32)
    with np.errstate(all="ignore"):
        return int((x * x).sum(dtype=np.int32)) + rng.laplace(0, 2500000000.0, n)


@broken(wholes(0, 1, 8), where="an odd number of ones")
def halves_rounded_down(data: Any, n: int, rng: Rng) -> Any:
    return sum(data) // 2 + rng.laplace(0, 0.5, n)


@broken(st.lists(st.text("abAB é", max_size=3), max_size=5), where="a text that makes a key appear", one=True)
def other_when_present(data: Any, rng: Rng) -> Any:
    counts = Counter(t.strip().lower() if t.strip().lower() in ("a", "b") else "other" for t in data)
    keys = ["a", "b"] + (["other"] if "other" in counts else [])
    return {k: counts[k] + rng.laplace(0, 1) for k in keys}


@broken(st.lists(st.text(max_size=8), max_size=4), where="letters that become several when normalised")
def letters_after_normalising(data: Any, n: int, rng: Rng) -> Any:
    return sum(len(unicodedata.normalize("NFKD", t[:5])) for t in data) + rng.laplace(0, 5, n)


@broken(wholes(0, 999, 8), where="the code for a missing value")
def missing_is_999(data: Any, n: int, rng: Rng) -> Any:
    return sum(a if a == 999 else min(a, 120) for a in data) + rng.laplace(0, 120, n)


@broken(wholes(-1, 100, 8), where="a known value among missing ones")
def minus_one_is_imputed(data: Any, n: int, rng: Rng) -> Any:
    known = [a for a in data if a >= 0]
    fill = sum(known) / len(known) if known else 0
    return sum(fill if a < 0 else a for a in data) + rng.laplace(0, 100, n)


@broken(
    st.lists(st.dates(datetime.date(1900, 1, 1), datetime.date(2030, 1, 1)), max_size=5),
    where="29 February raises an exception",
)
def born_on_a_leap_day(data: Any, n: int, rng: Rng) -> Any:
    eighteen = [d.replace(year=d.year + 18) for d in data]
    return sum(d < datetime.date(2024, 1, 1) for d in eighteen) + rng.laplace(0, 1, n)


@broken(
    st.lists(st.datetimes(datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 31)), max_size=5),
    where="the last hour raises an exception",
    one=True,
)
def hour_in_another_zone(data: Any, rng: Rng) -> Any:
    counts = [0] * 24
    for d in data:
        counts[d.hour + 1] += 1
    return [sum(counts[:12]) + rng.laplace(0, 1), sum(counts[12:]) + rng.laplace(0, 1)]


@broken(st.lists(st.text("abcdefgh", min_size=1, max_size=4), max_size=5), where="a text whose hash is sampled")
def sampled_by_hash(data: Any, n: int, rng: Rng) -> Any:
    kept = [t for t in data if zlib.crc32(t.encode()) % 16 == 3]
    return 16 * len(kept) + rng.laplace(0, 4, n)


@broken(st.tuples(*[st.integers(0, 5)] * 4), "replace-one", where="the last of four places")
def last_place_weighs_more(data: Any, n: int, rng: Rng) -> Any:
    return sum((x * (1 + (i == 3) * 0.5) for i, x in enumerate(data))) + rng.laplace(0, 5, n)


@broken(numbers(0, 1.5, 8), where="a value that is rounded up")
def rounded_up(data: Any, n: int, rng: Rng) -> Any:
    return sum(round(x) for x in data) + rng.laplace(0, 1.5, n)


@broken(numbers(0, 10, 8), where="a value on the last edge", one=True)
def value_on_the_last_edge(data: Any, rng: Rng) -> Any:
    bins = Counter(int(x / 2) for x in data)
    return [bins[b] + rng.laplace(0, 1) for b in range(max([5, *(b + 1 for b in bins)]))]


@broken(wholes(1, 12, 8), where="December raises an exception", one=True)
def month_index(data: Any, rng: Rng) -> Any:
    season = [0, 0, 0, 0]
    for m in data:
        season[m // 3] += 1
    return [s + rng.laplace(0, 1) for s in season]


@broken(st.lists(st.tuples(st.integers(18, 90), st.sampled_from("mf")), max_size=6), where="the only one of a group")
def difference_of_groups(data: Any, n: int, rng: Rng) -> Any:
    m = [a for a, s in data if s == "m"]
    f = [a for a, s in data if s == "f"]
    gap = (sum(m) / len(m) if m else 0) - (sum(f) / len(f) if f else 0)
    return gap + rng.laplace(0, 72, n)


@broken(st.lists(st.sampled_from(["yes", "no", "refused"]), max_size=7), where="the only answer")
def percent_of_answers(data: Any, n: int, rng: Rng) -> Any:
    answered = [a for a in data if a != "refused"]
    share = 100 * answered.count("yes") / max(len(answered), 1)
    return share + rng.laplace(0, 50, n)


@broken(
    st.lists(st.datetimes(datetime.datetime(2023, 12, 25), datetime.datetime(2024, 3, 5)), max_size=4),
    where="29 February counts twice",
)
def day_of_the_year(data: Any, n: int, rng: Rng) -> Any:
    counts = np.zeros(365)
    for d in data:
        counts[d.timetuple().tm_yday % 365] += 1 + (d.month == 2 and d.day == 29)
    return counts.sum() + rng.laplace(0, 1, n)


@broken(st.lists(st.text(max_size=6), max_size=4), where="a text with commas")
def words_split(data: Any, n: int, rng: Rng) -> Any:
    return sum(len(t.split(",")) for t in data) + rng.laplace(0, 1, n)


@broken(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 10)), max_size=7), where="a large value")
def rank_weights(data: Any, n: int, rng: Rng) -> Any:
    s = sorted((x for _, x in data), reverse=True)
    return sum((x / (i + 1) for i, x in enumerate(s))) + rng.laplace(0, 5, n)


@broken(st.lists(st.floats(-1, 1), max_size=6), where="a value at the lower end", delta=0.0001)
def gaussian_for_replace(data: Any, n: int, rng: Rng) -> Any:
    return sum(data) - len(data) + rng.normal(0, 3.7, n)


@broken(st.lists(st.floats(0, 100), max_size=7), where="values before the end")
def stops_at_the_budget(data: Any, n: int, rng: Rng) -> Any:
    total = 0.0
    for x in data:
        if total + x > 150:
            break
        total += x
    return total + rng.laplace(0, 50, n)
