"""Counts in, certified numbers out: exact tests and an e-process. No sampling, no I/O. Proofs: docs/method.md.

Setting. A trial flips a fair coin for its side, draws an output there, and an event fixed beforehand guesses the side
or abstains. Under (epsilon, delta)-DP, whatever the event,

    P[right guess] <= e^epsilon P[wrong guess] + delta d / 2,      d = directions in which the event guesses.   (*)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincinv, expit, ndtri

Floats = npt.NDArray[np.float64]

_STAKES = np.geomspace(0.004, 0.98, 40)  # fractions of the largest bet that can never go broke


@dataclass(frozen=True)
class Point:
    """A point of a privacy profile at which a claim is tested."""

    epsilon: float
    delta: float


def log_factors(point: Point, directions: int) -> tuple[Floats, Floats, Floats]:
    """log(1 + lambda Z) for a right guess, a wrong one and none, for each stake.

    Z = 2 - delta d, -2 e^epsilon - delta d, -delta d has mean at most 0 by (*); lambda = stake / (2 e^epsilon +
    delta d) keeps 1 + lambda Z positive.
    """
    cost = point.delta * directions
    stakes = _STAKES / (2 * math.exp(point.epsilon) + cost)
    return np.log1p(stakes * (2 - cost)), np.log1p(-_STAKES), np.log1p(-stakes * cost)


@dataclass(frozen=True)
class Round:
    """One round's guesses of one event, fixed before the round was drawn."""

    right: int
    wrong: int
    trials: int
    directions: int


