"""The ledger: every claim of the lecture notes as a check that computes its outcome, one file a lecture."""

from auditor.notes.entries import Check, Outcome, entry, judge, not_checked
from auditor.notes.everything import checks, notes, random_tests
from auditor.notes.facts import Fact, at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Interval, Run

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
]
