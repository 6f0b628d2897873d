"""Rounds on all promising pairs: events are learned from the past, tested on the next draws, and learned anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from auditor.certify.evidence import Point
from auditor.plan import Plan
from auditor.rounds import Examiner, PairState
from auditor.sampling.workers import Workers
from auditor.search.candidates import Candidate
from auditor.search.lone import lone_candidate
from auditor.search.past import Past
from auditor.search.schedule import EXPLORE, EXPLORE_MORE, Phase, lessons
from auditor.search.selection import best_candidate, count_from_now_on


def explore(pairs: Sequence[PairState], examiner: Examiner, workers: Workers, plan: Plan) -> Plan:
    """Rounds until the audit is over or it is time for the last round; the plan that holds for that one.

    Where a rare event is worth more learning, the plan is one with more of it.
    """
    learn_in_rounds(pairs, examiner, workers, plan, EXPLORE, 0)
    if examiner.over or not _more_to_learn(pairs, plan):
        return plan
    longer = replace(plan, learning=plan.most_learning)
    followed = [pair for pair in pairs if pair.drawn >= plan.learning]
    learn_in_rounds(followed, examiner, workers, longer, EXPLORE_MORE, plan.learning, len(pairs))
    return longer


def learn_in_rounds(
    pairs: Sequence[PairState],
    examiner: Examiner,
    workers: Workers,
    plan: Plan,
    phase: Phase,
    start: int,
    of: int | None = None,
) -> None:
    """Rounds from `start` flips to the end of learning; pairs that fall behind are dropped on the way.

    `of` is the number of pairs in the whole audit.
    """
    active, many, learned = list(pairs), len(pairs) if of is None else of, 0
    tuning = plan.tuning
    full = 2 * tuning.learning.remembered
    for lesson in lessons(start, plan.learning, plan.numbers, full, tuning.rounds):
        examiner.rounds(active, phase, lesson)
        drawn = active[0].drawn
        if examiner.over or drawn >= plan.learning:
            return
        if drawn < min(full, tuning.rounds.relearn_idle * learned) and _idle(active, plan):
            continue  # so few more draws hardly show what these many did not
        learned = drawn
        long = min(pair.past.numbers for pair in active) >= tuning.learning.long
        learn = partial(_learn, plan=plan, many=many, followed=examiner.evidence.followed)
        workers.each(learn, active, long=long)
        active.sort(key=lambda pair: pair.rank, reverse=True)
        active = active[: _survivors(active[0].drawn, plan, many)]


def _idle(pairs: Sequence[PairState], plan: Plan) -> bool:
    """Whether no pair has an event that would have gained anything to speak of on as many draws as its past has."""
    gains = [pair.bet.value * pair.past.trials if pair.bet else 0.0 for pair in pairs]
    return max(gains) <= plan.tuning.rounds.idle_gain and not any(pair.lone for pair in pairs)


def _learn(pair: PairState, plan: Plan, many: int, followed: Sequence[Point]) -> None:
    """Fixes the event of the pair's next round: none where no event makes the evidence grow."""
    past = pair.past
    if not past.trials:
        return
    if not plan.hopeless:
        best = _best_bet(past, plan, followed)
        pair.bet = best if best is not None and best.value > 0 else None
        pair.lone = lone_candidate(past, plan.points, plan.budget, plan.tuning.lone)
    if many > 1 and pair.drawn > _followed(plan, many):
        bound = best_candidate(past, plan.bounds())
        pair.growth = pair.bet.value if pair.bet else 0.0
        pair.bound = bound.value if bound is not None else -math.inf
    if past.full:
        now = plan.bounds()
        count_from_now_on(past, now, [replace(bound, more=plan.tuning.learning.hoped) for bound in now])


def _best_bet(past: Past, plan: Plan, followed: Sequence[Point]) -> Candidate | None:
    """The event that makes the evidence grow fastest. Each new point of a claim has a quarter of the level of the one
    before: so it must have promised enough on the past, and clearly more than the points that were chosen already."""
    growths = plan.growths()
    anywhere = best_candidate(past, growths)
    if anywhere is None or len(growths) == 1 or anywhere.point in followed:
        return anywhere
    known = [growth for growth in growths if growth.point in followed]
    there = best_candidate(past, known) if known else None
    rounds = plan.tuning.rounds
    if anywhere.value * past.trials < rounds.new_point_gain:
        return there
    return there if there is not None and rounds.new_point * max(0.0, there.value) > anywhere.value else anywhere


def _followed(plan: Plan, many: int) -> float:
    """Coin flips up to which every pair is followed: a rare leak may stand beside one that is tight in epsilon."""
    rounds = plan.tuning.rounds
    return max(float(rounds.every_pair), max(rounds.all_pairs, plan.learning / 2) / many)


def _survivors(drawn: int, plan: Plan, many: int) -> int:
    """How many pairs are still followed: all at first, then half as many each time the draws grow fourfold."""
    halvings = max(0, int(math.log(drawn / _followed(plan, many), 4)))
    return max(1, -(-many // (1 << halvings)))


def _more_to_learn(pairs: Sequence[PairState], plan: Plan) -> bool:
    """True where an event too rare to be chosen yet would win clearly, if it went on as it was seen so far.

    So an audit is never much worse than one that learns on half of its draws and tests on the other half.
    """
    if plan.most_learning < 2 * plan.learning:
        return False
    longer = replace(plan, learning=plan.most_learning)
    more = plan.most_learning / plan.learning
    later = [replace(bound, trials=longer.last_round, more=more) for bound in plan.bounds()]
    pasts = [pair.past for pair in pairs if pair.past.trials]
    now_best, later_best = (
        max((best.value for past in pasts if (best := best_candidate(past, bounds))), default=0.0)
        for bounds in (plan.bounds(), later)
    )
    return later_best > now_best + plan.tuning.rounds.clearly * max(1.0, plan.points[0].epsilon)
