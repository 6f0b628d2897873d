"""Exact tests of (*) in `evidence`, on the guesses of one event fixed beforehand, and the bounds that they give."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from auditor.certify.evidence import exp_epsilon
from auditor.certify.proportions import at_least, fewer_than, interval, lower
from auditor.certify.roots import last_false

NUISANCE_PART = 200  # the nuisance parameter's confidence set takes this part of the level
_BLOCKS = 128
_HALVINGS = 9  # of the nuisance parameter's set, at the most: counted, because the width of a cell is rounded
# Relative error of scipy's incomplete beta functions: below 1e-10 for tails from 1e-200 up and counts to 1e9
# (tests/auditor/certify/test_small_tails.py). A tail is enlarged by ten times as much, so that it stays an upper bound.
_ROUNDING = 1e-9
_LEAST_P = 1e-9  # smaller p-values of the trinomial test are not looked for, unless the level is smaller


@dataclass(frozen=True)
class Guesses:
    """Correct and wrong guesses among the trials of one event; in the other trials it abstained."""

    correct: int
    wrong: int
    trials: int


def binomial_epsilon(correct: int, wrong: int, alpha: float) -> float:
    """Largest epsilon that (*) with delta = 0 rejects at level alpha (exact, Clopper–Pearson).

    Given the number of guesses, the correct ones are binomial with success probability at most e^eps / (1 + e^eps).
    """
    if correct == 0:
        return 0.0
    low = float(lower(correct, correct + wrong, alpha))
    return max(0.0, math.log(low) - math.log1p(-low)) if low < 1 else math.inf


def binomial_p_value(correct: int, wrong: int, epsilon: float) -> float:
    """P[at least that many correct guesses] when (*) holds with delta = 0."""
    return 1.0 if correct == 0 else float(at_least(correct, correct + wrong, float(expit(epsilon))))


def trinomial_p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """A p-value for (*) with delta d / 2 = cost, valid for every wrong-guess probability (Berger and Boos 1994).

    The statistic is T = correct - weight wrong, with a weight fixed beforehand. The nuisance parameter, the
    probability w of a wrong guess, is confined to an exact confidence set of level 1 - beta, and the tail P[T >= t]
    is maximised over it; the result is that maximum plus beta. The maximum is bounded, not searched: on a cell [a,
    b] of w the tail is at most that with wrong guesses as rare as a and correct ones as frequent as e^eps b + cost,
    because T falls with the former and rises with the latter. Cells are halved until the answer is known to be at
    most `level`; otherwise it is 1.
    """
    test = _Test(counts, epsilon, cost, weight, level)
    if not test.ends_reject():
        return 1.0
    cells, worst = [(*test.ends, _HALVINGS)], 0.0
    while cells:
        a, b, halvings = cells.pop()
        tail = test.bound(a, b)
        if tail + test.beta <= level:
            worst = max(worst, tail)
        elif halvings == 0:
            return 1.0
        else:
            middle = (a + b) / 2
            cells += [(a, middle, halvings - 1), (middle, b, halvings - 1)]
    return worst + test.beta


class _Test:
    """The trinomial test of one epsilon: bounds on its tail in cells of the probability of a wrong guess."""

    def __init__(self, counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> None:
        self.counts, self.cost, self.weight, self.level = counts, cost, weight, level
        self.ratio = exp_epsilon(epsilon)
        self.beta = level / NUISANCE_PART
        self.ends = nuisance_set(counts.wrong, counts.trials, self.beta)
        self.width = max(7.0, math.sqrt(-2 * math.log(level)) + 1)  # what lies farther out is far below the level

    def bound(self, a: float, b: float) -> float:
        """At least the tail at every probability of a wrong guess from a to b."""
        most = min(1.0 - a, (self.ratio * b if b else 0.0) + self.cost)
        return _tail(a, most, self.weight, self.counts, self.width)

    def ends_reject(self) -> bool:
        """A quick no: the tail is usually largest at an end."""
        low, high = self.ends
        return all(self.bound(end, end) + self.beta <= self.level for end in (high, low))


@lru_cache(maxsize=64)  # a search asks for the same counts many times
def nuisance_set(wrong: int, trials: int, beta: float) -> tuple[float, float]:
    """The confidence set of level 1 - beta of the probability of a wrong guess (Clopper and Pearson)."""
    low, high = interval(wrong, trials, beta)
    return float(low), float(high)


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
    if wrong == 0 or starts[-1] == 0:
        return 0.0, (starts == 0).astype(np.float64)
    cut = int(np.searchsorted(starts, trials * wrong))  # starts before it count from below, the others from above
    lower, upper = starts[:cut], starts[cut:]
    below = np.where(lower > 0, fewer_than(np.maximum(lower, 1), trials, wrong), 0.0)
    above = np.append(np.where(upper > 0, at_least(np.maximum(upper, 1), trials, wrong), 1.0), 0.0)
    middle = (1 - above[0] - below[-1],) if cut else ()  # the block that holds the mean: nothing small is lost there
    return float(below[0]) if cut else 0.0, np.concatenate([np.diff(below), middle, -np.diff(above)])


def _needed(starts: Any, weight: float, counts: Guesses) -> Any:
    """The fewest correct guesses with R - weight W >= T at each W, never more than that: whole numbers, because T
    itself may need more digits than a double has. The rounding of weight (W - wrong) is allowed for."""
    more = weight * (starts - counts.wrong)
    more = np.clip(more, -2.0 * counts.trials, 2.0 * counts.trials)
    return counts.correct + np.ceil(more - 1e-9 - 1e-15 * np.abs(more)).astype(np.int64)


def epsilon_lower(counts: Guesses, cost: float, weight: float, alpha: float) -> float:
    """The largest epsilon rejected at level alpha by the exact test of the guesses, 0 where none is.

    With the weight fixed, the p-value rises with epsilon, so the rejected epsilons are those below one number. It is
    searched with the quick half of the test, which can only find too large a number, and confirmed with the whole test.
    """
    if cost == 0:
        return binomial_epsilon(counts.correct, counts.wrong, alpha)
    r, w = counts.correct / counts.trials, max(counts.wrong, 1) / counts.trials
    if r <= cost:
        return 0.0
    error = math.sqrt((r / (r - cost) ** 2 + 1 / w) / counts.trials)
    estimate = math.log((r - cost) / w)
    guess = estimate + float(ndtri(alpha)) * error

    def searched(rejects: Callable[[Guesses, float, float, float, float], bool], most: float) -> float:
        def kept(epsilon: float) -> bool:
            return epsilon > 0 and (epsilon > most or not rejects(counts, epsilon, cost, weight, alpha))

        return 0.0 if kept(1e-9) else max(0.0, last_false(kept, guess, error / 4, error / 64))

    quick = searched(_ends_reject, estimate)
    if quick == 0 or (quick < estimate - error and _rejects(counts, quick, cost, weight, alpha)):
        return quick
    return searched(_rejects, math.inf)


def _rejects(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> bool:
    return trinomial_p_value(counts, epsilon, cost, weight, level) <= level


def _ends_reject(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> bool:
    """True where the tail is small enough at both ends of the confidence set: necessary for a rejection."""
    return _Test(counts, epsilon, cost, weight, level).ends_reject()


def delta_lower(counts: Guesses, epsilon: float, directions: int, weight: float, alpha: float) -> float:
    """The largest delta rejected at level alpha at one epsilon by the exact test of the guesses, 0 where none is.

    The same statistic as in `epsilon_lower`, and the same event of probability at most alpha in which either is too
    large: the two bounds hold together.
    """

    def kept(delta: float) -> bool:
        return delta >= 1 or trinomial_p_value(counts, epsilon, delta * directions / 2, weight, alpha) > alpha

    if kept(0.0):
        return 0.0
    r, w = counts.correct / counts.trials, max(counts.wrong, 1) / counts.trials
    ratio = math.exp(epsilon)
    error = math.sqrt((r + ratio**2 * w) / counts.trials) * 2 / directions
    guess = (r - ratio * w) * 2 / directions + float(ndtri(alpha)) * error
    return max(0.0, last_false(lambda d: d > 0 and kept(d), guess, error / 4, error / 64))


def p_value(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> float:
    """The exact test of (*) at one epsilon; with delta > 0 the least of level, level/10, … that rejects, else 1."""
    if cost == 0:
        return binomial_p_value(counts.correct, counts.wrong, epsilon)
    best, least = 1.0, min(level, _LEAST_P)
    while level >= least and trinomial_p_value(counts, epsilon, cost, weight, level) <= level:
        best, level = level, level / 10
    return best
