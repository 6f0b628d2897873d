"""Lecture 003: every id of the ledger is there, in order, and comes out as expected; the findings' numbers."""

import pytest

from auditor.ledger.notes import checks, run_check

IDS = "LD LAP R1 R2 R3 E3 E4 EM U U1 U2 EYE M1".split()
BY_ID = {check.id: check for check in checks()}


@pytest.fixture(scope="module")
def entries():
    """Every entry of the lecture, computed once, quickly. False alarms: at most the run's alpha, .01, fixed seed."""
    return {name: run_check(BY_ID[f"003-{name}"], quick=True) for name in IDS}


def test_every_id_is_there_in_order():
    assert [check.id for check in checks() if check.id.startswith("003")] == [f"003-{name}" for name in IDS]


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
