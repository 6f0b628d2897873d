"""The ledger: every claim of the lecture notes as a check that computes its outcome, one file a lecture."""

from auditor.ledger.entries import Check, Outcome, entry, judge, not_checked
from auditor.ledger.facts import Fact, at_least, at_most, close, everywhere, fact, fails
from auditor.ledger.notes import checks, notes, random_tests, run_ledger
from auditor.ledger.run import Interval, Run

__all__ = [
    "Check",
    "Fact",
    "Interval",
    "Outcome",
    "Run",
    "at_least",
    "at_most",
    "checks",
    "close",
    "entry",
    "everywhere",
    "fact",
    "fails",
    "judge",
    "not_checked",
    "notes",
    "random_tests",
    "run_ledger",
]
