"""Lecture 000: every id of the ledger is there, in order, and comes out as expected; the findings' numbers."""

import pytest

from auditor.ledger.notes import checks, run_check

IDS = "T1 R1 C0 D2 D2b T3 E0 R2 T2.1 R3 E1 T4 T4.1 T4.2 T4.3 T4.4 L3.1 L3.2 S4 L4.1".split()
BY_ID = {check.id: check for check in checks()}


@pytest.fixture(scope="module")
def entries():
    """Every entry of the lecture, computed once, quickly. False alarms: at most the run's alpha, .01, fixed seed."""
    return {name: run_check(BY_ID[f"000-{name}"], quick=True) for name in IDS}


def test_every_id_is_there_in_order():
    assert [check.id for check in checks() if check.id.startswith("000")] == [f"000-{name}" for name in IDS]


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
