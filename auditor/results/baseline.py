"""What became worse since a stored run, and which known findings somebody accepted in the open.

An acceptance is a reason beside a finding, kept in the results file itself: the entry's outcome stays
"refuted", its `expected` becomes "refuted", its `reason` says "accepted: …". It covers what was known then: a
larger loss, a new refutation or an audit that broke is never covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from auditor.errors import UsageError
from auditor.results.document import Document
from auditor.results.entry import ERROR_OUTCOME, Entry

ACCEPTED = "accepted: "
# A certified epsilon is a lower bound from draws: with another seed it moves. Smaller changes are not news.
RELATIVE_MARGIN = 0.1
ABSOLUTE_MARGIN = 0.05


@dataclass(frozen=True)
class Change:
    """One difference to the baseline, in words; `worse` ones belong at the top."""

    id: str
    words: str
    worse: bool

    def __str__(self) -> str:
        return f"{self.id}: {self.words}"


def compare(old: Document, new: Document) -> tuple[Change, ...]:
    """Every difference that matters, the worse ones first."""
    before = {entry.id: entry for entry in old.entries}
    changes = [change for entry in new.entries for change in _changes(before.get(entry.id), entry)]
    audited = {entry.id for entry in new.entries}
    if not new.interrupted:
        gone = [entry for entry in old.entries if entry.id not in audited]
        changes += [Change(entry.id, "in the baseline, and not audited any more", True) for entry in gone]
    return tuple(sorted(changes, key=lambda change: not change.worse))


def _changes(old: Entry | None, new: Entry) -> list[Change]:
    if old is None:
        words = f"new, {new.outcome}"
        return [Change(new.id, words, new.failed)]
    if new.outcome != old.outcome:
        worse = new.outcome == ERROR_OUTCOME or new.outcome == "refuted"
        what = "newly refuted" if new.outcome == "refuted" else f"{new.outcome}, was {old.outcome}"
        return [Change(new.id, what + _accepted_words(old, new), worse)]
    if rose(old, new):
        return [Change(new.id, f"certified epsilon {new.certified:.4g}, was {old.certified:.4g}", True)]
    return []


def _accepted_words(old: Entry, new: Entry) -> str:
    reason = reason_of(old)
    return f"; its acceptance ({reason}) is no longer needed" if reason and new.outcome == "not refuted" else ""


def rose(old: Entry, new: Entry) -> bool:
    """Whether the certified epsilon went up by more than another seed would move it."""
    if new.certified is None:
        return False
    before = old.certified or 0.0
    return new.certified > before * (1 + RELATIVE_MARGIN) + ABSOLUTE_MARGIN


def reason_of(entry: Entry) -> str:
    """Why a finding was accepted; empty when it was not."""
    return entry.reason[len(ACCEPTED) :] if entry.reason.startswith(ACCEPTED) else ""


def accept(old: Document, reasons: Mapping[str, str]) -> Document:
    """The baseline with these findings accepted. Only a refutation that stands in it can be."""
    known = {entry.id: entry for entry in old.entries}
    for identifier, reason in reasons.items():
        entry = known.get(identifier)
        if entry is None or entry.outcome != "refuted":
            raise UsageError(f"only a refutation that stands in the baseline can be accepted, got {identifier!r}")
        if not reason.strip():
            raise UsageError(f"an accepted finding needs a reason, got none for {identifier!r}")
    return replace(
        old,
        entries=tuple(
            _with_reason(entry, reasons[entry.id].strip()) if entry.id in reasons else entry for entry in old.entries
        ),
    )


def carry(old: Document, new: Document) -> Document:
    """The new run with the acceptances of the baseline, where they still cover what was found."""
    before = {entry.id: entry for entry in old.entries}
    return replace(new, entries=tuple(_carried(before.get(entry.id), entry) for entry in new.entries))


def _carried(old: Entry | None, new: Entry) -> Entry:
    reason = reason_of(old) if old is not None else ""
    if old is None or not reason or new.outcome != "refuted" or rose(old, new):
        return new
    return _with_reason(new, reason)


def _with_reason(entry: Entry, reason: str) -> Entry:
    return replace(entry, expected="refuted", reason=f"{ACCEPTED}{reason}")
