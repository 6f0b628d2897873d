"""Texts as columns: each text fills its row on its own, and each kind of telling detail has a column."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.events.texts import text_eyes


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_a_text_is_read_on_its_own(pilot, later):
    eyes = text_eyes(pilot)
    whole = eyes.read(later)
    assert whole.shape == (len(later), len(eyes.names))
    for row, text in zip(whole, later, strict=True):
        assert np.array_equal(row, eyes.read([text])[0], equal_nan=True)


@pytest.mark.parametrize(
    ("one", "other", "column"),
    [
        ("abcx", "abcy", "character 3"),
        ("abc", "abcd", "length"),
        ("red cat", "red dog", "word 'cat'"),
        ("paid 5", "paid 6", "number 0"),
        ("a b", "a_b", "spaces"),
        ("abc", "aBc", "capital letters"),
        ("abc", "abé", "other characters"),
        ("abcd", "bacd", "beginning"),
        ("long text?", "longer text!", "character -1"),
        ("on 2024-03-01, a Friday", "on 2024-03-02, a Friday", "weekday of the date"),
    ],
)
def test_what_tells_two_texts_apart_has_a_column(one, other, column):
    eyes = text_eyes([one, other, one, other])
    left, right = eyes.read([one, other])[:, eyes.names.index(column)]
    assert left != right
