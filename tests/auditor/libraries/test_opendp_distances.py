"""Distances in OpenDP's metrics are exact, and named by the text of the metric alone."""

import itertools
import math

import pytest

from auditor import UsageError
from auditor.libraries.opendp import distance

NAN = float("nan")


@pytest.mark.parametrize(
    ("metric", "left", "right", "expected"),
    [
        ("SymmetricDistance()", [1, 1, 2], [2, 1], 1),
        ("SymmetricDistance()", [1, 1, 2], [2, 3, 1], 2),
        ("SymmetricDistance()", [NAN], [NAN], 0),
        ("InsertDeleteDistance()", [1, 2, 3], [2, 3, 4], 2),
        ("InsertDeleteDistance()", [1, 2], [2, 1], 2),
        ("InsertDeleteDistance()", [], [1], 1),
        ("ChangeOneDistance()", [1, 2], [2, 3], 1),
        ("ChangeOneDistance()", [1], [1, 1], math.inf),
        ("HammingDistance()", [1, 2, 3], [2, 3, 1], 3),
        ("HammingDistance()", [1], [1, 1], math.inf),
        ("DiscreteDistance()", "a", "b", 1),
        ("AbsoluteDistance(f64)", 0.5, -1.0, 1.5),
        ("AbsoluteDistance(f64)", NAN, 1.0, math.inf),
        ("AbsoluteDistance(f64)", NAN, None, 0),
        ("L1Distance(i32)", [1, 5], [2, 3], 3),
        ("L1Distance(i32)", {"a": 1}, {"b": 2}, 3),
        ("L1Distance(i32)", [1], [1, 1], math.inf),
        ("L2Distance(f64)", [0, 0], [3, 4], 5),
        ("LInfDistance(T=f64)", [0, 0], [3, -4], 4),
        ("LInfDistance(monotonic, T=f64)", [0, 0], [3, 4], 4),
        ("LInfDistance(monotonic, T=f64)", [0, 0], [3, -4], math.inf),
        ("L01InfDistance(AbsoluteDistance(i32))", {"a": 1, "b": 2}, {"b": 5}, (2, 4, 3)),
        ("L02InfDistance(AbsoluteDistance(i32))", {"a": 4}, {"b": 3}, (2, 5, 4)),
    ],
)
def test_known_distances(metric, left, right, expected):
    assert distance(metric)(left, right) == expected
    assert distance(metric)(right, left) == expected


def test_insert_delete_is_that_of_all_subsequences():
    """Against a search through all common subsequences."""
    words = [list(word) for n in range(4) for word in itertools.product("ab", repeat=n)]
    for left, right in itertools.product(words, words):
        common = max(
            k
            for k in range(len(left) + 1)
            for kept in itertools.combinations(left, k)
            if kept in set(itertools.combinations(right, k))
        )
        assert distance("InsertDeleteDistance()")(left, right) == len(left) + len(right) - 2 * common


def test_a_bound_is_exceeded_by_the_smallest_excess():
    """1 and 1 + 2^-52 are told apart although their distance from 2^60 is the same double."""
    absolute, far = distance("AbsoluteDistance(f64)"), 2.0**60
    assert absolute(-1.0, far) == absolute(-1.0 - 2**-52, far) == far
    assert not absolute.exceeds(0.0, far, far)
    assert absolute.exceeds(-(2.0**-52), far, far)
    assert absolute.ratio(-(2.0**-52), far, far) > 1
    assert absolute.ratio(0.0, far, far) == 1


def test_roots_are_not_taken():
    """sqrt(2) is no double: the next double below it is exceeded, the next above is not."""
    euclidean, root = distance("L2Distance(f64)"), math.sqrt(2)
    above, below = (root, math.nextafter(root, 0)) if root * root > 2 else (math.nextafter(root, 2), root)
    assert euclidean.exceeds([0, 0], [1, 1], below)
    assert not euclidean.exceeds([0, 0], [1, 1], above)


def test_any_part_may_exceed():
    grouped = distance("L01InfDistance(AbsoluteDistance(i32))")
    assert not grouped.exceeds({"a": 1}, {}, (1, 1, 1))
    assert grouped.exceeds({"a": 1, "b": 1}, {}, (1, 2, 1))
    assert grouped.ratio({"a": 1, "b": 1}, {}, (1, 2, 1)) == 2
    assert grouped.ratio({"a": 1}, {}, (0, 1, 1)) == math.inf


@pytest.mark.parametrize("metric", ["FrameDistance(SymmetricDistance())", "L01InfDistance(SymmetricDistance())", "x"])
def test_unknown_metrics_get_a_sentence(metric):
    with pytest.raises(UsageError, match="the metric must be one of"):
        distance(metric)
