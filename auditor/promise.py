"""What an event promises for the next round, judged on past draws with an honest penalty for luck.

These numbers only choose events; nothing here is reported. Right guesses are lowered and wrong ones raised by about one
standard error, so that an event that was lucky on few draws does not win.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor import bounds
from auditor.bounds import Floats, Point
from auditor.events import Event, Region, Score


class Promise(ABC):
    """Larger is better; `value` is vectorised over candidate events. `point` is where the claim is tested."""

    point: Point

    @abstractmethod
    def value(self, right: Floats, wrong: Floats, right_trials: float, wrong_trials: float) -> Floats:
        """The promise of guessing one side, from counts on past draws of each side."""

    @abstractmethod
    def both(
        self, left: tuple[float, float], right: tuple[float, float], trials: tuple[float, float]
    ) -> float:
        """The promise of guessing both sides, from (right, wrong) counts of each region."""


_TAU = (
    0.25  # spread of the excess over the claim that is expected beforehand, as a share of the claimed epsilon
)
_LUCK = 2.5  # standard errors by which a bound's promise is lowered, because the best of many candidates was lucky


@dataclass(frozen=True)
class Growth(Promise):
    """How fast the running evidence against the claim at `point` would grow.

    The growth g seen on n past trials puts the event's excess over the claim at z = sqrt(2 n g) standard errors. The
    excess is shrunk as if it were normal beforehand, with spread tau or with what is left of it after two standard
    errors: of two events with the same ratio the one seen more often promises more, and a lucky tail promises little.
    """

    point: Point

    def value(self, right: Floats, wrong: Floats, right_trials: float, wrong_trials: float) -> Floats:
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

    def both(
        self, left: tuple[float, float], right: tuple[float, float], trials: tuple[float, float]
    ) -> float:
        """See Promise."""
        (a, b), (c, d) = left, right
        lefts, rights = trials
        n = (lefts + rights) / 2
        hits, misses = np.array([(a / lefts + c / rights) * n]), np.array([(b / rights + d / lefts) * n])
        return float(self._value(hits, misses, n, n, 2)[0])


@dataclass(frozen=True)
class LowerBound(Promise):
    """By how much the epsilon that a round of `trials` coin flips certifies at level alpha would pass the point's."""

    point: Point
    trials: float
    alpha: float

    def _bound(self, r: Floats, w: Floats, past: float, directions: int) -> Floats:
        from scipy.special import ndtri

        z = -float(ndtri(self.alpha))
        excess = r - self.point.delta * directions / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = np.maximum(w, 1.0 / past)
            gain = np.log(excess / wrong)
            spread = np.sqrt(r / excess**2 + 1 / wrong)
            value = (
                gain - spread * (z / math.sqrt(self.trials) + _LUCK / math.sqrt(past)) - self.point.epsilon
            )
        return np.where((excess > 0) & np.isfinite(value), value, -np.inf)

    def value(self, right: Floats, wrong: Floats, right_trials: float, wrong_trials: float) -> Floats:
        past = right_trials + wrong_trials
        return self._bound(right / (2 * right_trials), wrong / (2 * wrong_trials), past, 1)

    def both(
        self, left: tuple[float, float], right: tuple[float, float], trials: tuple[float, float]
    ) -> float:
        (a, b), (c, d) = left, right
        lefts, rights = trials
        r = np.array([(a / lefts + c / rights) / 2])
        w = np.array([(b / rights + d / lefts) / 2])
        return float(self._bound(r, w, lefts + rights, 2)[0])


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


@dataclass(frozen=True)
class Proposal:
    """An event with the point at which it tests the claim, and what it promises there."""

    event: Event
    promise: float
    point: Point


def best_event(score: Score, curve: Curve, promise: Promise, view: str) -> Proposal | None:
    """The best region for guessing left, for guessing right, or for both where that promises more."""
    if len(curve.thresholds) == 0:
        return None
    c, trials = curve, (curve.left_trials, curve.right_trials)
    options: list[tuple[float, Region | None, Region | None]] = []
    regions: dict[str, list[tuple[float, Region, tuple[float, float]]]] = {"left": [], "right": []}
    for side in ("left", "right"):
        for op, lefts, rights in (("<=", c.left_low, c.right_low), (">=", c.left_high, c.right_high)):
            right, wrong, n, m = (
                (lefts, rights, *trials) if side == "left" else (rights, lefts, *trials[::-1])
            )
            values = promise.value(right, wrong, n, m)
            at = int(np.argmax(values))
            if values[at] > -np.inf:
                region = Region(op, float(c.thresholds[at]))
                regions[side].append((float(values[at]), region, (float(right[at]), float(wrong[at]))))
    for value, region, _ in regions["left"]:
        options.append((value, region, None))
    for value, region, _ in regions["right"]:
        options.append((value, None, region))
    for _, left, left_counts in regions["left"]:
        for _, right_region, right_counts in regions["right"]:
            low, high = (left, right_region) if left.op == "<=" else (right_region, left)
            if low.op != high.op and low.at < high.at:
                options.append((promise.both(left_counts, right_counts, trials), left, right_region))
    options = [option for option in options if option[0] > -np.inf]
    if not options:
        return None
    value, left_region, right_found = max(options, key=lambda option: option[0])
    return Proposal(Event(score, left_region, right_found, view), value, promise.point)


def choose(proposals: Sequence[Proposal]) -> Proposal | None:
    """The proposal that promises most; the first of equals."""
    return max(proposals, key=lambda proposal: proposal.promise, default=None)
