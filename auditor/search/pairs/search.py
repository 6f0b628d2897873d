"""The search for pairs: climb cheap scores, judge the best by the learners, make the worst one simple.

Everything drawn here is the past. The audit that follows draws from other streams, so the pairs are fixed before its
first draw, and its alpha is for all of them together (docs/method.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.search.pairs import draws as drawing
from auditor.search.pairs.signals import HIGHEST, shift, sides
from auditor.search.past import Past
from auditor.search.selection import best_candidate
from auditor.search.utility import LowerBound
from auditor.tuning import TUNING, Tuning
from mechanisms.core.described import brief
from mechanisms.core.neighbours import NeighbourPair

_WIDE = 2000  # characters of their texts by which two pairs are told apart


@dataclass(frozen=True)
class Searched:
    """What a search found: pairs to audit, what an exception is in that audit, and how many pairs were tried."""

    pairs: tuple[NeighbourPair, ...]
    raises: str
    tried: int


@dataclass(frozen=True)
class Judge:
    """By how much an audit of a pair would pass the claim, as far as some past draws tell."""

    draws: drawing.Draws
    once: Callable[..., Any]  # makes calls of the mechanism, under the audit's time limit
    utilities: Sequence[LowerBound]  # what an event would certify in the last round, at each point of the claim
    views: tuple[str, ...]
    trials: int
    tuning: Tuning = TUNING

    def __call__(self, pair: NeighbourPair, n: int, what: str, raises: str) -> float:
        """The epsilon that the best event is expected to certify, minus the claimed one; -HIGHEST for none."""
        both = self.once(drawing.apart, self.draws, pair, n, what, raises)
        if both is None:
            return -HIGHEST
        past = Past(self.views, self.tuning.learning)
        past.add(*both)
        best = best_candidate(past, self.utilities)
        return -HIGHEST if best is None else max(best.value, -HIGHEST)


@dataclass(frozen=True)
class Suspect:
    """A pair that was looked at, and by how much its audit is expected to pass the claim."""

    found: Any  # what hypothesis needs to make it again
    raises: str
    excess: float  # epsilon by which an audit of the pair is expected to pass the claim

    @property
    def pair(self) -> NeighbourPair:
        """The pair itself."""
        return self.found.value  # type: ignore[no-any-return]


def search(strategy: Any, judge: Judge, own: Sequence[object]) -> Searched:
    """The pairs of a strategy that are worth an audit: the worst one made simple, or the most promising few."""
    from auditor.search.pairs.strategies import driver

    hypothesis = driver(strategy)
    seed, tuning = judge.draws.seed, judge.tuning.pairs
    look = _Look(judge)
    found = hypothesis.climb(strategy, look, examples=tuning.examples.at(judge.trials), seed=seed, own=own)
    if not found:
        raise drawing.why_no_pair(judge.draws, look.last)
    ranked = _judged(found, look, judge)
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
    tuning, look = judge.tuning.pairs, _Look(judge)

    def keeps(pair: NeighbourPair) -> bool:
        scores = look(pair)
        return scores is not None and all(
            score >= suspect.found.scores[name] - (1 - tuning.alike) * abs(suspect.found.scores[name])
            for name, score in scores.items()
        )

    most = tuning.tidying.at(judge.trials)
    return hypothesis.shrink(strategy, suspect.found, keeps, most=most, seed=judge.draws.seed)  # type: ignore[no-any-return]


def _by_sides(candidate: Suspect) -> float:
    return -candidate.found.scores["sides"]  # type: ignore[no-any-return]


class _Look:
    """The scores of a pair; counts the pairs and remembers what an exception has to be on each."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.tried = 0
        self.last: NeighbourPair | None = None
        self.raises: dict[int, str] = {}

    def __call__(self, pair: NeighbourPair) -> dict[str, float] | None:
        self.last = pair
        judge = self.judge
        drawn = judge.once(drawing.same, judge.draws, pair, judge.tuning.pairs.look.at(judge.trials))
        if drawn is None:
            return None
        (left, right), self.raises[id(pair)] = drawn
        self.tried += 1
        delta = min(utility.point.delta for utility in judge.utilities)
        return {"shift": shift(left, right), "sides": sides(left, right, delta)}


def _judged(found: Sequence[Any], look: _Look, judge: Judge) -> list[Suspect]:
    """The pairs that score best by each score, with their expected excess, the largest first."""
    tuning = judge.tuning.pairs
    size = tuning.judge.at(judge.trials)
    chosen: dict[str, Any] = {}
    for score in ("sides", "shift"):
        ranked = sorted(found, key=lambda one: (-one.scores[score], len(one.choices)))
        for one in ranked[: tuning.judged]:
            chosen.setdefault(repr(one.choices), one)
    candidates = [
        Suspect(one, raises, judge(one.value, size, "judge", raises))
        for one in chosen.values()
        for raises in (look.raises[id(one.value)],)
    ]
    return sorted(candidates, key=lambda one: (-one.excess, len(one.found.choices)))


def simpler_pairs(hypothesis: Any, strategy: Any, best: Suspect, judge: Judge) -> tuple[NeighbourPair, ...]:
    """The simplest pair that keeps most of the worst one's expected excess; the worst one too where that is little."""
    tuning = judge.tuning.pairs
    goal = min(tuning.goal, tuning.kept * best.excess)
    simple, excess = best.pair, best.excess
    for size in tuning.shrink:
        if size != tuning.shrink[-1] and judge(best.pair, size, "size", best.raises) < goal:
            continue  # too few draws to show the leak
        simple = _shrunk(hypothesis, strategy, best, judge, goal, size)
        excess = judge(simple, tuning.check.at(judge.trials), "check", best.raises)
        if excess >= goal / 2:  # less was the luck of few draws, which more of them will not repeat
            break
    if excess >= tuning.sure:
        return (simple,)
    return (simple, best.pair) if excess > 0 else (best.pair,)


def _shrunk(hypothesis: Any, strategy: Any, best: Suspect, judge: Judge, goal: float, size: int) -> NeighbourPair:
    """The simplest pair that hypothesis finds whose expected excess reaches the goal on so many draws."""

    def keeps(pair: NeighbourPair) -> bool:
        return judge(pair, size, "shrink", best.raises) >= goal

    most = judge.tuning.pairs.shrinks.at(judge.trials)
    return hypothesis.shrink(strategy, best.found, keeps, most=most, seed=judge.draws.seed)  # type: ignore[no-any-return]
