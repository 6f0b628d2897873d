"""What an audit would have refuted: its blind spot. Statements about power, checked by simulation, not certified."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, rel_entr

from auditor.certify.evidence import Floats, Point, exp_epsilon
from auditor.certify.exact import Guesses
from auditor.certify.likelihood import LogRatios
from auditor.certify.proportions import at_least
from auditor.certify.roots import Rising, first_true

ALWAYS = 0.99  # share of the outputs on which an event guesses that is said to guess always
POWER = 0.9  # the probability with which the stated epsilon is refuted, by the whole audit
# The constants below, and the values of `Learned`, were chosen by `python -m benchmarks.blind_spot`.
# An event of the learning phase passes the claim by this share of what the last round's event passes it by.
_NOTHING_TO_LEARN, _LEARNING = 0.85, 0.75
# Where delta leaves few draws to learn from, the truth must lie farther out by this over the root of their number.
_FEW = 0.5
_PATHS, _LOOKS = 512, 12  # the number of simulated audits, and of looks in each of their two phases
_STAKES_LOSS = 1.5  # log W is about z^2/2 - log(1.5 z): only the stakes within 1/z of the best one win
_HARDLY = 64.0  # an excess over the claimed epsilon that no audit needs


class Learned(Enum):
    """What of an event had to be learned from past draws.

    The value is how many times as far from the claim the truth must lie as for an event that is known beforehand.
    """

    NOTHING = 1.04  # the event guesses always, or outputs are labels
    LINE = 1.2  # thresholds that a straight line of log-ratios chose, with delta > 0
    THRESHOLDS = 1.35  # the same without a line
    VECTOR = 1.55  # which parts of a vector to look at, and thresholds
    PURE = 1.25  # thresholds at delta = 0, on both sides
    PURE_ONE_SIDED = 1.4  # the same on one side, of which less is seen


_WEIGHT_OF_FEW = {Learned.NOTHING: 0.0, Learned.LINE: 0.5}  # how much of `_FEW` counts; all of it for the others


@dataclass(frozen=True)
class Budget:
    """How an audit spends its coin flips, on learning and on the last round, and its alpha, on the running evidence
    against `points` points and on the last round's exact test; `last_alpha` is 0 where that test was not made."""

    learning: int
    last: int
    running_alpha: float
    last_alpha: float
    points: int = 1
    learned: Learned = Learned.PURE


def detectable_pure(counts: Guesses, budget: Budget, epsilon: float) -> float:
    """The smallest true epsilon that the whole audit of a claim with delta = 0 refutes with probability .9, for an
    event that guesses as often as the one counted here; infinite where there is none.

    The last round's exact test needs less than that power, since the running evidence may refute where it does not
    (`power_needed`). The event's own epsilon is the one at which the exact test has that power, with as many guesses
    as are expected. The truth passes the claim by more than a learned event does.
    """
    allowance = budget.learned.value
    share, limit = (counts.correct + counts.wrong) / max(1, counts.trials), 1 / (1 + math.exp(-epsilon))
    if not budget.last_alpha:
        flips, needed = share * (budget.learning + budget.last), evidence_needed(budget)
        return epsilon + allowance * first_reached(
            lambda x: flips * _divergence(epsilon + x, limit), needed**2 / 2, _HARDLY
        )
    guesses = round(share * budget.last)
    if not guesses or float(at_least(guesses, guesses, limit)) > budget.last_alpha:
        return math.inf
    need = first_true(lambda k: float(at_least(k, guesses, limit)) <= budget.last_alpha, 0, guesses)
    excess = first_reached(
        lambda x: float(at_least(need, guesses, 1 / (1 + math.exp(-epsilon - x)))), power_needed(budget), _HARDLY
    )
    return epsilon + allowance * excess


def _divergence(epsilon: float, limit: float) -> float:
    """KL(p || limit) of correct guesses among guesses, for the p that this epsilon allows."""
    correct = 1 / (1 + math.exp(-epsilon))
    return float(rel_entr(correct, limit) + rel_entr(1 - correct, 1 - limit))


