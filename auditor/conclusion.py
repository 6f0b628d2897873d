"""The result of an audit: every number at the level it was promised, and in words what could not have been seen."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from auditor import cut_off
from auditor.certify import exact, power
from auditor.certify.evidence import Point
from auditor.certify.exact import Guesses
from auditor.certify.likelihood import fitted
from auditor.certify.power import Budget, Learned
from auditor.cut_off import CutOff
from auditor.errors import AuditError, MechanismError
from auditor.events.event import Event
from auditor.events.scores import Value
from auditor.history import Night
from auditor.plan import Plan
from auditor.request import Request
from auditor.results.counts import Counts
from auditor.results.output_histogram import output_histogram
from auditor.results.result import AuditResult, Verdict
from auditor.results.witness import PairDescription, Witness
from auditor.rounds import Examiner, Finding, PairState
from auditor.sampling.independence import TWOS, order_sentence, twos_sentence
from auditor.sampling.noted import sentences
from auditor.sampling.source import Source
from auditor.sampling.streams import stream
from auditor.sampling.workers import Workers
from auditor.search.candidates import Candidate
from auditor.search.learners import thresholds
from auditor.search.pairs.draws import OneByOne
from auditor.search.past import Past
from mechanisms.core.claims import ZCDP, Claim, GaussianDP
from mechanisms.core.neighbours import brief

_FEW_TEXTS, _MANY_TEXTS = 64, 4096  # of how many outputs it is told whether their texts repeat
_JUDGED = 4096  # draws a side on which the blind spot of a claim with delta is judged
_SHOWN = 6  # names of columns in a sentence
_OWN_RANDOMNESS = (
    "The mechanism draws its own randomness (the same stream gave different outputs), so this audit cannot be replayed."
)


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
    finding, point, p, confirmed = found.finding, found.point, found.p_value, found.last
    event, counts = finding.candidate.event, finding.counts
    guesses = _guesses(counts) if counts.trials else _in_the_past(finding)
    detectable = _detectable(finding, guesses, _budget(finding, guesses, plan, cut), point)
    if night is not None:
        detectable = min(detectable, _detectable(finding, guesses, _budget_of_nights(examiner, plan, finding), point))
    used = max(pair.drawn for pair in pairs) // 2
    verdict = Verdict.REFUTED if p <= asked.alpha else Verdict.NOT_REFUTED
    names = _names(finding.pair.source, event)
    phase = "last round" if confirmed else "running evidence"
    described = _described(finding.pair, pairs)
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
        witness=Witness(described, event.direction, event, counts, point.epsilon, point.delta, phase, names),
        detectable_epsilon=detectable,
        limits=(() if cut is None else (cut_off.LIMIT,))
        + (() if night is None else (_nights(night, examiner),))
        + _limits(detectable, finding.pair.past.learned // 2, point, workers.replayable)
        + _looked_at(finding.pair.source)
        + _searched(asked.tried, len(asked.pairs)),
        warnings=((night.note,) if night is not None and night.note else ())
        + (() if cut is None else (cut_off.warning(cut, used, asked.trials),))
        + _warnings(pairs, finding.pair, verdict, workers),
        diagnosis=_diagnosis(finding.pair.source, asked.claim, point, workers) if verdict is Verdict.REFUTED else (),
        replayable=workers.replayable,
        evidence=tuple((drawn // 2, round(value, 6)) for drawn, value in examiner.course),
        sketch=output_histogram(finding.pair.past, event) | {"refutes_at": -math.log10(plan.running)},
        pairs_tried=asked.tried,
        cut_off=None if cut is None else cut.seconds,
        history={} if night is None else night.to_dict(examiner.tonight),
    )


@dataclass(frozen=True)
class _Found:
    """What is certified: by which counts, at which point of the claim, and the audit's p-value."""

    finding: Finding
    point: Point
    epsilon_lower: float
    delta_lower: float | None
    p_value: float
    last: bool  # it is the last round's exact test that certifies


