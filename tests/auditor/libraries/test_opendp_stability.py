"""Transformations against their maps, with a small stand-in for OpenDP's classes; nothing is random."""

import sys
import types

import hypothesis.strategies as st
import pytest

from auditor import NeighbourPair, UsageError, neighbouring
from auditor.libraries import opendp


class Domain:
    def __init__(self, allowed=lambda data: isinstance(data, list)):
        self.member = allowed


class Transformation:
    def __init__(self, function, map, output_metric="AbsoluteDistance(i32)", input_domain=None):
        self.function, self.map = function, map
        self.input_metric, self.output_metric = "SymmetricDistance()", output_metric
        self.input_domain = input_domain or Domain()

    def __call__(self, data):
        return self.function(data)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = types.ModuleType("opendp.mod")
    module.Transformation = Transformation
    monkeypatch.setitem(sys.modules, "opendp", types.ModuleType("opendp"))
    monkeypatch.setitem(sys.modules, "opendp.mod", module)


LISTS = neighbouring(st.lists(st.integers(0, 9), max_size=4))


def clamped_sum(data):
    return sum(min(item, 5) for item in data)


def test_a_true_map_is_not_refuted():
    found = opendp.stability(Transformation(clamped_sum, lambda d: 5 * d), 1, LISTS, examples=100)
    assert not found.refuted
    assert (found.distance, found.allowed) == (5, 5)
    assert str(found).startswith("NOT REFUTED: the map says 5 at d_in=1 (AbsoluteDistance(i32)), and at worst, on ")


def test_a_map_that_says_too_little_is_refuted_on_a_small_pair():
    found = opendp.stability(Transformation(clamped_sum, lambda d: 4 * d), 1, LISTS, examples=100)
    assert found.refuted
    assert (found.distance, found.allowed) == (5, 4)
    assert found.pair.left == [5]
    assert found.pair.right == []
    assert found.answers == (5, 0)
    assert "but on [5] and [] (add/remove) the answers 5 and 0 are 5.0 apart" in str(found)


def test_pairs_further_apart_than_told_are_passed_over():
    """A replaced record is two away, so that a distance of 1 leaves equal pairs alone."""
    pairs = neighbouring(st.lists(st.integers(0, 9), min_size=1, max_size=3), relation="replace-one")
    count = Transformation(clamped_sum, lambda d: 0 * d)
    assert not opendp.stability(count, 1, pairs, examples=60).refuted
    assert opendp.stability(count, 2, pairs, examples=60).refuted


def test_no_members_of_the_domain_are_passed_over():
    """On lists of at most two records the sum is at most 1; longer ones are no members."""
    few = Domain(lambda data: len(data) <= 2 and all(item <= 1 for item in data))
    assert not opendp.stability(Transformation(sum, lambda d: d, input_domain=few), 1, LISTS, examples=100).refuted


def test_raising_on_one_side_is_infinitely_far():
    def fragile(data):
        if 3 in data:
            raise ZeroDivisionError
        return 0

    found = opendp.stability(Transformation(fragile, lambda d: 1000), 1, [([3], []), ([3, 3], [3]), ([1], [])])
    assert found.refuted
    assert found.distance == float("inf")
    assert found.pair.left == [3]
    assert "(raised ZeroDivisionError) and 0 are inf apart; 3 pairs were tried" in str(found)


def test_lists_of_pairs_are_checked():
    total = Transformation(clamped_sum, lambda d: 5 * d)
    assert not opendp.stability(total, 1, [NeighbourPair([9], []), ([1, 2], [1])]).refuted
    with pytest.raises(UsageError, match=r"a pair must be of members of .* within d_in=1, got \[9, 9\] and \[\]"):
        opendp.stability(total, 1, [([9, 9], [])])


@pytest.mark.parametrize(
    ("transformation", "words"),
    [
        (len, "an OpenDP Transformation, got a builtin_function_or_method"),
        (Transformation(len, lambda d: d / 0), "d_in must be a distance that the map takes"),
        (Transformation(len, lambda d: d, output_metric="UserDistance"), "the metric must be one of"),
        (Transformation(lambda data: object(), lambda d: d, output_metric="DiscreteDistance()"), "deterministic"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(transformation, words):
    with pytest.raises(UsageError, match=words):
        opendp.stability(transformation, 1, [([1], [])])
