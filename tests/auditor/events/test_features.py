"""Features against their definitions, one output at a time; the values view never sees bits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.events import features
from auditor.events.outputs import Form, Outputs


def outputs(matrix, floating=True) -> Outputs:
    matrix = np.asarray(matrix, dtype=float)
    kind = "numbers" if matrix.shape[1] == 1 else "vectors"
    return Outputs(matrix, None, Form(kind, matrix.shape[1], floating))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_low_bit_is_the_k_of_an_odd_multiple_of_two_to_the_k(x):
    (k,) = features.low_bit(np.array([x]))
    if x == 0:
        assert k == features.low_bit(np.array([0.0]))[0] > 1100
    else:
        multiple = Fraction(x) / Fraction(2) ** int(k)
        assert multiple.denominator == 1
        assert multiple.numerator % 2 == 1


def test_low_bit_of_what_is_no_number_is_nan():
    assert np.isnan(features.low_bit(np.array([math.nan, math.inf, -math.inf]))).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_bits_of_a_number_say_its_exponent_and_its_lowest_bit(values):
    column = features.column_of(outputs([[v] for v in values]), "bits of x")
    seen = {}
    for x, bits in zip(values, column, strict=True):
        key = (math.frexp(x)[1], features.low_bit(np.array([x]))[0])
        assert seen.setdefault(bits, key) == key


MATRIX = np.array([[3.0, 1.0, 2.0], [np.nan, 5.0, 5.0], [7.0, 7.0, 7.0], [np.nan, np.nan, np.nan]])
EXPECTED = {
    "x[1]": [1.0, 5.0, 7.0, np.nan],
    "x[2]-x[1]": [1.0, 0.0, 0.0, np.nan],
    "x[9]": [np.nan] * 4,
    "sum": [6.0, 10.0, 21.0, 0.0],
    "max": [3.0, 5.0, 7.0, np.nan],
    "min": [1.0, 5.0, 7.0, np.nan],
    "range": [2.0, 0.0, 0.0, np.nan],
    "argmax": [0.0, 1.0, 0.0, 0.0],
    "bottoms": [0.0, 1.0, 0.0, 3.0],
    "first bottom": [3.0, 0.0, 3.0, 0.0],
    "sorted[0]": [1.0, 5.0, 7.0, np.nan],
    "sorted[2]": [3.0, np.nan, 7.0, np.nan],
    "low bit of x[0]": [0.0, np.nan, 0.0, np.nan],
    "lowest low bit": [0.0, 0.0, 0.0, np.nan],
}


@pytest.mark.parametrize("feature", EXPECTED)
def test_features_by_hand(feature):
    found = features.column_of(outputs(MATRIX), feature)
    assert np.array_equal(found, EXPECTED[feature], equal_nan=True)


def test_the_first_change_is_where_a_vector_leaves_its_first_value():
    found = features.column_of(outputs([[1, 1, 2], [1, 2, 1], [4, 4, 4]]), "first change")
    assert found.tolist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize(
    "feature", ["y", "x[-1]", "x[a]", "sorted[]", "x; import os", "sum of x", "", "x" * 99, 3, None]
)
def test_what_is_no_feature_is_refused(feature):
    with pytest.raises(ValueError, match="a feature must be"):
        features.checked_feature(feature)


@pytest.mark.parametrize("width", [1, 2, 3, 20, 100])
@pytest.mark.parametrize("missing", [False, True])
def test_every_listed_feature_is_known_and_can_be_computed(width, missing):
    matrix = np.random.default_rng(0).random((5, width))
    if missing:
        matrix[0, 0] = np.nan
    batch = outputs(matrix)
    for name in features.values_features(batch) + features.bits_features(batch):
        assert features.checked_feature(name) == name
        assert len(features.column_of(batch, name)) == 5


def test_the_values_view_never_looks_at_bits_and_whole_numbers_have_none():
    batch = outputs(np.random.default_rng(0).random((5, 4)))
    assert not any("bit" in name for name in features.values_features(batch))
    assert all("bit" in name for name in features.bits_features(batch))
    assert features.bits_features(outputs([[1.0], [2.0]], floating=False)) == []
