"""What an event promises for the next round, judged on past draws with an honest penalty for luck.

These numbers only choose events; nothing here is reported. Right guesses are lowered and wrong ones raised by about one
standard error, so that an event that was lucky on few draws does not win.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from auditor import bounds
from auditor.bounds import Floats, Point
from auditor.events import Event, Region, Score


class Promise(ABC):
    """Larger is better; `value` is vectorised over candidate events. `point` is where the claim is tested."""

    point: Point

    @abstractmethod
    def value(
        self,
        right: Floats,
        wrong: Floats,
        right_trials: float,
        wrong_trials: float,
        model: Floats | None = None,
    ) -> Floats:
        """The promise of guessing one side, from counts on past draws of each side.

        `model` is the log-ratio of right to wrong guesses that a fitted score predicts, where there is one.
        """

    @abstractmethod
    def both(self, left: Side, right: Side, trials: tuple[float, float]) -> float:
        """The promise of guessing both sides, each in its region."""


_TAU = (
    0.25  # spread of the excess over the claim that is expected beforehand, as a share of the claimed epsilon
)
_TRUST = 0.05  # standard error of the log-ratio that a fitted score predicts for a region
_LUCK = 2.5  # standard errors by which a bound's promise is lowered, because the best of many candidates was lucky


@dataclass(frozen=True)
class Growth(Promise):
    """How fast the running evidence against the claim at `point` would grow.

    The growth g seen on n past trials puts the event's excess over the claim at z = sqrt(2 n g) standard errors. The
    excess is shrunk as if it were normal beforehand, with spread tau or with what is left of it after two standard
    errors: of two events with the same ratio the one seen more often promises more, and a lucky tail promises little.
    """

    point: Point

    def value(
        self,
        right: Floats,
        wrong: Floats,
        right_trials: float,
        wrong_trials: float,
        model: Floats | None = None,
    ) -> Floats:
        """See Promise."""
        return self._value(right, wrong, right_trials, wrong_trials, 1)

    def _value(self, right: Floats, wrong: Floats, n: float, m: float, directions: int) -> Floats:
        r, w = right / (2 * n), wrong / (2 * m)
        seen = bounds.growth(r, w, self.point, directions)
        z = np.sqrt(2 * (n + m) * seen) + 1e-12
        spare = np.maximum(1e-12, r - self.point.delta * directions / 2)
        excess = np.log(spare / (w + 0.25 / m)) - self.point.epsilon
        prior = np.maximum(_TAU * max(self.point.epsilon, 0.1), excess * (1 - 2 / z)) ** 2
        return np.where(seen > 0, seen * (prior / (prior + (excess / z) ** 2)) ** 2, -1.0)

    def both(self, left: Side, right: Side, trials: tuple[float, float]) -> float:
        """See Promise."""
        lefts, rights = trials
        n = (lefts + rights) / 2
        hits = np.array([(left.right / lefts + right.right / rights) * n])
        misses = np.array([(left.wrong / rights + right.wrong / lefts) * n])
        return float(self._value(hits, misses, n, n, 2)[0])


@dataclass(frozen=True)
class LowerBound(Promise):
    """By how much the epsilon that a round of `trials` coin flips certifies at level alpha would pass the point's."""

    point: Point
    trials: float
    alpha: float

    def _bound(
        self, r: Floats, w: Floats, past: float, directions: int, model: Floats | None = None
    ) -> Floats:
        from scipy.special import ndtri

        z = -float(ndtri(self.alpha))
        cost = self.point.delta * directions / 2
        excess = r - cost
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = np.maximum(w, 1.0 / past)
            gain = np.log(excess / wrong)
            spread = np.sqrt(r / excess**2 + 1 / wrong)
            luck = spread / math.sqrt(past)
            if (
                model is not None
            ):  # what the past says of this region, and what the score predicts, weighed by precision
                predicted = np.log(np.maximum(1e-12, np.exp(model) - cost / wrong))
                weight = _TRUST**2 / (_TRUST**2 + luck**2)
                gain, luck = weight * gain + (1 - weight) * predicted, luck * np.sqrt(weight)
            value = gain - z * spread / math.sqrt(self.trials) - _LUCK * luck - self.point.epsilon
        return np.where((excess > 0) & np.isfinite(value), value, -np.inf)

    def value(
        self,
        right: Floats,
        wrong: Floats,
        right_trials: float,
        wrong_trials: float,
        model: Floats | None = None,
    ) -> Floats:
        """See Promise."""
        past = right_trials + wrong_trials
        return self._bound(right / (2 * right_trials), wrong / (2 * wrong_trials), past, 1, model)

    def both(self, left: Side, right: Side, trials: tuple[float, float]) -> float:
        """See Promise."""
        lefts, rights = trials
        r = np.array([(left.right / lefts + right.right / rights) / 2])
        w = np.array([(left.wrong / rights + right.wrong / lefts) / 2])
        model = None
        if left.model is not None and right.model is not None:
            shares = np.array([left.wrong + 0.5, right.wrong + 0.5])
            model = np.log(np.array([np.average(np.exp([left.model, right.model]), weights=shares)]))
        return float(self._bound(r, w, lefts + rights, 2, model)[0])