def _found(examiner: Examiner, plan: Plan, last: Finding | None, asked: Request) -> _Found:
    """The running evidence's bound, at level plan.running, or the last round's, at level plan.last.

    Where an audit that does not stop early has both, the one that passes its point of the claim by more: one of the two
    exceeds the truth with probability at most plan.running + plan.last = alpha (docs/method.md).
    """
    evidence = examiner.evidence
    p = min(1.0, math.exp(-evidence.peak) * asked.alpha / plan.running)
    if last is None or examiner.over:
        finding = last or examiner.strongest
        assert finding is not None
        return _Found(finding, evidence.point, evidence.epsilon_lower(plan.running), None, p, last=False)
    point = last.candidate.point
    lower, least, last_p = _last_test(last.candidate, _guesses(last.counts), plan, asked.claim)
    p = min(p, last_p * asked.alpha / plan.last)
    if examiner.refuted:
        earlier = evidence.epsilon_lower(plan.running, at_peak=True)
        if earlier - evidence.point.epsilon >= lower - point.epsilon:
            assert examiner.strongest is not None
            return _Found(examiner.strongest, evidence.point, earlier, None, p, last=False)
    return _Found(last, point, lower, least, p, last=True)


def _found_by_then(examiner: Examiner, plan: Plan, shown: Finding | None, asked: Request) -> _Found:
    """What the running evidence shows whenever it is asked, at level plan.running (docs/method.md, Theorem 5)."""
    evidence = examiner.evidence
    p = min(1.0, math.exp(-evidence.peak) * asked.alpha / plan.running)
    assert shown is not None
    return _Found(shown, evidence.point, examiner.certified(), None, p, last=False)


def _in_the_past(finding: Finding) -> Guesses:
    """How often the event guesses on the draws that chose it: for the blind spot only, of an event never tested."""
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
    if isinstance(claim, GaussianDP | ZCDP):  # whose unit is a curve's, not an epsilon
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
    number = past.left is not None and event.score == Value("x")
    return Learned.LINE if number and thresholds.curve(past, "x").straight else Learned.THRESHOLDS


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


@np.errstate(all="ignore")  # scores of huge or infinite outputs
def _detectable(finding: Finding, guesses: Guesses, budget: Budget, point: Point) -> float:
    """The blind spot: of the event that was found, or of the score that it looks at, where the best event against a
    claim need not be the one that attains the truth: at delta > 0, and in vectors."""
    past = finding.pair.past
    if past.left is None or past.right is None:
        return power.detectable_pure(guesses, budget, point.epsilon) if point.delta == 0 else math.inf
    if point.delta == 0 and (past.left.scalar or past.left.labels is not None):
        return power.detectable_pure(guesses, budget, point.epsilon)
    left, right = (finding.candidate.event.score.of(side.take(slice(_JUDGED))) for side in past.sides())
    ratios = fitted(left, right)
    return math.inf if ratios is None else power.detectable(ratios, budget, point)


def _names(source: Source, event: Event) -> tuple[str, ...]:
    """What the output's numbers are called, up to the last one that the event looks at."""
    if source.form is None or source.form.tree is None:
        return source.form.names if source.form is not None else ()
    last = max((int(index) for index in re.findall(r"x\[(\d+)\]", str(event.score.to_dict()))), default=0)
    return source.form.names[: last + 1]


def _described(state: PairState, pairs: Sequence[PairState]) -> PairDescription:
    """A pair as text: results do not carry anyone's data."""
    pair = state.pair
    index = [other is state for other in pairs].index(True)
    return PairDescription(index, brief(pair.left), brief(pair.right), str(pair.relation), pair.why, pair.group)


