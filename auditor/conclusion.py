"""The result of an audit: every number at the level it was promised, and in words what could not have been seen."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from auditor import cut_off, remarks
from auditor.certify import exact, power
from auditor.certify.evidence import Point
from auditor.certify.exact import Guesses
from auditor.certify.likelihood import fitted
from auditor.certify.power import Budget, Learned
from auditor.cut_off import CutOff
from auditor.events.event import Event
from auditor.events.scores import Rows, Value
from auditor.exact_value import exact_epsilon
from auditor.history import Night
from auditor.plan import Plan
from auditor.request import Request
from auditor.results.counts import Counts
from auditor.results.output_histogram import output_histogram
from auditor.results.result import AuditResult, Verdict
from auditor.results.witness import PairDescription, Witness
from auditor.rounds import Examiner, Finding, PairState
from auditor.sampling.source import Source
from auditor.sampling.workers import Workers
from auditor.search.candidates import Candidate
from auditor.search.learners import thresholds
from mechanisms.core.claims import ZCDP, Claim, GaussianDP
from mechanisms.core.described import described


def conclude(
    asked: Request,
    pairs: Sequence[PairState],
    examiner: Examiner,
    plan: Plan,
    last: Finding | None,
    workers: Workers,
    cut: CutOff | None = None,
    night: Night | None = None,
) -> AuditResult:
    """What the audit found. `last` is the last round, None where the running evidence sufficed before it; where a time
    limit cut the audit off, it is the event that is shown."""
    found = _found(examiner, plan, last, asked) if cut is None else _found_by_then(examiner, plan, last, asked)
    finding, point, p = found.finding, found.point, found.p_value
    event, counts = finding.candidate.event, finding.counts
    guesses = _guesses(counts) if counts.trials else _in_the_past(finding)
    budgets = [_budget(finding, guesses, plan, cut)]
    budgets += [] if night is None else [_budget_of_nights(examiner, plan, finding)]
    detectable = min(_detectable(finding, guesses, budget, point) for budget in budgets)
    used = max(pair.drawn for pair in pairs) // 2
    verdict = Verdict.REFUTED if p <= asked.alpha else Verdict.NOT_REFUTED
    return AuditResult(
        name=asked.name,
        claim=asked.claim,
        verdict=verdict,
        epsilon_lower=found.epsilon_lower,
        delta=point.delta,
        delta_lower=found.delta_lower,
        p_value=p,
        trials_used=used,
        trials=asked.trials,
        alpha=asked.alpha,
        seed=asked.seed,
        views=asked.views,
        witness=_witness(found, pairs),
        detectable_epsilon=detectable,
        limits=_limits(cut, night, examiner)
        + remarks.limits(detectable, finding.pair, point, asked, workers.replayable),
        warnings=_warnings(cut, night, used, asked) + remarks.warnings(pairs, finding.pair, verdict, workers),
        diagnosis=remarks.diagnosis(finding.pair.source, asked.claim, point, verdict, workers),
        replayable=workers.replayable,
        evidence=tuple((drawn // 2, round(value, 6)) for drawn, value in examiner.course),
        sketch=output_histogram(finding.pair.past, event) | {"refutes_at": -math.log10(plan.running)},
        pairs_tried=asked.tried,
        cut_off=None if cut is None else cut.seconds,
        history={} if night is None else night.to_dict(examiner.tonight),
        exact=exact_epsilon(asked, point.delta),
    )


def _limits(cut: CutOff | None, night: Night | None, examiner: Examiner) -> tuple[str, ...]:
    """What an audit that was cut off, or one with a history, says of its reach."""
    return (() if cut is None else (cut_off.LIMIT,)) + (() if night is None else (_nights(night, examiner),))


def _warnings(cut: CutOff | None, night: Night | None, used: int, asked: Request) -> tuple[str, ...]:
    """What an audit that was cut off, or whose history starts anew, warns of."""
    notes = (night.note,) if night is not None and night.note else ()
    return notes + (() if cut is None else (cut_off.warning(cut, used, asked.trials),))


@dataclass(frozen=True)
class _Found:
    """What is certified: by which counts, at which point of the claim, and the audit's p-value."""

    finding: Finding
    point: Point
    epsilon_lower: float
    delta_lower: float | None
    p_value: float
    last: bool  # True where the last round's exact test certifies, False where the running evidence does


