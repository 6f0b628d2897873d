"""Lecture 002: every entry comes out as expected; the numbers of its findings."""

import pytest
from lectures import EveryEntry

from auditor.notes.lecture_002.amplification import mix, response
from auditor.notes.lecture_002.gaussian import first_violation
from mechanisms.gaussian_classic import classic_sigma

LECTURE = "002"


class TestEveryEntry(EveryEntry):
    """See lectures.py."""


def test_where_theorem_5_19_becomes_false(entries):
    entry = entries["002-T5.19"]
    assert entry.claimed == pytest.approx(0.485955, abs=1e-6)
    assert entry.exact == pytest.approx(0.286208, abs=1e-6)  # 1/2 - e Phi(-sqrt 2), from tables
    assert "0.2163" in entry.finding


def test_where_the_classic_calibration_fails():
    # from a search over a fine grid with mpmath-free arithmetic: the ledger's own table
    for delta, epsilon in ((0.9, 3.787), (1e-5, 8.420), (1e-9, 9.624)):
        assert first_violation(classic_sigma, delta) == pytest.approx(epsilon, abs=1e-3)
    assert first_violation(lambda e, d, s: 2 * classic_sigma(e, d, s), 0.5, highest=5.0) == float("inf")


def test_subsampling_mixes_the_two_laws():
    one, zero = response(1.0)
    assert one[0] / zero[0] == pytest.approx(2.718281828)
    assert mix(0.25, one, zero).sum() == pytest.approx(1)
    assert mix(0.0, one, zero) == pytest.approx(zero)
