"""Events in words: names of the output's own, and binary digits that explain themselves."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from auditor.events import features
from auditor.events.names import column_names
from auditor.events.objects import numbers_of
from auditor.events.outputs import form_of
from auditor.events.scores import Labels, Rows, Steps, Sum, Trees, Value
from auditor.events.words import compared, feature_words, within

INF = math.inf


@dataclasses.dataclass
class Meta:
    rows: int
    note: str
    scale: float


@dataclasses.dataclass
class Release:
    total: float
    meta: Meta


Pair = namedtuple("Pair", "first second")
RECORD = np.array([(1.0, 2)], dtype=[("age", float), ("pay", int)])


@pytest.mark.parametrize(
    ("output", "names"),
    [
        (Release(1.0, Meta(2, "n", 3.0)), ("total", "meta.rows", "meta.scale")),
        ({"b": 1.0, "a": [1, 2]}, ("a[0]", "a[1]", "b")),
        ({2: 1.0}, ("key 2", "2")),
        (Pair(1, {"x": 2}), ("first", "second.x")),
        (("text", 1.0, Pair(1, 2)), ("x[1]", "x[2].first", "x[2].second")),
        (RECORD[0], ("age", "pay")),
        ((1, 2j), ("x[0]", "x[1].real", "x[1].imag")),
        ([1.0, 2.0], ()),
        (np.ones(3), ()),
        (1.5, ()),
        ("text", ()),
    ],
    ids=str,
)
def test_numbers_keep_their_names(output: Any, names: tuple[str, ...]) -> None:
    assert column_names([output], 100) == names
    assert not names or len(names) == len(list(numbers_of(output)))


def test_frames_and_series_keep_their_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, 2.0], "pay": [3.0, 4.0]})
    assert column_names(frame, 100) == ("age", "pay")
    assert form_of([frame, frame], "it").names == ("age", "pay")
    assert column_names([frame["age"].rename(index={0: "low", 1: "high"})], 100) == ("low", "high")


def test_a_name_is_short_and_in_one_line() -> None:
    (name, _) = column_names([{"a\n" * 100: 1.0, "b": 2}], 10)
    assert len(name) == 40
    assert "\n" not in name


def test_objects_that_cannot_be_looked_into_have_no_names() -> None:
    class Odd:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError

    assert column_names([Odd()], 10) == ()
    assert column_names([], 10) == ()


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("x", "x"),
        ("x[0]", "age"),
        ("x[1]-x[0]", "pay - age"),
        ("x[7]", "x[7]"),
        ("sum", "the sum of all numbers"),
        ("argmax", "the index of the largest number"),
        ("sorted[2]", "the 3rd smallest number"),
        ("low bit of x[1]", "the last binary digit of pay"),
    ],
)
def test_features_in_words(feature: str, words: str) -> None:
    assert feature_words(feature, ("age", "pay")) == words


@pytest.mark.parametrize(
    ("feature", "low", "high", "words"),
    [
        ("x[1]", 1.0, 2.0, "1 <= pay < 2"),
        ("low bit of x", -20, INF, "x is a multiple of 2^-20"),
        ("low bit of x", -INF, -19, "x is no multiple of 2^-19"),
        ("low bit of x", -20, -19, "x is an odd multiple of 2^-20"),
        ("low bit of x", -20, -17, "x is a multiple of 2^-20 but no multiple of 2^-17"),
        ("low bit of x", 2000, 2001, "x = 0"),
        ("low bit of x", -INF, INF, "x is a number"),
        ("low bit of x", 0, INF, "x is a whole number"),
        ("low bit of x", -INF, 0, "x is no whole number"),
        ("low bit of x", -1, 0, "x is an odd multiple of 0.5"),
        ("bits of x", 9999, 10000, "1 <= |x| < 2 and x is an odd multiple of 0.5"),
        ("bits of x", 9990, 10000, "1 <= |x| < 2 and x is a multiple of 2^-10 but no whole number"),
        ("bits of x", 9990, 30000, "1 <= |x| < 8"),
        ("bits of x", 2000, 2001, "x = 0"),
        ("bits of x", -INF, INF, "x is a number"),
        ("sign bit of x", 1, INF, "x has a minus sign (-0.0 has one, too)"),
        ("sign bit of x", -INF, 1, "x has no minus sign"),
        ("sum", math.nextafter(0.0, 1.0), 2.0, "0 < the sum of all numbers < 2"),
        ("sum", 1.0, math.nextafter(2.0, 3.0), "1 <= the sum of all numbers <= 2"),
        ("x", -INF, INF, "x is a number"),
    ],
)
def test_ranges_in_words(feature: str, low: float, high: float, words: str) -> None:
    assert within(feature, low, high, ("age", "pay")) == words


@pytest.mark.parametrize("value", [1.5, -0.375, 1024.0, 3e-5, 7.0])
def test_binary_digits_mean_what_the_words_say(value: float) -> None:
    outputs = np.array([[value]])
    digit = float(features.low_bit(outputs[:, 0])[0])
    assert value % 2**digit == 0
    assert value % 2 ** (digit + 1) != 0
    code = float(features.exponent_and_low_bit(outputs[:, 0])[0])
    said = within("bits of x", code, code + 1)
    low, high, odd = re.findall(r"2\^-?\d+|[\d.]+", said)
    assert said == f"{low} <= |x| < {high} and x is an odd multiple of {odd}"
    low, high, odd = (2.0 ** int(text[2:]) if "^" in text else float(text) for text in (low, high, odd))
    assert low <= abs(value) < high
    assert value / odd % 2 == 1


def test_thresholds_on_binary_digits() -> None:
    assert compared("low bit of x", ">=", -20.0) == "x is a multiple of 2^-20"
    assert compared("low bit of x", "<=", -20.0) == "x is no multiple of 2^-19"
    assert compared("x[0]", ">=", 1.5, ("age",)) == "age >= 1.5"


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (Value("x[1]"), "pay >= 1"),
        (Labels((("yes", 1.0), ("no", 0.0))), "the output is 'yes'"),
        (Labels((("a", 1.0), ("b", 1.0))), "the output is one of 'a', 'b'"),
        (Labels((("('low', #)", 1.0),)), "the output is of the form ('low', #)"),
        (Labels((("#", 1.0),)), "the output is a number"),
        (Rows(((0.0, 1.0), (0.0, 1.0)), (1,), (1.0,)), "age = 0 and pay = 1"),
        (
            Sum((Steps("x[0]", (), (1.0,)), Steps("x[1]", (), (1.0,)))),
            "age and pay together speak for the left by at least 2.72 to 1 (by earlier draws)",
        ),
        (
            Trees(("x[0]", "x[1]"), (((1, 0.5, 1, 2, 0.0), (-1, 0, 0, 0, 1.0), (-1, 0, 0, 0, 2.0)),)),
            "a decision tree over pay (grown on earlier draws) takes the output for one of the left input (score >= 1)",
        ),
    ],
    ids=lambda part: type(part).__name__,
)
def test_scores_in_words(score: Any, words: str) -> None:
    assert score.words(">=", 1.0, ("age", "pay")) == words
