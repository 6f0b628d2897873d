"""The search for pairs: climb cheap scores, judge the best by the learners, make the worst one simple.

Everything drawn here is the past. The audit that follows draws from other streams, so the pairs are fixed before its
first draw, and its alpha is for all of them together (docs/method.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.certify.evidence import Point
from auditor.events.outputs import Outputs
from auditor.search.pairs import draws as drawing
from auditor.search.pairs.signals import HIGHEST, shift, sides
from auditor.search.past import Past
from auditor.search.selection import best_proposal
from auditor.search.utility import LowerBound
from mechanisms.core.neighbours import NeighbourPair

# A search grows with the trials of its audit, between two limits: (at least, at most, trials for each).
EXAMPLES = 16, 400, 100  # pairs that are looked at
LOOK = 32, 128, 16  # outputs a side of each, made with the same random numbers
JUDGE = 128, 1024, 8  # outputs a side on which the learners judge the pairs that score best
SHRINKS = 16, 300, 100  # pairs that are tried to make the worst one simpler
SHRINK = 128, 512, 2048  # outputs a side of each of these, as few as still show the leak
JUDGED = 8  # pairs that each score sends on to the learners
GOAL = 0.6  # epsilons above the claim that a simpler pair must promise, where the worst one promises more
KEPT = 0.7  # share of what the worst pair promises that a simpler one must keep, where that is less
SURE = 0.3  # epsilons above the claim below which the worst pair is audited beside the simpler one
AUDITED = 2  # pairs of each kind that are audited where none looks refuted: by promise, by shift, by sides


@dataclass(frozen=True)
class Searched:
    """What a search found: pairs to audit, whether they are drawn one by one, and how many pairs were tried."""

    pairs: tuple[NeighbourPair, ...]
    single: bool
    tried: int


@dataclass(frozen=True)
class Judge:
    """By how much an audit of a pair would pass the claim, as far as some past draws tell."""

    draws: drawing.Draws
    once: Callable[..., Any]  # makes calls of the mechanism, under the audit's time limit
    points: Sequence[Point]
    views: tuple[str, ...]
    trials: int
    alpha: float

    def __call__(self, pair: NeighbourPair, n: int, what: str, single: bool) -> float:
        """The lower bound on epsilon that the best event promises, minus the claimed one; -HIGHEST for none."""
        both = self.once(drawing.apart, self.draws, pair, n, what, single)
        return -HIGHEST if both is None else self.promise(*both)

    def promise(self, left: Outputs, right: Outputs) -> float:
        """The same of outputs that were drawn."""
        past = Past(self.views, len(left))
        past.add(left, right)
        best = best_proposal(past, [LowerBound(point, 2 * self.trials, self.alpha) for point in self.points])
        return -HIGHEST if best is None else max(best.utility, -HIGHEST)


@dataclass(frozen=True)
class Candidate:
    """A pair that was looked at, and what it promises."""

    found: Any  # what hypothesis needs to make it again
    single: bool
    promise: float

    @property
    def pair(self) -> NeighbourPair:
        """The pair itself."""
        return self.found.value  # type: ignore[no-any-return]


def search(strategy: Any, judge: Judge, own: Sequence[object]) -> Searched:
    """The pairs of a strategy that are worth an audit: the worst one made simple, or the most promising few."""
    from auditor.search.pairs.strategies import driver

    hypothesis = driver(strategy)
    seed = judge.draws.seed
    look = _Look(judge)
    found = hypothesis.climb(strategy, look, examples=amount(EXAMPLES, judge.trials), seed=seed, own=own)
    if not found:
        raise drawing.failure(judge.draws, look.last)
    ranked = _judged(found, look, judge)
    best = ranked[0]
    if best.promise > 0:
        return Searched(_simpler(hypothesis, strategy, best, judge), best.single, look.tried)
    alike = [one for one in ranked if one.single == best.single]
    chosen = {
        id(one.pair): one.pair
        for order in (lambda one: -one.promise, lambda one: -one.found.scores["shift"], _by_sides)
        for one in sorted(alike, key=order)[:AUDITED]
    }
    return Searched(tuple(chosen.values()), best.single, look.tried)


def _by_sides(candidate: Candidate) -> float:
    return -candidate.found.scores["sides"]  # type: ignore[no-any-return]


def amount(limits: tuple[int, int, int], trials: int) -> int:
    """A number that grows with the trials, between two limits."""
    least, most, each = limits
    return min(most, max(least, trials // each))


class _Look:
    """The scores of a pair; counts the pairs and remembers which of them are drawn one by one."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.tried = 0
        self.last: NeighbourPair | None = None
        self.single: set[int] = set()

    def __call__(self, pair: NeighbourPair) -> dict[str, float] | None:
        self.last = pair
        drawn = self.judge.once(drawing.same, self.judge.draws, pair, amount(LOOK, self.judge.trials))
        if drawn is None:
            return None
        (left, right), single = drawn
        self.tried += 1
        delta = min(point.delta for point in self.judge.points)
        if single:
            self.single.add(id(pair))
        return {"shift": shift(left, right), "sides": sides(left, right, delta)}


def _judged(found: Sequence[Any], look: _Look, judge: Judge) -> list[Candidate]:
    """The pairs that score best by each score, with what they promise, the most promising first."""
    size = amount(JUDGE, judge.trials)
    chosen: dict[str, Any] = {}
    for score in ("sides", "shift"):
        ranked = sorted(found, key=lambda one: (-one.scores[score], len(one.choices)))
        for one in ranked[:JUDGED]:
            chosen.setdefault(repr(one.choices), one)
    candidates = [
        Candidate(one, single, judge(one.value, size, "judge", single))
        for one in chosen.values()
        for single in (id(one.value) in look.single,)
    ]
    return sorted(candidates, key=lambda one: (-one.promise, len(one.found.choices)))


def _simpler(hypothesis: Any, strategy: Any, best: Candidate, judge: Judge) -> tuple[NeighbourPair, ...]:
    """The simplest pair that keeps most of what the worst one promises; the worst one too where that is little."""
    goal = min(GOAL, KEPT * best.promise)
    size = next((n for n in SHRINK if judge(best.pair, n, "size", best.single) >= goal), SHRINK[-1])

    def keeps(pair: NeighbourPair) -> bool:
        return judge(pair, size, "shrink", best.single) >= goal

    simple = hypothesis.shrink(strategy, best.found, keeps, most=amount(SHRINKS, judge.trials), seed=judge.draws.seed)
    promise = judge(simple, max(size, amount(JUDGE, judge.trials)), "check", best.single)
    if promise >= SURE:
        return (simple,)
    return (simple, best.pair) if promise > 0 else (best.pair,)
