"""The worst pair of a search made simple: fewer records and plainer values, as long as it is still clearly worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from auditor.search.pairs.judge import Judge, Look, Suspect, best_suspects
from mechanisms.core import records
from mechanisms.core.neighbours import NeighbourPair


def simpler_pairs(hypothesis: Any, strategy: Any, best: Suspect, judge: Judge) -> tuple[NeighbourPair, ...]:
    """The simplest pair that keeps most of the worst one's expected excess; the worst one too where that is little.

    Where it has many records, pairs with a few of them are searched for the leak as well.
    """
    simple, excess = _simplest(hypothesis, strategy, best, judge)
    if records_of(simple) > judge.tuning.pairs.few:
        small = _smaller(hypothesis, strategy, (simple, best.pair), best.raises, judge)
        simple, excess = (simple, excess) if small is None else small
    if excess >= judge.tuning.pairs.sure:
        return (simple,)
    return (simple, best.pair) if excess > 0 else (best.pair,)


def _simplest(hypothesis: Any, strategy: Any, best: Suspect, judge: Judge) -> tuple[NeighbourPair, float]:
    """The simplest pair that hypothesis finds, on as few draws as show the leak, and its excess on fresh ones."""
    tuning = judge.tuning.pairs
    goal = min(tuning.goal, tuning.kept * best.excess)
    simple, excess = best.pair, best.excess
    for size in tuning.shrink:
        if size != tuning.shrink[-1] and judge(best.pair, size, "size", best.raises) < goal:
            continue  # too few draws to show the leak
        simple = _shrunk(hypothesis, strategy, best, judge, goal, size)
        excess = _checked(simple, best.raises, judge)
        if excess >= goal / 2:  # less was the luck of few draws, which more of them will not repeat
            break
    return simple, excess


def _checked(pair: NeighbourPair, raises: str, judge: Judge) -> float:
    """The excess of a pair on fresh draws: on more of them where a first look is not clear."""
    tuning = judge.tuning.pairs
    excess = judge(pair, tuning.judge.at(judge.trials), "check", raises)
    return excess if excess >= tuning.goal else judge(pair, tuning.check.at(judge.trials), "check", raises)


def _shrunk(hypothesis: Any, strategy: Any, best: Suspect, judge: Judge, goal: float, size: int) -> NeighbourPair:
    """The simplest pair that hypothesis finds whose expected excess reaches the goal on so many draws.

    Records go first: among plainer values each of them might be needed.
    """
    tuning, found = judge.tuning.pairs, best.found
    least = [records_of(best.pair)]

    def keeps(pair: NeighbourPair) -> bool:
        kept = judge(pair, size, "shrink", best.raises) >= goal
        least[0] = min(least[0], records_of(pair)) if kept else least[0]
        return kept

    how = {"most": tuning.shrinks.at(judge.trials), "seed": judge.draws.seed}
    if least[0] > 1:
        found = hypothesis.shrink(strategy, found, keeps, worth=lambda pair: records_of(pair) < least[0], **how)
    return hypothesis.shrink(strategy, found, keeps, **how).value  # type: ignore[no-any-return]


def _smaller(
    hypothesis: Any, strategy: Any, large: Sequence[NeighbourPair], raises: str, judge: Judge
) -> tuple[NeighbourPair, float] | None:
    """A pair of few records that is clearly refuted as well, made of corners and of the values of larger ones."""
    tuning, look = judge.tuning.pairs, Look(judge)
    few = strategy.filter(lambda pair: records_of(pair) <= tuning.few)
    own = tuple(islice((value for pair in large for value in _values(pair)), tuning.own_values))
    examples = tuning.few_examples.at(judge.trials)
    corners = hypothesis.corner_plan(examples // 2, tuple(range(tuning.few, 0, -1)))
    found = hypothesis.climb(few, look, examples=examples, seed=judge.draws.seed, own=own, corners=corners)
    alike = [one for one in found if look.raises[id(one.value)] == raises]
    best = next(iter(best_suspects(alike, look, judge)), None)
    if best is None or best.excess < tuning.sure / 2:
        return None
    simple, excess = _simplest(hypothesis, few, best, judge)
    return (simple, excess) if excess >= tuning.sure / 2 else None


def records_of(pair: NeighbourPair) -> int:
    """The number of records of the larger dataset; 1 for what has none."""
    return max(records.size(data) if records.has_records(data) else 1 for data in (pair.left, pair.right))


def _values(data: Any) -> Iterator[object]:
    """The numbers and texts in a pair or a dataset."""
    if isinstance(data, NeighbourPair):
        data = (data.left, data.right)
    if records.is_frame(data):
        data = data.to_numpy()
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, Mapping):
        data = [part for item in data.items() for part in item]
    if isinstance(data, (set, frozenset)):
        data = records.ordered(data)
    if isinstance(data, (list, tuple)):
        for part in data:
            yield from _values(part)
    elif isinstance(data, (int, float, str)) and not isinstance(data, bool):
        yield data
