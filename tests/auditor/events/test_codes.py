"""Numbers that stand for types, texts and characters are told as what they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditor.events.codes import decoded
from auditor.events.scores import Labels, Steps, Sum, Trees
from auditor.events.words import compared, feature_words, within

INF = math.inf
TYPES = "type of zz (0 not there, 1 int)"


def after(number: float) -> float:
    return float(np.nextafter(number, INF))


@pytest.mark.parametrize(
    ("name", "low", "high", "words"),
    [
        (TYPES, -INF, 1.0, "zz is not there"),
        (TYPES, 1.0, after(1.0), "zz is int"),
        (TYPES, after(0.0), INF, "zz is int or anything else"),
        (TYPES, 2.0, INF, "zz is something else than not there or int"),
        ("text of kind (0 'a', 1 'b', …)", -INF, 2.0, "kind is 'a' or 'b'"),
        ("keys of x (0 'a' 'b', 1 'b' 'a')", 1.0, 2.0, "the order of keys in x is 'b' 'a'"),
        ("character 5 of x", 120.0, after(120.0), "the 6th character of x is 'x'"),
        ("character 5 of x", -INF, 49.0, "the 6th character of x comes before '1'"),
        ("character -1 of x", after(63.0), INF, "the last character of x comes after '?'"),
        ("character -2 of x", 97.0, 99.0, "the 2nd last character of x is 'a' to 'b'"),
        ("word 'leak' of x", after(0.0), INF, "'leak' is in x"),
        ("'red' in x", -INF, after(0.0), "'red' is not in x"),
        ("ending of x", float(int.from_bytes(b'": 0}', "big")), None, "x ends in '\": 0}'"),
        ("beginning of x", float(int.from_bytes(b"abcdef", "big")), None, "x begins with 'abcdef'"),
    ],
)
def test_codes_in_words(name: str, low: float, high: float | None, words: str) -> None:
    assert decoded(name, low, after(low) if high is None else high) == words


@pytest.mark.parametrize("name", ["x", "length of x", "type of x", "number of words of x", "ending of x"])
def test_plain_numbers_stay_numbers(name: str) -> None:
    assert decoded(name, -INF, 5.0) is None
    assert compared("x", "<=", 5.0, (name,)) == f"{name} <= 5"


def test_names_of_columns_survive() -> None:
    assert feature_words("x[0]", ("values.pay[1]",)) == "pay[1]"
    assert feature_words("x[1]-x[0]", ("values.age", "values.pay")) == "pay - age"
    assert within("x[0]", 98.0, 99.0, ("character 2 of values.t[1]",)) == "the 3rd character of t[1] is 'b'"


def test_an_unusual_part_of_an_output_is_told_without_quotation_marks() -> None:
    score = Labels((("as usual", -1.0), ("x is tuple", 1.0)))
    assert score.words(">=", 0.5) == "x is tuple"
    assert score.words("<=", -0.5) == "the output has its usual form"
    assert Labels((("left", 1.0), ("right", -1.0))).words(">=", 0.5) == "the output is 'left'"


def test_many_ranges_are_one_clause() -> None:
    score = Steps("x", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0), (1.0, -1.0) * 5)
    assert score.words(">=", 1.0) == "x is below 0, 1 to 2, 3 to 4, 5 to 6 or in one more range"
    assert Steps("x", (), (1.0,), 1.0).words(">=", 1.0) == "any output"
    at_most_0, at_most_1, at_most_8 = (math.nextafter(x, math.inf) for x in (0.0, 1.0, 8.0))
    edges = (at_most_0, at_most_1, 2.0, 3.0, at_most_8)
    score = Steps("x", edges, (1.0, -1.0, 1.0, -1.0, -1.0, 1.0), -1.0)
    assert score.words(">=", 1.0) == "x is at most 0, 1 to 2 or above 8"


@pytest.mark.parametrize(
    ("op", "at", "words"),
    [
        (">=", 1.0, "together speak for the left by at least 2.72 to 1"),
        ("<=", -1.0, "together speak for the right by at least 2.72 to 1"),
        (">=", -1.0, "together speak for the right by at most 2.72 to 1"),
        ("<=", 1.0, "together speak for the left by at most 2.72 to 1"),
    ],
)
def test_a_sum_names_the_side_that_it_speaks_for(op: str, at: float, words: str) -> None:
    score = Sum((Steps("x[0]", (0.0,), (-1.0, 1.0)), Steps("x[1]", (0.0,), (-1.0, 1.0))))
    assert words in score.words(op, at)


@pytest.mark.parametrize(
    ("op", "at", "words"),
    [
        (">=", 0.5, "takes the output for one of the left"),
        (">=", -0.5, "does not take the output for one of the right"),
    ],
)
def test_trees_name_the_side_that_they_speak_for(op: str, at: float, words: str) -> None:
    tree = ((0, 0.0, 1, 2, 0.0), (-1, 0.0, 0, 0, -1.0), (-1, 0.0, 0, 0, 1.0))
    assert words in Trees(("x",), (tree,)).words(op, at)
