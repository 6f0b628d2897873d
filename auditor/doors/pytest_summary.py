"""What the pytest plugin prints under the heading "dp-audit" at the end of a test run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.results.entry import Entry


def summary(entries: Sequence[Entry], alphas: float) -> list[str]:
    """The lines under the heading "dp-audit"."""
    from auditor.doors import gate
    from auditor.escaping import logged

    refuted = sum(entry.outcome == "refuted" for entry in entries)
    errors = sum(entry.outcome == "error" for entry in entries)
    broken = f", {errors} without a verdict" if errors else ""
    audits = "1 audit" if len(entries) == 1 else f"{len(entries)} audits"
    lines = [f"{audits}, {refuted} refuted{broken}; not refuted is not proof"]
    blind = gate.weakest(entries)
    if blind is not None:
        spot = f"below epsilon {blind.detectable:.4g}, claimed {blind.claimed:.4g}"
        lines.append(f"weakest blind spot: {spot}, in {blind.id}")
    for entry in entries:
        for warning in () if entry.audit is None or entry.outcome == "refuted" else entry.audit["warnings"]:
            text = logged(f"noticed in {entry.id}: {warning}")
            lines += textwrap.wrap(text, 79, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    if alphas:
        lines.append(f"expected false alarms: at most {alphas:.3g} in a run ({_repeats(entries)})")
    return lines


def _repeats(entries: Sequence[Entry]) -> str:
    """Whether another run with the same seed comes out the same, and why not."""
    judged = [entry for entry in entries if entry.audit is not None]
    why = [reason for entry in judged if (reason := _not_again(entry)) is not None]
    if not why:
        return "the same seed repeats itself"
    reasons = ", ".join(dict.fromkeys(why))
    if len(why) == len(judged):
        return f"no seed repeats it: {reasons}"
    return f"the same seed repeats itself, but for {len(why)} of {len(judged)}: {reasons}"


def _not_again(entry: Entry) -> str | None:
    """Why the same seed need not repeat an audit; None where it does."""
    audit = entry.audit or {}
    if not audit["replayable"]:
        return "the mechanism draws its own randomness"
    if "cut_off" in audit:
        return "a time limit cut it off"
    return "the seconds set its trials" if "seconds" in (entry.location or {}) else None
