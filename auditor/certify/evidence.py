"""Running evidence against a claim: an e-process that may be looked at after every round. Proofs: docs/method.md.

Setting. A trial flips a fair coin for its side, draws an output there, and an event fixed beforehand guesses the side
or abstains. Under (epsilon, delta)-DP, whatever the event,

    P[correct guess] <= e^epsilon P[wrong guess] + delta d / 2,      d = directions in which the event guesses.   (*)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, rel_entr

Floats = npt.NDArray[np.float64]

# Fractions of the largest bet that can never go broke. Most are for an excess over the claim of some per cent or more:
# a smaller one takes so many draws that the last round's test is there first.
STAKES = np.concatenate([np.geomspace(0.004, 0.03, 4), np.geomspace(0.035, 0.98, 36)])
LATER = 0.25  # share of the remaining level that a chosen point of a curve leaves to points chosen later
BOLD = np.array([0.98])  # the one stake on events that were never wrong so far
_AT_ONCE = 2**14  # gains that are computed at once: few enough to stay in cache
_LARGEST_EPSILON = 700.0  # e^700 is the last power that a double holds with room to spare


@dataclass(frozen=True)
class Point:
    """A point of a privacy profile at which a claim is tested."""

    epsilon: float
    delta: float


def exp_epsilon(epsilon: float) -> float:
    """e^epsilon, infinite where it does not fit a double: then (*) allows everything, and nothing is rejected."""
    return math.exp(epsilon) if epsilon <= _LARGEST_EPSILON else math.inf


def log_factors(point: Point, directions: int, fractions: Floats = STAKES) -> tuple[Floats, Floats, Floats]:
    """log(1 + lambda Z) for a correct guess, a wrong one and none, for each stake: a fraction of the largest bet.

    Z = 2 - delta d, -2 e^epsilon - delta d, -delta d has mean at most 0 by (*); lambda = stake / (2 e^epsilon +
    delta d) keeps 1 + lambda Z positive.
    """
    cost = point.delta * directions
    stakes = fractions / (2 * exp_epsilon(point.epsilon) + cost)
    return np.log1p(stakes * (2 - cost)), np.log1p(-fractions), np.log1p(-stakes * cost)


@dataclass(frozen=True)
class Round:
    """One round's guesses of one event, fixed before the round was drawn, as was the point of the claim for which the
    event was chosen (the claim's first where none is named)."""

    correct: int
    wrong: int
    trials: int
    directions: int
    point: Point | None = None


@dataclass
class _EProcess:
    """The wealth against one point, from the round on for which the past first chose the point."""

    point: Point
    price: float  # -log of the process's share of the level
    start: int  # index of its first round
    log_wealth: Floats

    @property
    def log_value(self) -> float:
        """log(W times the share)."""
        return float(log_mean(self.log_wealth)) - self.price


class Evidence:
    """Running evidence against the null "the mechanism has the claimed profile on every audited pair".

    For each stake the wealth prod(1 + lambda Z) is a test martingale; their average W is one too, so
    P[sup W >= 1/a] <= a under the null (Ville), whenever one stops and however the next event is chosen from the past.
    A point of the claim has a W of its own from the round on for which the past first chose it. Each point that is
    chosen has three quarters of the level that is left, and the last one all of it: the shares add up to 1.
    """

    def __init__(self, points: Sequence[Point], before: Sequence[Round] = (), stakes: Floats = STAKES) -> None:
        """`before`: rounds of earlier audits of the same null, from which the evidence goes on."""
        self._stakes = stakes
        self.points = tuple(points)
        self.point = self.points[0]  # against which there was most evidence
        self.log_value = 0.0  # log(W times its share of the level), of the point against which it is largest
        self.peak = 0.0
        self.rounds: list[Round] = []
        self._processes: dict[Point, _EProcess] = {}
        for this in before:
            self.add(this)

    @property
    def followed(self) -> tuple[Point, ...]:
        """The points chosen so far, in their order."""
        return tuple(self._processes)

    def add(self, this: Round) -> None:
        """Counts a round that is over."""
        point = self.points[0] if this.point is None else this.point
        if point not in self._processes:
            price = -math.log(_share(len(self._processes), len(self.points)))
            self._processes[point] = _EProcess(point, price, len(self.rounds), np.zeros(len(self._stakes)))
        self.rounds.append(this)
        for process in self._processes.values():
            process.log_wealth += _log_wealth(this, process.point, self._stakes)
        values = [(process.log_value, process.point) for process in self._processes.values()]
        self.log_value, point = max(values, key=lambda valued: valued[0])
        if self.log_value > self.peak:
            self.peak, self.point = self.log_value, point

    def epsilon_lower(self, alpha: float, at_peak: bool = False) -> float:
        """The top of the run of epsilons, from the refuted point's upwards, that the evidence rejects at its delta.

        Each (epsilon, delta) has an e-process of its own on the same rounds. A run without gaps cannot pass the true
        epsilon unless the first step at or above the truth is rejected falsely, or the point itself was: either way
        with probability at most the share of alpha of each point.

        `at_peak`: each epsilon's process counts at its own highest, which Ville's inequality allows as well: for an
        audit that went on after its evidence had sufficed, so that what was drawn later takes nothing back.
        """
        process = self._processes.get(self.point)
        if process is None:
            return self.point.epsilon
        line, best, delta = process.price - math.log(alpha), self.point.epsilon, self.point.delta
        for step in range(1, 2000):
            epsilon = self.point.epsilon + 0.005 * max(1.0, self.point.epsilon) * step
            point, rounds = Point(epsilon, delta), self.rounds[process.start :]
            if at_peak:
                reached = float(log_mean(log_wealth_by_round(rounds, point, self._stakes)).max())
            else:
                wealth = np.sum([_log_wealth(r, point, self._stakes) for r in rounds], axis=0)
                reached = float(log_mean(wealth))
            if reached < line:
                break
            best = epsilon
        return best

    def epsilon_below(self, alpha: float) -> float:
        """The largest epsilon, at most the claimed one, that the evidence against its strongest point rejects; else 0.

        Each epsilon's process has the claimed epsilon's bets: `1 + lambda Z` is then larger for a smaller epsilon, so
        the rejected epsilons are those below one number, and the claimed epsilon is rejected only with all of them.
        Each process counts at its highest. Together with a refutation this is wrong with probability at most alpha,
        whatever made the audit look at it now (docs/method.md, Theorem 5).
        """
        process = self._processes.get(self.point)
        if process is None:
            return 0.0
        line, rounds = process.price - math.log(alpha), self.rounds[process.start :]

        def reached(epsilon: float) -> float:
            return float(log_mean(log_wealth_below(rounds, self.point, epsilon, self._stakes)).max())

        low, high = 0.0, self.point.epsilon
        if reached(high) >= line:
            return high
        if reached(low) < line:
            return 0.0
        while high - low > 1e-6 * max(1.0, high):
            middle = (low + high) / 2
            low, high = (middle, high) if reached(middle) >= line else (low, middle)
        return low


def _share(index: int, points: int) -> float:
    """The share of the level that the point chosen after `index` others has; over all points the shares add up to 1."""
    return LATER**index * (1 - LATER if index < points - 1 else 1.0)


def log_mean(logs: Floats) -> Floats:
    """log of the mean over the stakes, which come last."""
    top = logs.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log(np.exp(logs - top).mean(axis=-1)))


