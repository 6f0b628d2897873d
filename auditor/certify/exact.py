"""Exact tests of (*) in `evidence`, on the guesses of one event fixed beforehand, and the bounds that they give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scipy.special import expit, ndtri

from auditor.certify.evidence import exp_epsilon
from auditor.certify.proportions import at_least, interval, lower
from auditor.certify.roots import last_false
from auditor.certify.tails import tails

NUISANCE_PART = 200  # the nuisance parameter's confidence set takes this part of the level
_NOTHING = 1e-5  # of the level: a probability by which a tail may be enlarged to save its computation
_AT_FIRST = 3  # the nuisance parameter's set is halved so often at once: larger cells are hardly ever small enough
_HALVINGS = 9  # of that set, at the most: counted, because the width of a cell is rounded
# The whole test is tried so many standard errors below what its quick half rejects, where its cells may be larger.
_BELOW = 1 / 64, 1 / 16, 1 / 4
_LEAST_P = 1e-9  # smaller p-values of the trinomial test are not looked for, unless the level is smaller

Cell = tuple[float, float]


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
    cells, worst = [test.ends], 0.0
    for _ in range(_AT_FIRST):
        cells = _halved(cells)
    for halvings in range(_AT_FIRST, _HALVINGS + 1):
        large = []
        for cell, tail in zip(cells, test.bounds(cells), strict=True):
            if tail + test.beta > level:
                large.append(cell)
            else:
                worst = max(worst, tail)
        if not large:
            break
        if halvings == _HALVINGS:
            return 1.0
        cells = _halved(large)
    return worst + test.beta


def _halved(cells: Sequence[Cell]) -> list[Cell]:
    return [half for a, b in cells for half in ((a, (a + b) / 2), ((a + b) / 2, b))]


class _Test:
    """The trinomial test of one epsilon: bounds on its tail in cells of the probability of a wrong guess."""

    def __init__(self, counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> None:
        self.counts, self.cost, self.weight, self.level = counts, cost, weight, level
        self.ratio = exp_epsilon(epsilon)
        self.beta = level / NUISANCE_PART
        self.ends = nuisance_set(counts.wrong, counts.trials, self.beta)
        self.width = math.sqrt(-2 * math.log(_NOTHING * level))  # about `nothing` lies farther out

    def bounds(self, cells: Sequence[Cell]) -> list[float]:
        """At least the tail at every probability of a wrong guess from a to b, for each cell (a, b)."""
        most = [min(1.0 - a, (self.ratio * b if b else 0.0) + self.cost) for a, b in cells]
        return tails([a for a, _ in cells], most, self.weight, self.counts, self.width, _NOTHING * self.level)

    def ends_reject(self) -> bool:
        """A quick no: the tail is usually largest at an end, where the smallest cell is not halved again."""
        ends = outermost(*self.ends)
        return all(tail + self.beta <= self.level for tail in self.bounds(ends))


@lru_cache(maxsize=64)
def outermost(low: float, high: float) -> tuple[Cell, Cell]:
    """The first and the last cell where [low, high] is halved as often as it may be."""
    top, bottom = high, low
    for _ in range(_HALVINGS):
        top, bottom = (low + top) / 2, (bottom + high) / 2
    return (low, top), (bottom, high)


@lru_cache(maxsize=64)
def nuisance_set(wrong: int, trials: int, beta: float) -> tuple[float, float]:
    """The confidence set of level 1 - beta of the probability of a wrong guess (Clopper and Pearson)."""
    low, high = interval(wrong, trials, beta)
    return float(low), float(high)


def epsilon_lower(counts: Guesses, cost: float, weight: float, alpha: float) -> float:
    """The largest epsilon rejected at level alpha by the exact test of the guesses, 0 where none is.

    With the weight fixed, the p-value rises with epsilon, so the rejected epsilons are those below one number. It is
    searched with the quick half of the test, which can only find too large a number; a slightly smaller one is
    confirmed with the whole test.
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
    for errors in _BELOW if quick < estimate - error else ():
        lower = quick - errors * error
        if lower <= 0 or _rejects(counts, lower, cost, weight, alpha):
            return max(0.0, lower)
    return 0.0 if quick == 0 else searched(_rejects, math.inf)


def _rejects(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> bool:
    return trinomial_p_value(counts, epsilon, cost, weight, level) <= level


def _ends_reject(counts: Guesses, epsilon: float, cost: float, weight: float, level: float) -> bool:
    """True where the tail is small enough in both outermost cells of the confidence set: necessary for a rejection."""
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