def detectable(ratios: LogRatios, budget: Budget, point: Point) -> float:
    """The same for a claim with delta > 0 and for vectors, where the event that is best against a claim is not the one
    that attains the truth: for a mechanism whose log-likelihood ratios are those that were seen, times a common factor.

    The factor is raised until the best event against the point is as many standard errors out as the last round's test
    needs, times an allowance for learning; the mechanism with that factor has the stated epsilon at the point's delta.
    """
    if exp_epsilon(point.epsilon) == math.inf:
        return math.inf
    few = min(1.0, _FEW / math.sqrt(point.delta * budget.learning / 2)) if point.delta else 0.0
    allowance = budget.learned.value * (1 + _WEIGHT_OF_FEW.get(budget.learned, 1.0) * few)
    if budget.last_alpha:
        flips, needed = budget.last, float(ndtri(power_needed(budget)) - ndtri(budget.last_alpha)) * allowance
    else:
        flips, needed = budget.learning + budget.last, evidence_needed(budget) * allowance
    factor = first_reached(lambda f: ratios.times(f).excess(point.epsilon, point.delta) * math.sqrt(flips), needed, 1e3)
    return ratios.times(factor).epsilon_at(point.delta, point.epsilon) if factor < math.inf else math.inf


def first_reached(rises: Callable[[float], float], target: float, most: float) -> float:
    """Where above 0 a rising function reaches the target, to one part in a thousand; infinite where not at `most`."""
    rising, low, high = Rising(rises, target), 0.0, 0.25
    rising.reaches(1.0)  # where it does not, no smaller number is asked
    while not rising.reaches(high):
        low, high = high, 2 * high
        if low >= most:
            return math.inf
    if low:  # the last answers are from both sides of the target
        rising.narrow(within=2e-4)
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rising.reaches(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)
def power_needed(budget: Budget) -> float:
    """The power of the last round's test with which the whole audit, evidence and test together, has `POWER`.

    An audit refutes where the evidence passes its line at a look, or the last round alone is far enough out.
    """
    noise, ends, drift = _paths(budget, budget.last)
    critical, steps = -float(ndtri(budget.last_alpha)), np.diff(ends)
    last = noise[:, _LOOKS:] @ np.sqrt(steps[_LOOKS:]) / math.sqrt(budget.last)

    def refuted(excess: float) -> float:
        return float(np.mean(_crossed(noise, ends, drift, excess, budget) | (last + excess >= critical)))

    return float(ndtr(_smallest(refuted, critical, critical + 2.5) - critical))


@lru_cache(maxsize=256)
def evidence_needed(budget: Budget) -> float:
    """How many standard errors out, over all coin flips, the truth must be for the evidence alone to have `POWER`."""
    noise, ends, drift = _paths(budget, budget.learning + budget.last)
    return _smallest(lambda excess: float(np.mean(_crossed(noise, ends, drift, excess, budget))), 0.0, 64.0, 16)


def _paths(budget: Budget, flips: int) -> tuple[Floats, Floats, Floats]:
    """Noise of simulated audits, the coin flips up to each look, and their drift where the truth is one standard error
    out over so many flips.

    In standard deviations the sum of an event's wins is a Brownian path with drift, the same for every event. Paths are
    simulated from one fixed stream.
    """
    noise = np.random.default_rng(20).standard_normal((_PATHS, 2 * _LOOKS))
    first = budget.learning * np.linspace(0, 1, _LOOKS + 1) ** 2  # looks are closer together at first
    ends = np.append(first, budget.learning + budget.last * np.linspace(0, 1, _LOOKS + 1)[1:])
    steps = np.diff(ends)
    share = _NOTHING_TO_LEARN if budget.learned is Learned.NOTHING else _LEARNING
    learned = np.where(np.arange(2 * _LOOKS) < _LOOKS, share, 1.0)
    return noise, ends, learned * steps / math.sqrt(flips)


def _crossed(noise: Floats, ends: Floats, drift: Floats, excess: float, budget: Budget) -> npt.NDArray[np.bool_]:
    """In which simulated audits the evidence passes its line at a look."""
    line = math.log(min(budget.points, 3)) - math.log(budget.running_alpha)
    walks, means = np.cumsum(noise * np.sqrt(np.diff(ends)), axis=1), np.cumsum(drift)
    z = np.maximum((walks + excess * means) / np.sqrt(ends[1:]), 1.0)
    return np.asarray((z**2 / 2 - np.log(_STAKES_LOSS * z)).max(axis=1) >= line)


def _smallest(refuted: Callable[[float], float], low: float, high: float, halvings: int = 11) -> float:
    """The smallest excess with which an audit refutes with probability `POWER`."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if refuted(middle) >= POWER else (middle, high)
    return high
