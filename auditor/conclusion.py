"""The result of an audit: every number at the level it was promised, and in words what could not have been seen."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING

from auditor.certify import exact, power
from auditor.certify.evidence import Point
from auditor.certify.exact import Guesses
from auditor.errors import AuditError
from auditor.results.output_histogram import sketch
from auditor.results.result import AuditResult, PairDescription, Verdict, Witness
from auditor.sampling.independence import TWOS, fingerprint, order_sentence, twos_sentence
from auditor.search.past import Past
from mechanisms.core.neighbours import brief

if TYPE_CHECKING:
    from auditor.engine import Candidate, Run

_FEW_DRAWS = 16  # of which it is told that they never vary
_FEW_TEXTS, _MANY_TEXTS = 64, 4096  # of how many outputs it is told whether their texts repeat
_OWN_RANDOMNESS = (
    "The mechanism draws its own randomness (the same stream gave different outputs), so this audit cannot be replayed."
)


def outcome(run: Run, seconds: float) -> AuditResult:
    """What the run found."""
    asked = run.asked
    assert run.last is not None
    candidate, proposal, counts = run.last
    point, event = proposal.point if run.confirmed else run.evidence.point, proposal.event
    cost = point.delta * event.directions / 2
    guesses = Guesses(counts.correct, counts.wrong, counts.trials)
    weight = math.exp(min(30.0, max(0.0, proposal.utility + point.epsilon)))  # fixed by the past, as the event is
    running, last = run.alphas
    p = min(1.0, math.exp(-run.evidence.peak) * asked.alpha / running)
    if run.confirmed:
        lower = exact.epsilon_lower(guesses, cost, weight, last)
        p = min(p, exact.p_value(guesses, point.epsilon, cost, weight, last) * asked.alpha / last)
    else:
        lower = run.evidence.epsilon_lower(running)
    detectable = power.detectable(guesses, run.budget - run.learning, point, event.directions, weight, last)
    pair = candidate.pair
    described = PairDescription(
        run.candidates.index(candidate), brief(pair.left), brief(pair.right), str(pair.relation), pair.why, pair.group
    )
    phase = "last round" if run.confirmed else "running evidence"
    verdict = Verdict.REFUTED if p <= asked.alpha else Verdict.NOT_REFUTED
    return AuditResult(
        name=asked.name,
        claim=asked.claim,
        verdict=verdict,
        epsilon_lower=lower,
        delta=point.delta,
        p_value=p,
        trials_used=max(c.drawn for c in run.candidates) // 2,
        trials=asked.trials,
        alpha=asked.alpha,
        seed=asked.seed,
        views=asked.views,
        witness=Witness(described, event.direction, event, counts, point.epsilon, point.delta, phase),
        detectable_epsilon=detectable,
        limits=_limits(detectable, candidate.past.learned // 2, point, run.workers.replayable),
        warnings=_warnings(run, candidate, verdict),
        replayable=run.workers.replayable,
        evidence=tuple((drawn // 2, round(value, 6)) for drawn, value in run.trace),
        sketch=sketch(candidate.past, event) | {"refutes_at": -math.log10(running)},
        seconds=seconds,
    )


def _warnings(run: Run, chosen: Candidate, verdict: Verdict) -> tuple[str, ...]:
    """What was noticed about the mechanism, beside its privacy."""
    for candidate in run.candidates:
        candidate.source.check_unchanged()
    alike = _alike(run)
    if not chosen.past.trials:
        return alike
    together = None
    if verdict is Verdict.REFUTED:  # an accusation is worth a second look, which is not worth losing it
        with contextlib.suppress(AuditError):
            together = twos_sentence(run.workers.once(chosen.source.twos, TWOS))
    noticed = together or order_sentence(chosen.past.sides()) or _constant(chosen.past), _unread(chosen.past)
    return (*alike, *(text for text in noticed if text is not None))


def _alike(run: Run) -> tuple[str, ...]:
    """Where both datasets of a pair are one: nothing tells them apart, and an audit of such a pair says nothing."""
    same = [index for index, candidate in enumerate(run.candidates) if _one(candidate.pair.left, candidate.pair.right)]
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
