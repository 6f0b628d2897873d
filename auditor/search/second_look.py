"""A second look: events that won on the first draws are judged on later ones, at which no one has looked.

A vector has many features, and each has many thresholds. The best of thousands of regions on the first draws is often
a rare one that was lucky there. Only the winners are judged again, on draws that chose none of them, so that luck in
the choice among many does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from auditor.events.event import Event
from auditor.events.outputs import Outputs
from auditor.search.candidates import Candidate, Regions, Scored
from auditor.search.utility import LowerBound, Seen
from auditor.tuning import Learning


def looked_at_again(
    regions: Regions, bounds: Sequence[LowerBound], later: tuple[Outputs, Outputs], tuning: Learning
) -> Candidate | None:
    """The event that is worth most when the winners are judged again; the first of equals."""
    found: list[Candidate] = []
    for bound in bounds:
        both = bound, _cautious(bound, tuning.second_caution)
        winners = [winner for one in both for winner in regions.leading(one, tuning.winners)]
        found += [_judged(scored, candidate.event, bound, candidate, later) for scored, candidate in winners]
    return max(found, key=lambda candidate: candidate.value, default=None)


def _cautious(bound: LowerBound, times: float) -> LowerBound:
    prudence = bound.prudence
    more = replace(prudence, luck_pure=times * prudence.luck_pure, luck_delta=times * prudence.luck_delta)
    return replace(bound, prudence=more)


def _judged(
    scored: Scored, event: Event, bound: LowerBound, before: Candidate, later: tuple[Outputs, Outputs]
) -> Candidate:
    """The event with its worth on the later draws; as it was where its score was judged on all draws."""
    if scored.judged is None:
        return Candidate(event, bound, before.value)
    left, right = (event.guesses(side) for side in later)
    n, m = map(len, later)
    if event.directions == 2:
        mean = (n + m) / 2
        correct, wrong = (left[0] / n + right[1] / m) * mean, (right[0] / m + left[1] / n) * mean
        trials = mean, mean
    else:
        correct, wrong = left[0] + right[1], left[1] + right[0]
        trials = (n, m) if event.left else (m, n)
    seen = Seen(np.array([correct]), np.array([wrong]), *trials, event.directions)
    return Candidate(event, bound, float(bound.value(seen)[0]))
