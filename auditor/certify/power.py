"""What an audit would have refuted: its blind spot."""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri

from auditor.certify.evidence import Point, exp_epsilon
from auditor.certify.exact import (
    NUISANCE_PART,
    Guesses,
    at_least,
    binomial_p_value,
    clopper_pearson,
    trinomial_p_value,
)
from auditor.certify.roots import first_true, last_false


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
    if counts.trials == 0 or exp_epsilon(point.epsilon) == math.inf:
        return math.inf
    if cost == 0:
        guesses = round((counts.correct + counts.wrong) / counts.trials * size)
        if binomial_p_value(guesses, 0, point.epsilon) > alpha:
            return math.inf
        need = first_true(lambda k: binomial_p_value(k, guesses - k, point.epsilon) <= alpha, 0, guesses)
        share = float(betaincinv(need, guesses - need + 1, power))
        return math.log(share) - math.log1p(-share) if share < 1 else math.inf
    rate = max(counts.wrong, 1) / counts.trials
    tail = (1 - power) / 2
    wrongs = _quantile(size, rate, 1 - tail)

    def refuted(correct: float) -> bool:
        this = Guesses(math.ceil(correct), wrongs, size)
        return correct + wrongs > size or trinomial_p_value(this, point.epsilon, cost, weight, alpha) <= alpha

    ratio = exp_epsilon(point.epsilon)
    worst = size * clopper_pearson(wrongs, size, alpha / NUISANCE_PART)[weight < ratio]  # the worst wrong guesses
    spread = math.sqrt(ratio * worst + cost * size + weight**2 * worst) + 1
    guess = weight * wrongs + (ratio - weight) * worst + cost * size - float(ndtri(alpha)) * spread
    need = math.ceil(last_false(refuted, guess, spread / 8, spread / 32)) + 1
    if need + wrongs + spread > size and not refuted(size - wrongs):  # not even where every other guess is right
        return math.inf
    share = float(betaincinv(min(need, size), size - min(need, size) + 1, 1 - tail))
    return math.log((share - cost) / rate) if share > cost else math.inf


def _quantile(trials: int, probability: float, level: float) -> int:
    """The smallest count that a binomial number of these trials does not pass with probability `level`."""
    spread = 9 * math.sqrt(trials * probability) + 9
    low, high = max(-1, int(trials * probability - spread)), min(trials, int(trials * probability + spread))
    return first_true(lambda k: k >= trials or 1 - float(at_least(k + 1, trials, probability)) >= level, low, high)
