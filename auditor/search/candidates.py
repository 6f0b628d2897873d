"""The regions of scores that could be events, all judged at once, and the one that is worth most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from auditor.certify.evidence import Floats, Point
from auditor.events.event import Event
from auditor.events.scores import Region, Score
from auditor.search.utility import Seen, Utility

Indices = npt.NDArray[np.int64]


class Tail(NamedTuple):
    """The regions at or below (or at or above) each threshold of a score, with both sides' counts in them.

    `at` is the threshold on the final score, which need not be the one on which the counts were judged. `model` is the
    log-ratio of left to right that a fitted score predicts.
    """

    op: str
    at: Floats
    left: Floats
    right: Floats
    model: Floats | None = None


class Curve(NamedTuple):
    """Both tails of a score, and the trials of each side."""

    low: Tail
    high: Tail
    left_trials: float
    right_trials: float
    scale: float = 1.0  # the size of log-ratio for which the model was made
    straight: bool = False  # the model is a straight line that was fitted to all draws


class Scored(NamedTuple):
    """A score that a learner proposes, with what the past saw of it."""

    score: Score
    curve: Curve
    view: str
    judged: int | None = None  # the first draws of a side, which its curve is of; None where it is of all of them


@dataclass(frozen=True)
class Candidate:
    """An event, the point at which it tests the claim, and what it is worth there in the unit of `utility`; `straight`
    where a line that was fitted to all draws chose its thresholds."""

    event: Event
    utility: Utility
    value: float
    straight: bool = False

    @property
    def point(self) -> Point:
        """The point of the claim that the event tests."""
        return self.utility.point


class _Offer(NamedTuple):
    """Regions of one score: the thresholds where left is guessed, those where right is, and the past counts in them."""

    scored: Scored
    left: tuple[str, Floats] | None
    right: tuple[str, Floats] | None
    seen: Seen

    def candidate(self, index: int, utility: Utility, value: float) -> Candidate:
        """The event of one index, which is worth so much."""
        left, right = (at and Region(at[0], float(at[1][index])) for at in (self.left, self.right))
        event = Event(self.scored.score, left, right, self.scored.view)
        return Candidate(event, utility, float(value), self.seen.straight)


class Regions:
    """Everything that some scores offer, one after the other, so that a utility is computed for many regions at once.

    Of regions that are worth the same, the first is meant: scores come in their order, and tails from the smallest.
    """

    def __init__(self, scores: Sequence[Scored]) -> None:
        self._offers = [offer for scored in scores for offer in _offers(scored)]
        sizes = [len(offer.seen.correct) for offer in self._offers]
        self._ends = np.cumsum(sizes, dtype=np.int64)
        kinds = [(offer.seen.directions, offer.seen.model is not None, offer.seen.straight) for offer in self._offers]
        self._kinds = [
            (
                np.repeat([kind == this for kind in kinds], sizes),
                _joined([offer.seen for offer, kind in zip(self._offers, kinds, strict=True) if kind == this]),
            )
            for this in set(kinds)
        ]

    def best(self, utilities: Sequence[Utility]) -> Candidate | None:
        """The region that is worth most, over the given utilities; the first of equals."""
        found = (self._best(utility) for utility in utilities)
        return max((p for p in found if p is not None), key=lambda p: p.value, default=None)

    def leading(self, utility: Utility, most: int) -> list[tuple[Scored, Candidate]]:
        """The best region of each of the scores that are worth most, the best score first."""
        values = self._values(utility)
        found: dict[int, tuple[Scored, Candidate]] = {}
        for start, end, offer in zip([0, *self._ends[:-1]], self._ends, self._offers, strict=True):
            best = int(start + values[start:end].argmax()) if start < end else -1
            known = found.get(id(offer.scored))
            if best >= 0 and values[best] > (known[1].value if known else -math.inf):
                found[id(offer.scored)] = offer.scored, offer.candidate(best - int(start), utility, values[best])
        return sorted(found.values(), key=lambda one: -one[1].value)[:most]

    def _best(self, utility: Utility) -> Candidate | None:
        if not self._offers or not self._ends[-1]:
            return None
        values = self._values(utility)
        best = int(values.argmax())
        if values[best] == -math.inf:
            return None
        offer = int(np.searchsorted(self._ends, best, side="right"))
        return self._offers[offer].candidate(best - int(self._ends[offer]), utility, values[best])

    def _values(self, utility: Utility) -> Floats:
        """What each region is worth."""
        values = np.empty(self._ends[-1] if len(self._ends) else 0)
        for where, seen in self._kinds:
            values[where] = utility.value(seen)
        return values


def _joined(seen: Sequence[Seen]) -> Seen:
    """What was seen of several scores' regions of one kind, in one piece."""
    sizes = [len(one.correct) for one in seen]
    models = [one.model for one in seen if one.model is not None]
    return Seen(
        np.concatenate([one.correct for one in seen]),
        np.concatenate([one.wrong for one in seen]),
        np.repeat([one.correct_trials for one in seen], sizes),
        np.repeat([one.wrong_trials for one in seen], sizes),
        seen[0].directions,
        np.concatenate(models) if models else None,
        np.repeat([one.scale for one in seen], sizes),
        seen[0].straight,
    )


