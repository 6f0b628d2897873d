"""Lecture 001: every id of the ledger is there, in order, and comes out as expected; the findings' numbers."""

import pytest

from auditor.ledger.notes import checks, run_check

IDS = "D RR RR-P RR-A LAP LAP-A CMP-RR CMP-L P1.1 P1.2 T1.7 BUD E1 E2 E3 E3b".split()
BY_ID = {check.id: check for check in checks()}


@pytest.fixture(scope="module")
def entries():
    """Every entry of the lecture, computed once, quickly. False alarms: at most the run's alpha, .01, fixed seed."""
    return {name: run_check(BY_ID[f"001-{name}"], quick=True) for name in IDS}


def test_every_id_is_there_in_order():
    assert [check.id for check in checks() if check.id.startswith("001")] == [f"001-{name}" for name in IDS]


@pytest.mark.parametrize("name", IDS)
def test_outcome_is_the_expected_one(entries, name):
    entry = entries[name]
    assert entry.as_expected, entry.reason or entry.explanation


@pytest.mark.parametrize("name", IDS)
def test_what_is_not_plainly_true_says_why(entries, name):
    entry = entries[name]
    if entry.outcome in ("false as printed", "misprint", "holds under condition"):
        assert entry.finding
        assert entry.correction
        assert entry.witness
    assert entry.explanation or entry.reason
