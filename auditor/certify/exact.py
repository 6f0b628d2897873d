"""Exact tests of (*) in `evidence`, on the guesses of one event fixed beforehand, and the bounds that they give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, expit, ndtri

from auditor.certify.evidence import exp_epsilon
from auditor.certify.roots import last_false

NUISANCE_PART = 200  # the nuisance parameter's confidence set takes this part of the level
_BLOCKS = 128
# Relative error of scipy's incomplete beta functions: below 1e-10 for tails from 1e-200 up and counts to 1e9
# (tests/auditor/certify/test_small_tails.py). A tail is enlarged by ten times as much, so that it stays an upper bound.
_ROUNDING = 1e-9
_LEAST_P = 1e-9  # smaller p-values of the trinomial test are not looked for, unless the level is smaller


@dataclass(frozen=True)
class Guesses:
    """Right and wrong guesses among the trials of one event."""

    correct: int
    wrong: int
    trials: int


def binomial_epsilon(correct: int, wrong: int, alpha: float) -> float:
    """Largest epsilon that (*) with delta = 0 rejects at level alpha (exact, Clopper–Pearson).

    Given the guesses, the right ones are binomial with success at most e^eps / (1 + e^eps).
    """
    if correct == 0:
        return 0.0
    low = float(betaincinv(correct, wrong + 1, alpha))
    return max(0.0, math.log(low) - math.log1p(-low)) if low < 1 else math.inf


def binomial_p_value(correct: int, wrong: int, epsilon: float) -> float:
    """P[at least that many right guesses] when (*) holds with delta = 0."""
    return 1.0 if correct == 0 else float(at_least(correct, correct + wrong, float(expit(epsilon))))


def at_least(k: Any, n: Any, p: float) -> Any:
    """P[X >= k] for X binomial (n, p) and 1 <= k <= n. (scipy's bdtrc counts n in 32 bits.)"""
    return betainc(k, n - k + 1, p)


def fewer_than(k: Any, n: Any, p: float) -> Any:
    """P[X < k] for X binomial (n, p) and 1 <= k <= n, with all its digits where 1 - `at_least` would have none."""
    return betaincc(k, n - k + 1, p)


def trinomial_p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """A p-value for (*) with delta d / 2 = cost, valid for every wrong-guess probability (Berger and Boos 1994).

    The statistic is T = right - weight wrong, with a weight fixed beforehand. The nuisance parameter, the
    probability w of a wrong guess, is confined to an exact confidence set of level 1 - beta, and the tail P[T >= t]
    is maximised over it; the result is that maximum plus beta. The maximum is bounded, not searched: on a cell [a,
    b] of w the tail is at most that with wrong guesses as rare as a and right ones as frequent as e^eps b + cost,
    because T falls with the former and rises with the latter. Cells are halved until the answer is known to be at
    most `level`; otherwise it is 1.
    """
    beta = level / NUISANCE_PART
    low, high = clopper_pearson(counts.wrong, counts.trials, beta)
    ratio = exp_epsilon(epsilon)
    width = max(7.0, math.sqrt(-2 * math.log(level)) + 1)  # what lies farther out is far below the level

    def bound(a: float, b: float) -> float:
        most = min(1.0 - a, (ratio * b if b else 0.0) + cost)
        return _tail(a, most, weight, counts, width)

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


def clopper_pearson(count: int, trials: int, beta: float) -> tuple[float, float]:
    """Clopper and Pearson's confidence set of level 1 - beta."""
    low = float(betaincinv(count, trials - count + 1, beta / 2)) if count else 0.0
    high = float(betainccinv(count + 1, trials - count, beta / 2)) if count < trials else 1.0
    return low, high


def _tail(wrong: float, correct: float, weight: float, counts: Guesses, width: float = 7.0) -> float:
    """An upper bound on P[R - weight W >= T], for (R, W) multinomial with probabilities `correct` and `wrong` and T the
    value of R - weight W in `counts`. It is exact but for blocks of W.

    W is cut into blocks; in each the condition is taken at its smallest W, which can only enlarge the probability.
    Below `width` standard deviations under its mean W counts in full.
    """
    trials = counts.trials
    spread = math.sqrt(trials * wrong * (1 - wrong)) + 1
    first = max(0, math.floor(trials * wrong - width * spread))
    last = min(trials, math.ceil(trials * wrong + width * spread))
    starts = np.unique(np.linspace(first, last, min(_BLOCKS, last - first + 1)).astype(np.int64))
    below, mass = _masses(starts, trials, wrong)
    need = _needed(starts, weight, counts)
    share = min(1.0, correct / (1 - wrong)) if wrong < 1 else 0.0
    rest = trials - starts
    tail = at_least(np.clip(need, 1, np.maximum(rest, 1)), rest, share)
    tail = np.where(need <= 0, 1.0, np.where(need > rest, 0.0, tail))
    return min(1.0, float(below + np.dot(mass, tail)) * (1 + _ROUNDING))


def _masses(starts: Any, trials: int, wrong: float) -> tuple[float, Any]:
    """P[W < the first start], and P[W in each block]: differences of the smaller tail, so that no digits cancel."""
    some = np.maximum(starts, 1)
    below = np.append(np.where(starts > 0, fewer_than(some, trials, wrong), 0.0), 1.0)
    above = np.append(np.where(starts > 0, at_least(some, trials, wrong), 1.0), 0.0)
    mass = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    return float(below[0]), mass


def _needed(starts: Any, weight: float, counts: Guesses) -> Any:
    """The fewest right guesses with R - weight W >= T at each W, never more than that: whole numbers, because T itself
    may need more digits than a double has. The rounding of weight (W - wrong) is allowed for."""
    more = weight * (starts - counts.wrong)
    more = np.clip(more, -2.0 * counts.trials, 2.0 * counts.trials)
    return counts.correct + np.ceil(more - 1e-9 - 1e-15 * np.abs(more)).astype(np.int64)


def epsilon_lower(counts: Guesses, cost: float, weight: float, alpha: float) -> float:
    """The largest epsilon rejected at level alpha by the exact test of the guesses, 0 where none is.

    With the weight fixed, the p-value rises with epsilon, so the rejected epsilons are those below one number.
    """
    if cost == 0:
        return binomial_epsilon(counts.correct, counts.wrong, alpha)

    def kept(epsilon: float) -> bool:
        return epsilon > 0 and trinomial_p_value(counts, epsilon, cost, weight, alpha) > alpha

    r, w = counts.correct / counts.trials, max(counts.wrong, 1) / counts.trials
    if r <= cost:
        return 0.0
    error = math.sqrt((r / (r - cost) ** 2 + 1 / w) / counts.trials)
    guess = math.log((r - cost) / w) + float(ndtri(alpha)) * error
    return max(0.0, last_false(kept, guess, error / 4, error / 64)) if kept(1e-9) is False else 0.0


def p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """The exact test of (*) at one epsilon; with delta > 0 the least of level, level/10, … that rejects, else 1."""
    if cost == 0:
        return binomial_p_value(counts.correct, counts.wrong, epsilon)
    best, least = 1.0, min(level, _LEAST_P)
    while level >= least and trinomial_p_value(counts, epsilon, cost, weight, level) <= level:
        best, level = level, level / 10
    return best
