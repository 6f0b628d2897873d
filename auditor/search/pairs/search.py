"""The search for pairs: climb cheap scores, judge the best by the learners, make the worst one simple.

Everything drawn here is the past. The audit that follows draws from other streams, so the pairs are fixed before its
first draw, and its alpha is for all of them together (docs/method.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditor.search.pairs import draws as drawing
from auditor.search.pairs.judge import Judge, Look, Suspect, best_suspects
from auditor.search.pairs.simpler import simpler_pairs
from mechanisms.core.described import brief
from mechanisms.core.neighbours import NeighbourPair

_WIDE = 2000  # characters of their texts by which two pairs are told apart


@dataclass(frozen=True)
class Searched:
    """What a search found: pairs to audit, what an exception is in that audit, and how many pairs were tried."""

    pairs: tuple[NeighbourPair, ...]
    raises: str
    tried: int


def search(strategy: Any, judge: Judge, own: Sequence[object]) -> Searched:
    """The pairs of a strategy that are worth an audit: the worst one made simple, or the most promising few."""
    from auditor.search.pairs.strategies import driver

    hypothesis = driver(strategy)
    seed, tuning = judge.draws.seed, judge.tuning.pairs
    look = Look(judge)
    examples = tuning.examples.at(judge.trials)
    found = hypothesis.climb(strategy, look, examples=examples, seed=seed, own=own, enough=look.clear)
    if not found:
        raise drawing.why_no_pair(judge.draws, look.last)
    ranked = [look.refuted] if look.refuted is not None else best_suspects(found, look, judge)
    best = ranked[0]
    if best.excess > 0:
        return Searched(simpler_pairs(hypothesis, strategy, best, judge), best.raises, look.tried)
    return Searched(_suspects(hypothesis, strategy, ranked, judge), best.raises, look.tried)


def _suspects(hypothesis: Any, strategy: Any, ranked: Sequence[Suspect], judge: Judge) -> tuple[NeighbourPair, ...]:
    """Where no pair looks refuted: the best by excess and by each score, made simpler as far as their scores stay."""
    tuning = judge.tuning.pairs
    alike = [one for one in ranked if one.raises == ranked[0].raises]
    orders = (lambda one: -one.excess, lambda one: -one.found.scores["shift"], _by_sides)
    best = {id(one): one for order in orders for one in sorted(alike, key=order)[: tuning.audited]}
    pairs: dict[str, NeighbourPair] = {}
    for one in best.values():
        simple = _tidied(hypothesis, strategy, one, judge)
        pairs.setdefault(brief(simple.left, _WIDE) + brief(simple.right, _WIDE), simple)
        kept = judge(simple, tuning.judge.at(judge.trials), "judge", one.raises)
        if kept < one.excess - tuning.lost:
            pairs.setdefault(brief(one.pair.left, _WIDE) + brief(one.pair.right, _WIDE), one.pair)
    return tuple(pairs.values())


def _tidied(hypothesis: Any, strategy: Any, suspect: Suspect, judge: Judge) -> NeighbourPair:
    """The simplest pair that hypothesis finds whose scores are about as high."""
    tuning, look = judge.tuning.pairs, Look(judge)

    def keeps(pair: NeighbourPair) -> bool:
        scores = look(pair)
        return scores is not None and all(
            score >= suspect.found.scores[name] - (1 - tuning.alike) * abs(suspect.found.scores[name])
            for name, score in scores.items()
        )

    most = tuning.tidying.at(judge.trials)
    return hypothesis.shrink(strategy, suspect.found, keeps, most=most, seed=judge.draws.seed).value  # type: ignore[no-any-return]


def _by_sides(candidate: Suspect) -> float:
    return -candidate.found.scores["sides"]  # type: ignore[no-any-return]
