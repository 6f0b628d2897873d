import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest

from auditor import UsageError, neighbouring, sensitivity

NUMBERS = neighbouring(st.lists(st.floats(0, 1000, allow_nan=False), max_size=6))
SEEDS = 2


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_median_jumps_over_the_whole_range_and_the_pair_is_small(seed):
    found = sensitivity(lambda d: float(np.median(d)) if d else 0.0, NUMBERS, seed=seed)
    assert found.value == 1000
    assert (found.pair.left, found.pair.right) == ([1000.0], [])
    assert 100 < found.tried <= 600


def test_a_clipped_sum_is_as_sensitive_as_its_bound():
    found = sensitivity(lambda d: sum(min(x, 7.0) for x in d), NUMBERS)
    assert found.value == pytest.approx(7)
    assert len(found.pair.left) == 1


def test_the_same_seed_finds_the_same_pair():
    first, second = (sensitivity(lambda d: max(d, default=0.0) ** 2, NUMBERS, seed=5) for _ in range(2))
    assert str(first) == str(second)
    assert "others may be worse" in str(first)


@pytest.mark.parametrize(
    ("norm", "value"), [("l1", 7.0), ("l2", 5.0), ("linf", 4.0), (lambda a, b: 10 * abs(a[0] - b[0]), 30.0)]
)
def test_norms(norm, value):
    assert sensitivity(lambda d: np.array(d), [((3.0, 4.0), (0.0, 0.0))], norm=norm).value == value


@pytest.mark.parametrize(
    ("left", "right", "value"),
    [
        (3, 1, 2.0),
        ([1, 2], [1, 5], 3.0),
        ({"a": 1, "b": 2}, {"a": 1}, 2.0),  # a key that is not there is a zero
        ({"a": [1, 2]}, {"a": [1, 5]}, 3.0),
        (pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [1.0, 9.0]}), 7.0),
        (pd.Series({"a": 5.0}), pd.Series({"b": 5.0}), 10.0),  # rows with labels are keys
        (pd.Series({"a": 5.0, "b": 1.0}), pd.Series({"b": 1.0}), 5.0),
        (pd.DataFrame({"n": [1, 2]}, index=["a", "b"]), pd.DataFrame({"n": [2, 1]}, index=["b", "a"]), 0.0),
        (pd.Series([1.0, 2.0]), pd.Series([1.0]), math.inf),
        ([1, 2], [1, 2, 3], math.inf),
        (float("nan"), 1.0, math.inf),
        (float("nan"), float("nan"), 0.0),
        (math.inf, math.inf, 0.0),
        (math.inf, 1.0, math.inf),
    ],
)
def test_differences_of_outputs(left, right, value):
    assert sensitivity(lambda d: left if d else right, [([1], [])]).value == value


def test_an_exception_on_one_side_is_an_infinite_difference_and_on_both_sides_no_pair():
    found = sensitivity(lambda d: max(d), NUMBERS)
    assert found.value == math.inf
    assert found.pair.right == []
    assert "infinite" in str(found)
    with pytest.raises(UsageError, match="does not raise"):
        sensitivity(lambda d: 1 / 0, NUMBERS)
    assert sensitivity(lambda d: 1 / d, [(0, 0), (1, 2)]).tried == 1


def test_a_function_cannot_spoil_the_search_by_changing_its_input():
    def spoils(d):
        d.append(5.0)
        return sum(d)

    found = sensitivity(spoils, NUMBERS)
    assert len(found.pair.left) == len(found.pair.right) + 1


def test_constants_of_the_function_are_tried():
    whole = neighbouring(st.lists(st.integers(0, 10**9), max_size=4))
    found = sensitivity(lambda d: 500 if 123_456_789 in d else 0, whole)
    assert found.value == 500
    assert found.pair.left == [123_456_789]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3, NUMBERS), "takes a function"),
        ((len, NUMBERS, "l3"), "norm must be one of"),
        ((len, 7), "neighbouring"),
        ((lambda d: "text", [([1], [])]), "returns numbers"),
        ((lambda d: 1 / 0, [([1], [])]), "does not raise, got none; it raised ZeroDivisionError: division by zero"),
    ],
)
def test_bad_arguments_are_told(arguments, words):
    with pytest.raises(UsageError, match=words):
        sensitivity(*arguments)


def test_a_norm_that_gives_none_leaves_the_pair_out():
    pairs = [([1], []), ([9], []), ([3], [])]
    found = sensitivity(sum, pairs, norm=lambda left, right: None if left > 5 else abs(left - right))
    assert (found.value, found.tried) == (3, 2)