def _log_wealth(this: Round, point: Point, stakes: Floats) -> Floats:
    correct, wrong, none = log_factors(point, this.directions, stakes)
    return this.correct * correct + this.wrong * wrong + (this.trials - this.correct - this.wrong) * none


def log_wealth_by_round(rounds: Sequence[Round], point: Point, stakes: Floats = STAKES) -> Floats:
    """The log of the wealth after each round, a row a round and a column a stake."""
    kinds = {r.directions for r in rounds}
    factors = {directions: np.array(log_factors(point, directions, stakes)) for directions in kinds}
    return _summed(rounds, factors)


def log_wealth_below(rounds: Sequence[Round], claimed: Point, epsilon: float, fractions: Floats = STAKES) -> Floats:
    """The log of the wealth after each round against a smaller epsilon, with the bets that the claimed one allows."""
    factors = {}
    for directions in {r.directions for r in rounds}:
        cost = claimed.delta * directions
        stakes = fractions / (2 * exp_epsilon(claimed.epsilon) + cost)
        outcomes = 2 - cost, -2 * exp_epsilon(epsilon) - cost, -cost
        factors[directions] = np.log1p(np.outer(outcomes, stakes))
    return _summed(rounds, factors)


def _summed(rounds: Sequence[Round], factors: dict[int, Floats]) -> Floats:
    """Log factors of a correct guess, a wrong one and none, by directions, added up over the rounds."""
    counts = np.array([(r.correct, r.wrong, r.trials - r.correct - r.wrong) for r in rounds], dtype=np.float64)
    gains = np.einsum("rk,rks->rs", counts, np.array([factors[r.directions] for r in rounds]))
    return np.asarray(np.cumsum(gains, axis=0))


def growth(correct: Floats, wrong: Floats, point: Point, directions: int) -> Floats:
    """The best mean of log(1 + lambda Z) over lambda for the given probabilities of correct and wrong guesses, at
    least 0."""
    if point.delta == 0:  # closed form: (r + w) KL(r / (r + w) || e^eps / (1 + e^eps))
        total = correct + wrong
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(total > 0, correct / total, 0.0)
            limit = float(expit(point.epsilon))
            gain = total * (rel_entr(share, limit) + rel_entr(1 - share, 1 - limit))
        return np.where(share > limit, gain, 0.0)
    none, best = np.maximum(0.0, 1 - correct - wrong), np.zeros(len(correct))
    factors = [factor[:, None] for factor in log_factors(point, directions)]
    at_once = max(1, _AT_ONCE // max(1, len(correct)))
    for start in range(0, len(STAKES), at_once):
        a, b, c = (factor[start : start + at_once] for factor in factors)
        np.maximum(best, (correct * a + wrong * b + none * c).max(axis=0), out=best)
    return best
