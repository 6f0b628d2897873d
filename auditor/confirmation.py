"""The last round: the past chooses one pair and one event, and all remaining draws go to their exact test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.events.event import Event
from auditor.events.scores import Region, Steps
from auditor.plan import Plan
from auditor.rounds import Examiner, Finding, PairState
from auditor.search.candidates import Candidate
from auditor.search.schedule import CONFIRM, looks
from auditor.search.selection import best_candidate
from auditor.search.utility import Utility


def confirm(pairs: Sequence[PairState], examiner: Examiner, plan: Plan) -> Finding:
    """The last round: one pair, one event, all the remaining draws."""
    pair, candidate = last_event(pairs, plan)
    pair.bet = candidate
    rounds = looks(pair.drawn, pair.drawn + plan.last_round, plan.tuning.rounds)
    return Finding(pair, candidate, examiner.rounds([pair], CONFIRM, rounds))


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
