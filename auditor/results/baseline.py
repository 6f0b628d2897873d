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
    """One difference to the baseline, in words; `worse` ones belong at the top.

    `blind`: the audit sees less than the one before, so that a worse mechanism could look the same.
    """

    id: str
    words: str
    worse: bool
    blind: bool = False

    def __str__(self) -> str:
        return f"{self.id}: {self.words}"


def compare(old: Document, new: Document, whole: bool = True) -> tuple[Change, ...]:
    """Every difference that matters, the worse ones first, then where audits became blind.

    `whole`: the new run was meant to audit everything that the old one did.
    """
    before = {entry.id: entry for entry in old.entries}
    changes = [change for entry in new.entries for change in _changes(before.get(entry.id), entry)]
    audited = {entry.id for entry in new.entries}
    if whole and not new.interrupted:
        gone = [entry for entry in old.entries if entry.id not in audited]
        changes += [Change(entry.id, "in the baseline, and not audited any more", True) for entry in gone]
    return tuple(sorted(changes, key=lambda change: (not change.worse, not change.blind)))


def _changes(old: Entry | None, new: Entry) -> list[Change]:
    if old is None:
        words = f"new, {new.outcome}"
        return [Change(new.id, words, new.failed)]
    if new.claimed is not None and old.claimed is not None and new.claimed > old.claimed:
        words = f"claims {new.quantity} {new.claimed:.4g}, was {old.claimed:.4g}; {new.outcome}"
        return [Change(new.id, words, True)]
    if new.outcome != old.outcome and _unseen(old, new):
        words = f"not refuted, was refuted with {old.certified:.4g}; now blind below epsilon {new.detectable:.4g}"
        return [Change(new.id, words, False, True)]
    if new.outcome != old.outcome:
        worse = new.outcome == ERROR_OUTCOME or new.outcome == "refuted"
        what = "newly refuted" if new.outcome == "refuted" else f"{new.outcome}, was {old.outcome}"
        return [Change(new.id, what + _accepted_words(old, new), worse)]
    if rose(old, new):
        return [Change(new.id, f"certified epsilon {new.certified:.4g}, was {old.certified:.4g}", True)]
    if new.outcome == "not refuted" and _blinder(old.detectable, new.detectable):
        words = f"blind below epsilon {new.detectable:.4g}, was {old.detectable:.4g}"
        return [Change(new.id, words, False, True)]
    return []


def _unseen(old: Entry, new: Entry) -> bool:
    """Whether a refutation went away in an audit that would not have found it: no news of a repair."""
    if (old.outcome, new.outcome) != ("refuted", "not refuted") or old.certified is None or new.detectable is None:
        return False
    return new.detectable > old.certified


def _blinder(before: float | None, now: float | None) -> bool:
    """Whether the smallest epsilon that would be refuted went up by more than another seed would move it."""
    if before is None or now is None:
        return False
    return now > before * (1 + RELATIVE_MARGIN) + ABSOLUTE_MARGIN


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
