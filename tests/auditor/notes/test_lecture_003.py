"""Lecture 003: every entry comes out as expected; the numbers of its findings."""

import pytest
from lectures import EveryEntry

LECTURE = "003"


class TestEveryEntry(EveryEntry):
    """See lectures.py."""


@pytest.mark.parametrize(
    ("name", "exact"),
    [("EYE", 0.08999), ("U2", 0.00501), ("E3", 4.01), ("M1", 6.0)],
)
def test_numbers_of_the_findings(entries, name, exact):
    # from an independent computation of the same quantities
    assert entries[f"{LECTURE}-{name}"].exact == pytest.approx(exact, rel=1e-3)
