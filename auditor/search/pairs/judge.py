"""How bad a pair looks: cheap scores to climb, and what the learners expect an audit of it to certify."""

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
from mechanisms.core.neighbours import NeighbourPair


@dataclass(frozen=True)
class Judge:
    """By how much an audit of a pair would pass the claim, as far as some past draws tell."""

    draws: drawing.Draws
    once: Callable[..., Any]  # makes calls of the mechanism, under the audit's time limit
    utilities: Sequence[LowerBound]  # what an event would certify in the last round, at each point of the claim
    views: tuple[str, ...]
    trials: int
    tuning: Tuning = TUNING
    worst: bool = False  # the worst pair is looked for, and not just one that is clearly refuted

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


class Look:
    """The scores of a pair; counts the pairs and remembers what an exception has to be on each."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.tried = 0
        self.last: NeighbourPair | None = None
        self.raises: dict[int, str] = {}
        self.highest: dict[str, float] = {}
        self.refuted: Suspect | None = None

    def __call__(self, pair: NeighbourPair) -> dict[str, float] | None:
        """The scores; None where the mechanism always raises on both sides."""
        self.last = pair
        judge, tuning = self.judge, self.judge.tuning.pairs
        drawn = judge.once(drawing.same, judge.draws, pair, tuning.look.at(judge.trials))
        if drawn is None:
            return None
        (left, right), self.raises[id(pair)] = drawn
        self.tried += 1
        delta = min(utility.point.delta for utility in judge.utilities)
        return {"shift": shift(left, right, tuning), "sides": sides(left, right, delta, tuning)}

    def clear(self, found: Any) -> bool:
        """Whether a pair that beats all before it in a score is clearly refuted, so that the search may end."""
        judge, tuning = self.judge, self.judge.tuning.pairs
        beaten = {name: score for name, score in found.scores.items() if score > self.highest.get(name, 0.0)}
        self.highest.update(beaten)
        if judge.worst or not beaten:
            return False
        raises, excess = self.raises[id(found.value)], tuning.goal
        for size in (tuning.shrink[0], tuning.judge.at(judge.trials)):
            if excess >= tuning.goal:
                excess = judge(found.value, size, "clear", raises)
        self.refuted = Suspect(found, raises, excess) if excess >= tuning.goal else None
        return self.refuted is not None


def best_suspects(found: Sequence[Any], look: Look, judge: Judge) -> list[Suspect]:
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
