"""Lecture 000: every entry comes out as expected; the numbers of its findings."""

import pytest
from lectures import EveryEntry

LECTURE = "000"


class TestEveryEntry(EveryEntry):
    """See lectures.py."""


@pytest.mark.parametrize(
    ("name", "exact"),
    [("R1", 1.612e-4), ("D2b", 4.540), ("R2", 8.21e-7), ("R3", 1884.5), ("T4.3", 0.62246), ("S4", 0.02190)],
)
def test_numbers_of_the_findings(entries, name, exact):
    # from an independent computation of the same quantities
    assert entries[f"{LECTURE}-{name}"].exact == pytest.approx(exact, rel=1e-3)