class Evidence:
    """Running evidence against the null "the mechanism has the claimed profile on every audited pair".

    For each stake the wealth prod(1 + lambda Z) is a test martingale; their average W is one too, so
    P[sup W >= 1/a] <= a under the null (Ville), whenever one stops and however the next event is chosen from the past.
    Each of the claim's m points has a W of its own on the same rounds, and 1/m of the level.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = tuple(points)
        self.point = self.points[0]  # against which there was most evidence
        self.peak = 0.0
        self.rounds: list[Round] = []
        self._log_wealth = np.zeros((len(self.points), len(_STAKES)))

    def add(self, this: Round) -> None:
        """Counts a round that is over."""
        self.rounds.append(this)
        self._log_wealth += [_log_wealth(this, point) for point in self.points]
        if self.log_value > self.peak:
            self.peak, self.point = self.log_value, self.points[int(_log_mean(self._log_wealth).argmax())]

    @property
    def log_value(self) -> float:
        """log(W/m), of the point against which it is largest."""
        return float(_log_mean(self._log_wealth).max()) - math.log(len(self.points))

    def epsilon_lower(self, alpha: float) -> float:
        """The top of the run of epsilons, from the refuted point's upwards, that the evidence rejects at its delta.

        Each (epsilon, delta) has an e-process of its own on the same rounds. A run without gaps cannot pass the true
        epsilon unless the first step at or above the truth is rejected falsely, or the point itself was: either way
        with probability at most alpha/m for each point.
        """
        line = math.log(len(self.points)) - math.log(alpha)
        best, delta = self.point.epsilon, self.point.delta
        for step in range(1, 2000):
            epsilon = self.point.epsilon + 0.005 * max(1.0, self.point.epsilon) * step
            wealth = np.sum([_log_wealth(r, Point(epsilon, delta)) for r in self.rounds], axis=0)
            if _log_mean(wealth) < line:
                break
            best = epsilon
        return best


def _log_mean(logs: Floats) -> Floats:
    """log of the mean over the stakes, which come last."""
    top = logs.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(logs - top).mean(axis=-1)))


def _log_wealth(this: Round, point: Point) -> Floats:
    right, wrong, none = log_factors(point, this.directions)
    return this.right * right + this.wrong * wrong + (this.trials - this.right - this.wrong) * none


def growth(right: Floats, wrong: Floats, point: Point, directions: int) -> Floats:
    """The best mean of log(1 + lambda Z) over lambda for the given probabilities of right and wrong guesses, at
    least 0."""
    if point.delta == 0:  # closed form: (r + w) KL(r / (r + w) || e^eps / (1 + e^eps))
        total = right + wrong
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(total > 0, right / total, 0.0)
            limit = float(expit(point.epsilon))
            gain = _xlogy(share, limit) + _xlogy(1 - share, 1 - limit)
        return np.where(share > limit, total * gain, 0.0)
    none, best = np.maximum(0.0, 1 - right - wrong), np.zeros(len(right))
    for a, b, c in zip(*log_factors(point, directions), strict=True):
        np.maximum(best, right * a + wrong * b + none * c, out=best)
    return best


def _xlogy(p: Floats, q: float) -> Floats:
    return np.where(p > 0, p * np.log(np.maximum(p, 1e-300) / max(q, 1e-300)), 0.0)


def binomial_epsilon(right: int, wrong: int, alpha: float) -> float:
    """Largest epsilon that (*) with delta = 0 rejects at level alpha (exact, Clopper–Pearson).

    Given the guesses, the right ones are binomial with success at most e^eps / (1 + e^eps).
    """
    if right == 0:
        return 0.0
    low = float(betaincinv(right, wrong + 1, alpha))
    return max(0.0, math.log(low) - math.log1p(-low)) if low < 1 else math.inf


def binomial_p_value(right: int, wrong: int, epsilon: float) -> float:
    """P[at least that many right guesses] when (*) holds with delta = 0."""
    return 1.0 if right == 0 else float(_at_least(right, right + wrong, float(expit(epsilon))))


def _at_least(k: Any, n: Any, p: float) -> Any:
    """P[X >= k] for X binomial (n, p) and 1 <= k <= n. (scipy's bdtrc counts n in 32 bits.)"""
    return betainc(k, n - k + 1, p)


def trinomial_p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """A p-value for (*) with delta d / 2 = cost, valid for every wrong-guess probability (Berger and Boos 1994).

    The statistic is T = right - weight wrong, with a weight fixed beforehand. The nuisance parameter, the
    probability w of a wrong guess, is confined to an exact confidence set of level 1 - beta, and the tail P[T >= t]
    is maximised over it; the result is that maximum plus beta. The maximum is bounded, not searched: on a cell [a,
    b] of w the tail is at most that with wrong guesses as rare as a and right ones as frequent as e^eps b + cost,
    because T falls with the former and rises with the latter. Cells are halved until the answer is known to be at
    most `level`; otherwise it is 1.
    """
    right, wrong, trials = counts.right, counts.wrong, counts.trials
    beta = level / _SURE
    low, high = _interval(wrong, trials, beta)
    ratio = math.exp(epsilon)

    def bound(a: float, b: float) -> float:
        return _tail(a, min(1.0 - a, ratio * b + cost), weight, right - weight * wrong, trials)

    for end in (high, low):  # the tail is usually largest at an end: a quick no
        if bound(end, end) + beta > level:
            return 1.0
    smallest = (high - low) / 2**9
    cells, worst = [(low, high)], 0.0
    while cells:
        a, b = cells.pop()
        tail = bound(a, b)
        if tail + beta <= level:
            worst = max(worst, tail)
        elif b - a <= smallest:
            return 1.0
        else:
            middle = (a + b) / 2
            cells += [(a, middle), (middle, b)]
    return worst + beta


_SURE = 200  # the nuisance parameter's confidence set takes this part of the level
_BLOCKS = 128


def _interval(count: int, trials: int, beta: float) -> tuple[float, float]:
    """Clopper and Pearson's confidence set of level 1 - beta."""
    low = float(betaincinv(count, trials - count + 1, beta / 2)) if count else 0.0
    high = float(betaincinv(count + 1, trials - count, 1 - beta / 2)) if count < trials else 1.0
    return low, high


def _tail(wrong: float, right: float, weight: float, statistic: float, trials: int) -> float:
    """An upper bound on P[R - weight W >= statistic] for (R, W) multinomial, exact but for blocks of W.

    W is cut into blocks; in each the condition is taken at its smallest W, which can only enlarge the probability.
    """
    spread = math.sqrt(trials * wrong * (1 - wrong)) + 1
    first = max(0, math.floor(trials * wrong - 7 * spread))
    last = min(trials, math.ceil(trials * wrong + 7 * spread))
    starts = np.unique(np.linspace(first, last, min(_BLOCKS, last - first + 1)).astype(np.int64))
    below = np.where(starts > 0, 1 - _at_least(np.maximum(starts, 1), trials, wrong), 0.0)
    mass = np.diff(np.append(below, 1.0))
    need = np.ceil(statistic + weight * starts - 1e-9)
    share = min(1.0, right / (1 - wrong)) if wrong < 1 else 0.0
    rest = trials - starts
    tail = _at_least(np.clip(need, 1, np.maximum(rest, 1)), rest, share)
    tail = np.where(need <= 0, 1.0, np.where(need > rest, 0.0, tail))
    return float(below[0] + np.dot(mass, tail))


@dataclass(frozen=True)
class Guesses:
    """Right and wrong guesses among the trials of one event."""

    right: int
    wrong: int
    trials: int


def epsilon_lower(counts: Guesses, cost: float, weight: float, alpha: float) -> float:
    """The largest epsilon rejected at level alpha by the exact test of the guesses, 0 where none is.

    With the weight fixed, the p-value rises with epsilon, so the rejected epsilons are those below one number.
    """
    if cost == 0:
        return binomial_epsilon(counts.right, counts.wrong, alpha)

    def kept(epsilon: float) -> bool:
        return epsilon > 0 and trinomial_p_value(counts, epsilon, cost, weight, alpha) > alpha

    r, w = counts.right / counts.trials, max(counts.wrong, 1) / counts.trials
    if r <= cost:
        return 0.0
    error = math.sqrt((r / (r - cost) ** 2 + 1 / w) / counts.trials)
    guess = math.log((r - cost) / w) + float(ndtri(alpha)) * error
    return max(0.0, _boundary(kept, guess, error / 4, error / 64)) if kept(1e-9) is False else 0.0


def p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """The exact test of (*) at one epsilon; with delta > 0 the least of level, level/10, … that rejects, else 1."""
    if cost == 0:
        return binomial_p_value(counts.right, counts.wrong, epsilon)
    best = 1.0
    while level > 1e-9 and trinomial_p_value(counts, epsilon, cost, weight, level) <= level:
        best, level = level, level / 10
    return best


def detectable(
    counts: Guesses, size: int, point: Point, directions: int, weight: float, alpha: float, power: float = 0.9
) -> float:
    """The smallest true epsilon that the last round's test refutes with probability `power`, for an event that guesses
    as often as the one counted here.

    delta = 0: the number of guesses is held, the share of right ones raised. delta > 0: the probability of a wrong
    guess is held and that of a right one raised; wrong guesses at their 95th and right ones at their 5th
    percentile, so that both together have at least the power asked for (conservative).
    """
    cost = point.delta * directions / 2
    if counts.trials == 0:
        return math.inf
    if cost == 0:
        guesses = round((counts.right + counts.wrong) / counts.trials * size)
        if binomial_p_value(guesses, 0, point.epsilon) > alpha:
            return math.inf
        need = _first_true(lambda k: binomial_p_value(k, guesses - k, point.epsilon) <= alpha, 0, guesses)
        share = float(betaincinv(need, guesses - need + 1, power))
        return math.log(share) - math.log1p(-share) if share < 1 else math.inf
    rate = max(counts.wrong, 1) / counts.trials
    tail = (1 - power) / 2
    wrongs = _quantile(size, rate, 1 - tail)

    def refuted(right: float) -> bool:
        this = Guesses(math.ceil(right), wrongs, size)
        return right + wrongs > size or trinomial_p_value(this, point.epsilon, cost, weight, alpha) <= alpha

    ratio = math.exp(point.epsilon)
    worst = size * _interval(wrongs, size, alpha / _SURE)[weight < ratio]  # the worst wrong guesses
    spread = math.sqrt(ratio * worst + cost * size + weight**2 * worst) + 1
    guess = weight * wrongs + (ratio - weight) * worst + cost * size - float(ndtri(alpha)) * spread
    need = math.ceil(_boundary(refuted, guess, spread / 8, spread / 32)) + 1
    if need + wrongs + spread > size and not refuted(size - wrongs):  # not even where every other guess is right
        return math.inf
    share = float(betaincinv(min(need, size), size - min(need, size) + 1, 1 - tail))
    return math.log((share - cost) / rate) if share > cost else math.inf


def _boundary(holds: Callable[[float], bool], guess: float, step: float, within: float) -> float:
    """The last point, to `within`, at which a condition that becomes true on the way up does not hold yet."""
    if holds(guess):
        low, high = guess - step, guess
        while holds(low):
            step *= 2
            low, high = low - step, low
    else:
        low, high = guess, guess + step
        while not holds(high):
            step *= 2
            low, high = high, high + step
    while high - low > within:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low


def _first_true(holds: Callable[[int], bool], low: int, high: int, within: int = 1) -> int:
    """The smallest number in (low, high] for which a monotone condition holds, given that it holds at `high`."""
    while high - low > within:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _quantile(trials: int, probability: float, level: float) -> int:
    """The smallest count that a binomial number of these trials does not pass with probability `level`."""
    spread = 9 * math.sqrt(trials * probability) + 9
    low, high = max(-1, int(trials * probability - spread)), min(trials, int(trials * probability + spread))
    return _first_true(lambda k: k >= trials or 1 - float(_at_least(k + 1, trials, probability)) >= level, low, high)
