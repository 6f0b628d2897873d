"""The last round: the past chooses one pair and one event, and all remaining draws go to their exact test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from auditor.events.event import Event
from auditor.events.scores import Region, Steps
from auditor.plan import Plan
from auditor.results.counts import Counts
from auditor.rounds import Examiner, Finding, PairState
from auditor.search.candidates import Candidate
from auditor.search.lone import lone_candidate
from auditor.search.schedule import CONFIRM, Sizes, looks
from auditor.search.selection import best_candidate
from auditor.search.utility import Utility


def confirm(pairs: Sequence[PairState], examiner: Examiner, plan: Plan) -> Finding:
    """The last round: one pair, one event, all the remaining draws."""
    pair, candidate = last_event(_suspects(pairs, plan), plan)
    pair.bet = candidate
    counts = Counts(0, 0, 0, 0, 0, 0)
    for part in _parts(pair, plan):
        pair.lone = lone_candidate(pair.past, plan.points, plan.budget, plan.tuning.lone)
        counts += examiner.rounds([pair], CONFIRM, part)
        if examiner.over:
            break
    return Finding(pair, candidate, counts)


def _suspects(pairs: Sequence[PairState], plan: Plan) -> Sequence[PairState]:
    """The pair whose lone outputs, if they go on as they were seen, refute the claim in the last round twice over; all
    pairs where there is none."""
    if len(pairs) == 1:
        return pairs
    for pair in pairs:
        pair.lone = lone_candidate(pair.past, plan.points, plan.budget, plan.tuning.lone)
    worst = max(pairs, key=lambda pair: pair.lone.value if pair.lone else 0.0)
    promised = worst.lone.value * plan.last_round if worst.lone else 0.0
    return [worst] if promised >= -2 * math.log(plan.lone) else pairs


def _parts(pair: PairState, plan: Plan) -> Iterator[Sizes]:
    """The rounds of the last test up to each time that outputs seen on one side alone are looked for again: whenever
    the draws have grown by half, while draws are still remembered. The tested event stays."""
    part, known = [], pair.drawn
    for index, size in looks(pair.drawn, pair.drawn + plan.last_round, plan.tuning.rounds):
        part.append((index, size))
        grown = sum(flips for _, flips in part) >= (plan.tuning.lone.again - 1) * known
        if grown and not pair.past.full:
            yield part
            part, known = [], pair.drawn
    if part:
        yield part


def last_event(pairs: Sequence[PairState], plan: Plan) -> tuple[PairState, Candidate]:
    """The event of all pairs' pasts that would certify most.

    A claim with several points is first asked which of them is passed most significantly: points differ in how much
    epsilon a standard error is worth, so bounds on epsilon cannot choose among them.
    """
    bounds = plan.bounds()
    if len(bounds) > 1:
        passed = _best(pairs, plan.significances())
        if passed is not None and passed[1].value > plan.tuning.prudence.hopeful:
            # with value 0 the weight of a wrong guess is e^epsilon of the point itself
            return passed[0], replace(passed[1], value=0.0)
    found = _best(pairs, bounds)
    if found is not None:
        return found
    # Where nothing can be told apart (⊥ always, or hardly a draw): guess left whatever the output is.
    anything = Event(Steps("x", (), (1.0,), 1.0), Region(">=", 1.0), None)
    return pairs[0], Candidate(anything, bounds[0], 0.0)


def _best(pairs: Sequence[PairState], utilities: Sequence[Utility]) -> tuple[PairState, Candidate] | None:
    """The best event over all pairs' pasts, with its pair."""
    found = [(pair, best) for pair in pairs if pair.past.trials and (best := best_candidate(pair.past, utilities))]
    return max(found, key=lambda both: both[1].value, default=None)