@dataclass(frozen=True)
class Side:
    """One side's best region, with what the past saw of it."""

    promise: float
    region: Region
    right: float
    wrong: float
    model: float | None


@dataclass(frozen=True)
class Curve:
    """Counts of both sides at or below, and at or above, each threshold of a score."""

    thresholds: Floats
    left_low: Floats
    right_low: Floats
    left_high: Floats
    right_high: Floats
    left_trials: float
    right_trials: float
    model_low: Floats | None = None  # log-ratio of left to right that a fitted score predicts for each region
    model_high: Floats | None = None


@dataclass(frozen=True)
class Proposal:
    """An event with the point at which it tests the claim, and what it promises there."""

    event: Event
    promise: float
    point: Point


@dataclass(frozen=True)
class Scored:
    """A score that a learner proposes, with what the past saw of it."""

    score: Score
    curve: Curve
    view: str


def best_event(scored: Scored, promise: Promise) -> Proposal | None:
    """The best region for guessing left, for guessing right, or for both where that promises more."""
    curve = scored.curve
    if len(curve.thresholds) == 0:
        return None
    trials = (curve.left_trials, curve.right_trials)
    lefts = _sides(curve, promise, 1)
    rights = _sides(curve, promise, -1)
    options: list[tuple[float, Region | None, Region | None]] = [(s.promise, s.region, None) for s in lefts]
    options += [(s.promise, None, s.region) for s in rights]
    for left in lefts:
        for right in rights:
            low, high = (left.region, right.region) if left.region.op == "<=" else (right.region, left.region)
            if low.op != high.op and low.at < high.at:
                options.append((promise.both(left, right, trials), left.region, right.region))
    options = [option for option in options if option[0] > -np.inf]
    if not options:
        return None
    value, left_region, right_region = max(options, key=lambda option: option[0])
    return Proposal(Event(scored.score, left_region, right_region, scored.view), value, promise.point)


def _sides(c: Curve, promise: Promise, sign: int) -> list[Side]:
    """The best region at or below a threshold, and at or above one, for guessing left (sign 1) or right (-1)."""
    found = []
    for op, lefts, rights, model in (
        ("<=", c.left_low, c.right_low, c.model_low),
        (">=", c.left_high, c.right_high, c.model_high),
    ):
        right, wrong = (lefts, rights)[::sign]
        signed = None if model is None else sign * model
        values = promise.value(right, wrong, *(c.left_trials, c.right_trials)[::sign], signed)
        at = (
            int(np.argmax(values)) if op == "<=" else len(values) - 1 - int(np.argmax(values[::-1]))
        )  # the smaller of equals
        if values[at] > -np.inf:
            region = Region(op, float(c.thresholds[at]))
            predicted = None if signed is None else float(signed[at])
            found.append(Side(float(values[at]), region, float(right[at]), float(wrong[at]), predicted))
    return found