def _found(examiner: Examiner, plan: Plan, last: Finding | None, asked: Request) -> _Found:
    """The bound of the running evidence that refutes, at its own level, or the last round's, at level plan.last.

    Where an audit that does not stop early has both, the one that passes its point of the claim by more: one of them
    exceeds the truth with probability at most plan.running + plan.lone + plan.last = alpha (docs/method.md).
    """
    evidence, level = examiner.refuting
    p = min(1.0, examiner.p_value * asked.alpha)
    if last is None or examiner.over:
        finding = examiner.strongest if last is None or examiner.by_lone else last
        assert finding is not None
        return _Found(finding, evidence.point, evidence.epsilon_lower(level), None, p, last=False)
    point = last.candidate.point
    lower, least, last_p = _last_test(last.candidate, _guesses(last.counts), plan, asked.claim)
    p = min(p, last_p * asked.alpha / plan.last)
    if examiner.refuted:
        earlier = evidence.epsilon_lower(level, at_peak=True)
        if earlier - evidence.point.epsilon >= lower - point.epsilon:
            assert examiner.strongest is not None
            return _Found(examiner.strongest, evidence.point, earlier, None, p, last=False)
    return _Found(last, point, lower, least, p, last=True)


def _found_by_then(examiner: Examiner, plan: Plan, shown: Finding | None, asked: Request) -> _Found:
    """What the running evidence shows whenever it is asked, at level plan.running (docs/method.md, Theorem 5)."""
    evidence, _ = examiner.refuting
    p = min(1.0, examiner.p_value * asked.alpha)
    assert shown is not None
    return _Found(shown, evidence.point, examiner.certified(), None, p, last=False)


def _in_the_past(finding: Finding) -> Guesses:
    """The guesses of an event that was never tested, on the draws that chose it. They serve the blind spot only."""
    left, right = (finding.candidate.event.guesses(side) for side in finding.pair.past.sides())
    return Guesses(left[0] + right[1], left[1] + right[0], finding.pair.past.trials)


def _guesses(counts: Counts) -> Guesses:
    return Guesses(counts.correct, counts.wrong, counts.trials)


def _last_test(candidate: Candidate, guesses: Guesses, plan: Plan, claim: Claim) -> tuple[float, float | None, float]:
    """The last round's exact test: bounds on epsilon and, where the claim is a curve, on delta, and its p-value."""
    point, directions = candidate.point, candidate.event.directions
    cost = point.delta * directions / 2
    # The weight of a wrong guess is fixed by the past, as the event is: by how much it promised to pass the claim.
    weight = math.exp(min(30.0, max(0.0, candidate.value + point.epsilon)))
    least = None
    if isinstance(claim, GaussianDP | ZCDP):  # these claims have a parameter of a curve as unit, not an epsilon
        least = exact.delta_lower(guesses, point.epsilon, directions, weight, plan.last)
    lower = exact.epsilon_lower(guesses, cost, weight, plan.last)
    return lower, least, exact.p_value(guesses, point.epsilon, cost, weight, plan.last)


def _budget(finding: Finding, guesses: Guesses, plan: Plan, cut: CutOff | None) -> Budget:
    """What the audit had to spend, for its blind spot; a cut-off one has no last test, and the rounds it finished."""
    if cut is not None:
        drawn = finding.pair.drawn
        plan = replace(plan, budget=drawn, learning=min(drawn, plan.learning), last=0.0)
    learned = _learned(finding, guesses)
    return Budget(plan.learning, plan.last_round, plan.running, plan.last, len(plan.points), learned)


