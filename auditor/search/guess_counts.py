"""How many of a run's canaries to guess, for each null and number of canaries: decided before any score is seen.

The trade-off test of one run holds for a number of guesses that is fixed beforehand. (A number that depends on the
scores is free of charge for pure DP only: docs/method.md.) So each null has a plan: a number of guesses that would
refute the smallest Gaussian shift, with most of the level, and a menu of other numbers with the rest, for scores that
are not Gaussian at all. Plans change power, never soundness.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from auditor.certify.one_run import (
    GaussianCurve,
    Guessed,
    PointsCurve,
    TradeOffCurve,
    approximate_p_value,
    combined,
    counting_p_value,
    possible,
    trade_off_p_value,
)
from auditor.tuning import TUNING, OneRunGuesses

_inverse_normal = NormalDist().inv_cdf


@dataclass(frozen=True)
class Null:
    """What is tested: a trade-off curve, and the (epsilon, delta) that it stands for where it is such a point."""

    curve: TradeOffCurve
    point: tuple[float, float] | None = None

    @staticmethod
    def gaussian(mu: float) -> Null:
        """mu-GDP."""
        return Null(GaussianCurve(mu))

    @staticmethod
    def approximate(epsilon: float, delta: float) -> Null:
        """(epsilon, delta)-DP."""
        return Null(PointsCurve(((epsilon, delta),)), (epsilon, delta))

    def rejects(self, guessed: Guessed, level: float) -> bool:
        """True when one of the null's tests rejects at this level."""
        return _rejects(self, guessed, level)

    def p_value(self, guessed: Guessed) -> float:
        """The least p-value of the null's tests (see certify.one_run.approximate_p_value)."""
        return _p_value(self, guessed)


@lru_cache(maxsize=2**16)
def _rejects(null: Null, guessed: Guessed, level: float) -> bool:
    if not possible(null.curve, guessed, level):
        return True
    return null.point is not None and counting_p_value(*null.point, guessed) <= level


@lru_cache(maxsize=2**16)
def _p_value(null: Null, guessed: Guessed) -> float:
    return trade_off_p_value(null.curve, guessed) if null.point is None else approximate_p_value(*null.point, guessed)


@dataclass(frozen=True)
class GuessPlan:
    """Numbers of guesses with their shares of the level, which add up to 1; the first is the one to trust most."""

    guesses: tuple[int, ...]
    shares: tuple[float, ...]

    def rejects(self, null: Null, canaries: int, correct: Callable[[int], int], alpha: float) -> bool:
        """True when the null is rejected at level alpha; `correct` counts the correct ones among the first guesses."""
        return any(
            null.rejects(Guessed(canaries, r, correct(r)), alpha * share)
            for r, share in zip(self.guesses, self.shares, strict=True)
        )

    def p_value(self, null: Null, canaries: int, correct: Callable[[int], int]) -> tuple[float, int]:
        """The p-value of all numbers of guesses together, and the number that gave it."""
        found = [null.p_value(Guessed(canaries, r, correct(r))) for r in self.guesses]
        weighed = [p / share for p, share in zip(found, self.shares, strict=True)]
        return combined(found, self.shares), self.guesses[weighed.index(min(weighed))]


@lru_cache(maxsize=4096)
def guess_plan(null: Null, canaries: int, alpha: float, tuning: OneRunGuesses = TUNING.one_run) -> GuessPlan:
    """The plan of a null: a function of the null, the number of canaries and the level alone."""
    menu = [r for k in range(20) if (r := canaries // tuning.menu_step**k) >= min(tuning.fewest, canaries)]
    best = _best(null, canaries, (1 - tuning.menu) * alpha, tuning)
    return GuessPlan((best, *menu), (1 - tuning.menu, *(tuning.menu / len(menu) for _ in menu)))


def _best(null: Null, canaries: int, level: float, tuning: OneRunGuesses) -> int:
    """The number of guesses that rejects the null for the smallest Gaussian shift."""
    found: dict[int, float] = {}
    best = canaries
    for k in range(int(math.log2(max(1.0, canaries / tuning.fewest))), -1, -1):
        r = canaries >> k
        found[r] = _needed_shift(null, canaries, r, level, tuning.power)
        if found[r] <= found.get(best, math.inf):
            best = r
        elif r >= 8 * best:  # three doublings without gain: more guesses cost more and more
            break
    for r in (round(best / math.sqrt(2)), min(canaries, round(best * math.sqrt(2)))):
        found[r] = _needed_shift(null, canaries, r, level, tuning.power)
    return min(found, key=lambda r: (found[r], -r))


def _needed_shift(null: Null, canaries: int, guesses: int, level: float, power: float) -> float:
    """The mu at which normal scores, shifted by mu where included, are rejected with probability about .8.

    With r of m guessed from both ends and a share a of them correct, mu = Phi^-1(a r/m) - Phi^-1((1 - a) r/m).
    """
    if not null.rejects(Guessed(canaries, guesses, guesses), level):
        return 100.0 - guesses / canaries  # out of reach; more guesses come nearer
    needed = _critical(null, canaries, guesses, level)
    spread = math.sqrt(needed * (guesses - needed) / guesses + 0.25)
    accuracy = min((needed + 0.5 + power * spread) / (guesses + 1), 1 - 0.1 / (guesses + 1))
    share = min(guesses / canaries, 1 - 1e-9)
    return _inverse_normal(accuracy * share) - _inverse_normal((1 - accuracy) * share)


def _critical(null: Null, canaries: int, guesses: int, level: float) -> int:
    """The smallest number of correct guesses that rejects, given that all correct ones do."""

    def rejects(v: int) -> bool:
        return null.rejects(Guessed(canaries, guesses, v), level)

    share = _typical(null.curve, guesses / canaries)
    step = max(1, int(math.sqrt(guesses * share * (1 - share)) / 2))
    low, high = 0, guesses
    middle = min(guesses - 1, int(guesses * share) + 4 * step)
    while low < middle < high:  # walk from the guess until the answer is enclosed
        if rejects(middle):
            high, middle = middle, middle - step
        else:
            low, middle = middle, middle + step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rejects(middle) else (middle, high)
    return high


def _typical(curve: TradeOffCurve, share: float) -> float:
    """The share of correct guesses at which the curve is met by a law without spread, with this share guessed."""
    low, high = 0.5, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if curve.inverse(middle * share) <= (1 - middle) * share else (low, middle)
    return low
