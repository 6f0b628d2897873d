"""Lecture 001: every entry comes out as expected; the numbers of its findings."""

import pytest
from lectures import EveryEntry

LECTURE = "001"


class TestEveryEntry(EveryEntry):
    """See lectures.py."""


@pytest.mark.parametrize(
    ("name", "exact"),
    [("CMP-RR", 0.99999983), ("CMP-L", 0.0029957), ("E1", 7 * 0.25), ("E2", 1.5), ("E3b", 1.0)],
)
def test_numbers_of_the_findings(entries, name, exact):
    # from an independent computation of the same quantities
    assert entries[f"{LECTURE}-{name}"].exact == pytest.approx(exact, rel=1e-4)
