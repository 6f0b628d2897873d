"""Guesses of one run's canaries in, p-values out. No sampling, no I/O. Proofs: docs/method.md, "One training run".

Setting. Each of m canaries is included by a fair coin of its own; the mechanism runs once; a guesser who sees its
output and no coin makes r guesses "included" or "not included", v of them correct. r is fixed before the output is
seen; which canaries are guessed is the guesser's choice.

Null. Flipping one coin changes the output's law by no more than a trade-off curve allows, in both directions: an event
of probability y under one value of the coin has probability at most F(y) under the other.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from scipy.special import expit

from auditor.certify.proportions import at_least

_SLACK = 1e-9  # relative; rounding must not turn a possible law into an impossible one
_LEAST = 1e-12  # the smallest p-value that is computed; smaller ones are reported as this
_inverse_normal = NormalDist().inv_cdf


@dataclass(frozen=True)
class Guessed:
    """m canaries, r guesses, v of them correct."""

    canaries: int
    guesses: int
    correct: int

    def __post_init__(self) -> None:
        if not 0 <= self.correct <= self.guesses <= self.canaries:
            raise ValueError(f"correct <= guesses <= canaries must hold, got {self}")


class TradeOffCurve(ABC):
    """A trade-off curve: F(y) is the largest probability that an event of probability y may have on the other side."""

    @abstractmethod
    def inverse(self, x: float) -> float:
        """The least y with F(y) >= x, for 0 <= x <= 1; rounded down if at all."""


@dataclass(frozen=True)
class GaussianCurve(TradeOffCurve):
    """mu-GDP: F(y) = Phi(Phi^-1(y) + mu)   (Dong, Roth and Su 2022, Def. 2.6)."""

    mu: float

    def inverse(self, x: float) -> float:
        """Phi(Phi^-1(x) - mu)."""
        if not 0 < x < 1:
            return float(x >= 1)
        return 0.5 * math.erfc((self.mu - _inverse_normal(x)) / math.sqrt(2))


@dataclass(frozen=True)
class PointsCurve(TradeOffCurve):
    """The points (epsilon, delta) of a privacy profile: F(y) = min over them of delta + e^epsilon y and of its mirror
    image 1 - e^-epsilon (1 - delta - y)."""

    points: tuple[tuple[float, float], ...]
    _lines: tuple[tuple[float, float], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lines = tuple((math.exp(min(epsilon, 600.0)), delta) for epsilon, delta in self.points)
        object.__setattr__(self, "_lines", lines)

    def inverse(self, x: float) -> float:
        """max over the points of (x - delta) e^-epsilon and 1 - delta - e^epsilon (1 - x)."""
        found = 0.0
        for ratio, delta in self._lines:
            here = (x - delta) / ratio if x <= 0.5 else max((x - delta) / ratio, 1 - delta - ratio * (1 - x))
            if here > found:
                found = here
        return found


def possible(curve: TradeOffCurve, guessed: Guessed, level: float) -> bool:
    """False when no mechanism under the curve can have P[at least v correct] >= level (Mahloujifar, Melis and
    Chaudhuri 2024, Alg. 3).

    With p_i = P[i correct], x_k = sum over i >= k of i p_i / m and y_k = sum over i >= k of (r - i) p_i / m, the curve
    demands F(y_(k-1)) >= x_k for every k. The law with least mass has p_v = level and each later p_i as small as
    that allows; the null is impossible when its mass passes 1.
    """
    m, r, v = guessed.canaries, guessed.guesses, guessed.correct
    x, y = level * v / m, level * (r - v) / m
    whole = r / m * (1 + _SLACK)
    for i in range(v - 1, -1, -1):
        least = curve.inverse(x)
        if least <= y:
            return True  # no more mass is needed from here on
        x += i / (r - i) * (least - y)
        y = least
        if x + y > whole:
            return False
    return True


def trade_off_p_value(curve: TradeOffCurve, guessed: Guessed) -> float:
    """The largest level at which the guesses are `possible`, rounded up: a p-value of the null for a fixed r."""
    if guessed.correct == 0 or possible(curve, guessed, 1.0):
        return 1.0
    low, high = math.log(_LEAST), 0.0
    if not possible(curve, guessed, _LEAST):
        return _LEAST
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if possible(curve, guessed, math.exp(middle)) else (low, middle)
    return math.exp(high)


def counting_p_value(epsilon: float, delta: float, guessed: Guessed) -> float:
    """The (epsilon, delta) test of Steinke, Nasr and Jagielski (2023, Thm 5.2), for a fixed r.

    beta(v) + 2 m delta max over i of (beta(v - i) - beta(v)) / i, with beta(v) = P[binomial(r, q) >= v] and
    q = e^eps / (1 + e^eps).
    """
    m, r, v = guessed.canaries, guessed.guesses, guessed.correct
    if v == 0:
        return 1.0
    q = float(expit(epsilon))
    beta = float(at_least(v, r, q))
    if delta == 0:
        return max(beta, _LEAST)
    spread = math.sqrt(r * q * (1 - q)) + 1
    far = min(v - 1, max(1, math.ceil(v - r * q + 10 * spread)))  # beyond it beta is 1, and the quotient only falls
    i = np.arange(1, far + 1)
    tails = at_least(v - i, r, q) if far >= 1 else np.zeros(0)
    worst = max(float(np.max((tails - beta) / i, initial=0.0)), (1 - beta) / v, (1 - beta) / (far + 1))
    return min(1.0, max(beta + 2 * m * delta * worst, _LEAST))


def approximate_p_value(epsilon: float, delta: float, guessed: Guessed) -> float:
    """The better of both tests of (epsilon, delta)-DP.

    Both reject for many correct guesses. At each level the smaller of their two critical numbers depends on
    m, r, epsilon, delta and the level alone, so the least of the two p-values is a p-value: nothing is split.
    """
    return min(trade_off_p_value(PointsCurve(((epsilon, delta),)), guessed), counting_p_value(epsilon, delta, guessed))


def combined(p_values: Sequence[float], shares: Sequence[float]) -> float:
    """One p-value from several, each with its share of the level (weighted Bonferroni)."""
    return min(1.0, min(p / share for p, share in zip(p_values, shares, strict=True)))
