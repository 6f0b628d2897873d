"""The result of an audit: every number at the level it was promised, and in words what could not have been seen."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence

from auditor.certify import exact, power
from auditor.certify.evidence import Point
from auditor.certify.exact import Guesses
from auditor.errors import AuditError
from auditor.plan import Plan
from auditor.request import Request
from auditor.results.output_histogram import output_histogram
from auditor.results.result import AuditResult, PairDescription, Verdict, Witness
from auditor.rounds import Examiner, Finding, PairState
from auditor.sampling.independence import TWOS, fingerprint, order_sentence, twos_sentence
from auditor.sampling.workers import Workers
from auditor.search.past import Past
from mechanisms.core.neighbours import brief

_FEW_DRAWS = 16  # of which it is told that they never vary
_FEW_TEXTS, _MANY_TEXTS = 64, 4096  # of how many outputs it is told whether their texts repeat
_OWN_RANDOMNESS = (
    "The mechanism draws its own randomness (the same stream gave different outputs), so this audit cannot be replayed."
)


def conclude(
    asked: Request, pairs: Sequence[PairState], examiner: Examiner, plan: Plan, last: Finding | None, workers: Workers
) -> AuditResult:
    """What the audit found. `last` is the last round, None where the running evidence sufficed before it."""
    finding = last or examiner.strongest
    assert finding is not None
    confirmed = last is not None and not examiner.refuted
    point, event = finding.candidate.point if confirmed else examiner.evidence.point, finding.candidate.event
    cost = point.delta * event.directions / 2
    counts = finding.counts
    guesses = Guesses(counts.correct, counts.wrong, counts.trials)
    ahead = finding.candidate.value + point.epsilon
    weight = math.exp(min(30.0, max(0.0, ahead)))  # fixed by the past, as the event is
    p = min(1.0, math.exp(-examiner.evidence.peak) * asked.alpha / plan.running)
    if confirmed:
        lower = exact.epsilon_lower(guesses, cost, weight, plan.last)
        p = min(p, exact.p_value(guesses, point.epsilon, cost, weight, plan.last) * asked.alpha / plan.last)
    else:
        lower = examiner.evidence.epsilon_lower(plan.running)
    detectable = power.detectable(guesses, plan.last_round, point, event.directions, weight, plan.last)
    verdict = Verdict.REFUTED if p <= asked.alpha else Verdict.NOT_REFUTED
    phase = "last round" if confirmed else "running evidence"
    described = _described(finding.pair, pairs)
    return AuditResult(
        name=asked.name,
        claim=asked.claim,
        verdict=verdict,
        epsilon_lower=lower,
        delta=point.delta,
        p_value=p,
        trials_used=max(pair.drawn for pair in pairs) // 2,
        trials=asked.trials,
        alpha=asked.alpha,
        seed=asked.seed,
        views=asked.views,
        witness=Witness(described, event.direction, event, counts, point.epsilon, point.delta, phase),
        detectable_epsilon=detectable,
        limits=_limits(detectable, finding.pair.past.learned // 2, point, workers.replayable),
        warnings=_warnings(pairs, finding.pair, verdict, workers),
        replayable=workers.replayable,
        evidence=tuple((drawn // 2, round(value, 6)) for drawn, value in examiner.course),
        sketch=output_histogram(finding.pair.past, event) | {"refutes_at": -math.log10(plan.running)},
    )


def _described(state: PairState, pairs: Sequence[PairState]) -> PairDescription:
    """A pair as text: results do not carry anyone's data."""
    pair = state.pair
    index = [other is state for other in pairs].index(True)
    return PairDescription(index, brief(pair.left), brief(pair.right), str(pair.relation), pair.why, pair.group)


def _warnings(pairs: Sequence[PairState], chosen: PairState, verdict: Verdict, workers: Workers) -> tuple[str, ...]:
    """What was noticed about the mechanism, beside its privacy."""
    for pair in pairs:
        pair.source.check_unchanged()
    alike = _alike(pairs)
    if not chosen.past.trials:
        return alike
    together = None
    if verdict is Verdict.REFUTED:  # an accusation is worth a second look, which is not worth losing it
        with contextlib.suppress(AuditError):
            together = twos_sentence(workers.once(chosen.source.twos, TWOS))
    noticed = together or order_sentence(chosen.past.sides()) or _constant(chosen.past), _unread(chosen.past)
    return (*alike, *(text for text in noticed if text is not None))


def _alike(pairs: Sequence[PairState]) -> tuple[str, ...]:
    """Where both datasets of a pair are one: nothing tells them apart, and an audit of such a pair says nothing."""
    same = [index for index, state in enumerate(pairs) if _one(state.pair.left, state.pair.right)]
    if not same:
        return ()
    which = "pair " + ", ".join(map(str, same[:8])) + (" and others" if len(same) > 8 else "")
    return (f"Both datasets are the same in {which}, so nothing can tell them apart: give two that differ.",)


def _one(left: object, right: object) -> bool:
    """Whether two datasets are one object, or plain data with the same contents."""
    if left is right:
        return True
    marks = fingerprint(left), fingerprint(right)
    return type(left) is type(right) and marks[0] is not None and marks[0] == marks[1]


def _constant(past: Past) -> str | None:
    """Where every draw of a side is the same, no randomness was seen."""
    sides = past.sides()
    if min(map(len, sides)) < _FEW_DRAWS or not all(side.same(side.first(len(side))) for side in sides):
        return None
    n = min(map(len, sides))
    return (
        f"The output never varied: on each side, each of the {n:,} draws looked at was the same. A mechanism that is "
        "private and useful is random; does it use the rng that it is given, and is what varies part of the output?"
    )


def _unread(past: Past) -> str | None:
    """Where hardly two outputs say the same, there is nothing to learn from what they say."""
    texts = past.sides()[0].texts()[:_MANY_TEXTS]
    if len(set(texts)) <= max(_FEW_TEXTS, len(texts) / 2):
        return None
    return (
        f"Hardly two outputs have the same text, such as {texts[0]!r:.60}: what is in it was not looked into. Return "
        "numbers, tuples of numbers, or texts that repeat."
    )


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