def _learned(finding: Finding, guesses: Guesses) -> Learned:
    """What the past had to tell for the event to be chosen."""
    past, event = finding.pair.past, finding.candidate.event
    always = guesses.correct + guesses.wrong >= power.ALWAYS * guesses.trials
    if always or (past.left is not None and past.left.labels is not None):
        return Learned.NOTHING
    if past.left is not None and not past.left.scalar:
        return Learned.VECTOR
    if finding.candidate.point.delta == 0:
        return Learned.PURE if event.directions == 2 else Learned.PURE_ONE_SIDED
    if past.counted is None or past.left is None:
        straight = finding.candidate.straight
    else:  # the line was seen while draws were remembered
        straight = event.score == Value("x") and thresholds.curve(past, "x").straight
    return Learned.LINE if straight else Learned.THRESHOLDS


def _budget_of_nights(examiner: Examiner, plan: Plan, finding: Finding) -> Budget:
    """What the evidence of all the chapter's nights had to spend: each learns anew, and bets on what it learned."""
    flips = sum(this.trials for this in examiner.evidence.rounds)
    learning = min(flips, round(flips * plan.learning / plan.budget))
    tonight = _budget(finding, _guesses(finding.counts), plan, None)
    return replace(tonight, learning=max(1, learning), last=flips - learning, last_alpha=0.0)


def _nights(night: Night, examiner: Examiner) -> str:
    flips = sum(this.trials for this in examiner.evidence.rounds)
    return (
        f"Night {night.number} of its history: the running evidence counts {flips // 2:,} draws a side, and alpha "
        "covers all nights together."
    )


@np.errstate(all="ignore")  # outputs may be huge or infinite, and so may their scores
def _detectable(finding: Finding, guesses: Guesses, budget: Budget, point: Point) -> float:
    """The blind spot: of the event that was found, or of the score that it looks at, where the best event against a
    claim need not be the one that attains the truth: at delta > 0, and in vectors."""
    past = finding.pair.past
    if past.left is None or past.right is None:
        return power.detectable_pure(guesses, budget, point.epsilon) if point.delta == 0 else math.inf
    if point.delta == 0 and (past.left.scalar or past.left.labels is not None):
        return power.detectable_pure(guesses, budget, point.epsilon)
    judged = slice(past.tuning.blind_spot)
    left, right = (finding.candidate.event.score.of(side.take(judged)) for side in past.sides())
    ratios = fitted(left, right)
    return math.inf if ratios is None else power.detectable(ratios, budget, point)


def _witness(found: _Found, pairs: Sequence[PairState]) -> Witness:
    """On what the claim fails worst, for people and for a replay."""
    finding, event, point = found.finding, found.finding.candidate.event, found.point
    phase, names = "last round" if found.last else "running evidence", _names(finding.pair.source, event)
    pair = _described(finding.pair, pairs)
    return Witness(pair, event.direction, event, finding.counts, point.epsilon, point.delta, phase, names)


def _names(source: Source, event: Event) -> tuple[str, ...]:
    """What the output's numbers are called, up to the last one that the event looks at."""
    if source.form is None or source.form.tree is None:
        return source.form.names if source.form is not None else ()
    if isinstance(event.score, Rows):
        return source.form.names[: len(event.score.atoms)]
    last = max((int(index) for index in re.findall(r"x\[(\d+)\]", str(event.score.to_dict()))), default=0)
    return source.form.names[: last + 1]


def _described(state: PairState, pairs: Sequence[PairState]) -> PairDescription:
    """A pair as text: results do not carry anyone's data."""
    pair = state.pair
    index = [other is state for other in pairs].index(True)
    left, right = described(pair.left, pair.right)
    return PairDescription(index, left, right, str(pair.relation), pair.why, pair.group)