def _offers(scored: Scored) -> list[_Offer]:
    """The regions for guessing left and for guessing right in either tail, then those for guessing both."""
    low, high = scored.curve.low, scored.curve.high
    tails = low, _taken(high, slice(None, None, -1))  # from the smallest region
    one = [_one(scored, tail, sign) for tail in tails for sign in (1, -1)]
    n, m = scored.curve.left_trials, scored.curve.right_trials
    masses = [tail.left / n + tail.right / m for tail in (low, high)]
    return [*one, _both(scored, low, high, *masses), _both(scored, high, low, *masses[::-1])]


def _one(scored: Scored, tail: Tail, sign: int) -> _Offer:
    """The regions of a tail for guessing left (sign 1) or right (-1)."""
    curve, at = scored.curve, (tail.op, tail.at)
    if sign == 1:
        trials = curve.left_trials, curve.right_trials
        seen = Seen(tail.left, tail.right, *trials, 1, tail.model, curve.scale, curve.straight)
        return _Offer(scored, at, None, seen)
    model = None if tail.model is None else -tail.model
    trials = curve.right_trials, curve.left_trials
    return _Offer(scored, None, at, Seen(tail.right, tail.left, *trials, 1, model, curve.scale, curve.straight))


def _both(scored: Scored, left: Tail, right: Tail, left_mass: Floats, right_mass: Floats) -> _Offer:
    """Pairs of regions that are about equally likely: guess left in one tail, right in the other.

    Choosing both by one number halves the luck in the choice, and noise that is symmetric wants nothing else.
    """
    curve = scored.curve
    n, m = curve.left_trials, curve.right_trials
    order = right_mass.argsort(kind="stable")
    ranked, last = right_mass[order], len(order) - 1
    index = np.minimum(np.maximum(ranked.searchsorted(left_mass), 1), max(1, last))
    nearer = index - (left_mass - ranked[index - 1] <= ranked[np.minimum(index, last)] - left_mass)
    partner = order[np.minimum(nearer, last)]
    ends = left.at, right.at[partner]
    apart = (ends[0] < ends[1] if left.op == "<=" else ends[0] > ends[1]).nonzero()[0]
    left, right = _taken(left, apart), _taken(right, partner[apart])
    mean = (n + m) / 2
    correct = (left.left / n + right.right / m) * mean
    wrong = (left.right / m + right.left / n) * mean
    model = None
    if left.model is not None and right.model is not None:
        shares = left.right / m + 1e-12, right.left / n + 1e-12
        mixed = shares[0] * np.exp(left.model) + shares[1] * np.exp(-right.model)
        model = np.log(mixed / (shares[0] + shares[1]))
    seen = Seen(correct, wrong, mean, mean, 2, model, curve.scale, curve.straight)
    return _Offer(scored, (left.op, left.at), (right.op, right.at), seen)


def _taken(tail: Tail, indices: Indices | slice) -> Tail:
    model = None if tail.model is None else tail.model[indices]
    return Tail(tail.op, tail.at[indices], tail.left[indices], tail.right[indices], model)