def _warnings(pairs: Sequence[PairState], chosen: PairState, verdict: Verdict, workers: Workers) -> tuple[str, ...]:
    """What was noticed about the mechanism, beside its privacy."""
    for pair in pairs:
        pair.source.check_unchanged()
    warned = sentences(workers.noted)
    if not chosen.past.trials:
        return tuple(warned)
    together = None
    if verdict is Verdict.REFUTED and not chosen.source.one_by_one:
        # An accusation is worth a second look, which is not worth losing it.
        with contextlib.suppress(AuditError):
            together = twos_sentence(workers.once(chosen.source.twos, TWOS))
    order = together or order_sentence(chosen.past.sides()) or _constant(chosen, workers)
    noticed = order, _same(chosen), _unread(chosen.past), *warned
    return tuple(text for text in noticed if text is not None)


def _constant(chosen: PairState, workers: Workers) -> str | None:
    """A mechanism without noise may be meant; one that makes the same noise in every draw is a MechanismError."""
    if any(side.vary() for side in chosen.past.sides()):
        return None
    if workers.habits.seeds_itself:
        raise MechanismError(
            f"{workers.name} must draw anew from each stream, got the same output in every draw; it makes its "
            "generator from a fixed seed and leaves the rng that it is given unused: use that rng"
        )
    return "The output never varied on either input: the mechanism adds no noise, or the same noise in every draw."


def _same(chosen: PairState) -> str | None:
    """Two equal datasets cannot be told apart, whatever the mechanism does."""
    pair, (left, right) = chosen.pair, chosen.source.datasets
    if pair.left is not pair.right and (left is None or left != right):
        return None
    return "The left and the right input are the same, so this pair shows nothing about privacy."


def _diagnosis(source: Source, claim: Claim, point: Point, workers: Workers) -> tuple[str, ...]:
    """What runs on the witness's pair with the same random numbers show; nothing where they cannot be made."""
    from auditor.diagnosis import diagnose

    if not source.live:
        return ()
    same = partial(stream, source.seed, source.name, source.pair, "diagnosis")  # the same name for both sides
    found: tuple[str, ...] = ()
    with contextlib.suppress(Exception):
        sample = source.sample.sample if isinstance(source.sample, OneByOne) else source.sample  # its exceptions too
        found = workers.once(diagnose, sample, source.left, source.right, same, claim, point.delta)
    return found


def _unread(past: Past) -> str | None:
    """Where hardly two outputs say the same, there is nothing to learn from what they say."""
    texts = past.sides()[0].texts()[:_MANY_TEXTS]
    if len(set(texts)) <= max(_FEW_TEXTS, len(texts) / 2):
        return None
    return (
        f"Hardly two outputs have the same text, such as {texts[0]!r:.60}: what is in it was not looked into. Return "
        "numbers, tuples of numbers, or texts that repeat."
    )


def _looked_at(source: Source) -> tuple[str, ...]:
    """Which parts of an output were looked at, and which were not."""
    tree = source.form.tree if source.form is not None else None
    if tree is None:
        return ()
    numbers, others = _few(tree.numbers), _few(tree.others)
    shown = [
        f"{len(names)} {what} ({few})"
        for names, what, few in ((tree.numbers, "numbers", numbers), (tree.others, "signs of their form", others))
        if names
    ]
    left_out = f" Not looked at: {_few(tree.unread)}." if tree.unread else ""
    return (f"Looked at in each output: {' and '.join(shown)}.{left_out}",)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _searched(tried: int, audited: int) -> tuple[str, ...]:
    if not tried:
        return ()
    which = (
        "the most suspicious one was audited" if audited == 1 else f"the {audited} most suspicious ones were audited"
    )
    return (f"Pairs were searched: {tried:,} were looked at and {which}; a pair that was not tried may be worse.",)


def _limits(detectable: float, learned: int, point: Point, replayable: bool) -> tuple[str, ...]:
    at = f" at delta {point.delta:.3g}" if point.delta else ""
    return (
        "Not refuted is not proof: other inputs and other events may be worse.",
        f"Events were learned from {learned:,} draws a side: one rarer than about one in {learned:,} could not have "
        "been found.",
        f"On the best event found, a true epsilon of {detectable:.4g}{at} would have been refuted with probability "
        "0.9; a smaller excess might have been missed.",
        *(() if replayable else (_OWN_RANDOMNESS,)),
    )
