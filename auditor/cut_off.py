"""An audit that its time limit ends: what the running evidence had shown by then, and what that leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.results.counts import Counts
from auditor.rounds import Examiner, Finding, PairState
from auditor.search.candidates import Candidate


@dataclass(frozen=True)
class CutOff:
    """The time limit that ended an audit, and the rounds that were finished by then, counted over all pairs."""

    seconds: float
    rounds: int


def tested(examiner: Examiner, pairs: Sequence[PairState]) -> bool:
    """Whether a round was finished whose events could be fixed beforehand: every pair's first round only teaches."""
    return len(examiner.course) > len(pairs)


def shown_finding(examiner: Examiner, best: tuple[PairState, Candidate]) -> Finding:
    """The round that added most to the evidence; where none added anything, the best event so far, never counted."""
    if examiner.strongest is not None and (examiner.gained or examiner.refuted):
        return examiner.strongest
    return Finding(*best, Counts(0, 0, 0, 0, 0, 0))


def warning(cut: CutOff, used: int, trials: int) -> str:
    """What happened."""
    return f"Its time limit of {cut.seconds:g} seconds ended this audit after {used:,} of {trials:,} draws a side."


LIMIT = (
    "Cut off by its time limit: what is certified is what the running evidence had shown by then, which holds whenever "
    "one looks. A round that was not finished is not counted, and the last test was not made."
)
