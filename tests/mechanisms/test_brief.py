"""Datasets as they stand in a sentence: short, in one line, and told apart."""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms.core.described import brief


@pytest.mark.parametrize(
    ("dataset", "text"),
    [
        ([1, 2], "[1, 2]"),
        ("a\nb", "'a\\nb'"),
        ([1.0] * 40, "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, … (40 records)"),
        ({str(key): key for key in range(40)}, "{'0': 0, '1': 1, '2': 2, '3': 3, '4': 4, '5': 5, '6': 6, '7…"),
        (np.arange(3), "array([0, 1, 2])"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_short_and_in_one_line(dataset: object, text: str) -> None:
    assert brief(dataset) == text
    assert len(brief(dataset)) <= 60


def test_one_record_more_is_seen_in_long_ones_too() -> None:
    assert brief([0.0] * 100) != brief([0.0] * 101)


def test_a_frame_is_shown_by_its_columns() -> None:
    pandas = pytest.importorskip("pandas")
    assert (
        brief(pandas.DataFrame({"age": [31, 40], "name": ["a", "b"]})) == "frame {'age': [31, 40], 'name': ['a', 'b']}"
    )
    assert brief(pandas.DataFrame({"age": range(1000)})).endswith("… (1000 records)")


def test_what_cannot_be_shown_is_named() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    assert brief(Odd()) == "<Odd>"
