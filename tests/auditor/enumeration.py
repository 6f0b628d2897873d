"""The size of the trinomial test by enumeration of all its outcomes."""

import math

import numpy as np
from scipy import stats

from auditor.certify import exact
from auditor.certify.exact import Guesses


def pmf(trials: int, correct: float, wrong: float) -> np.ndarray:
    """P[R = i, W = j] for i, j = 0..trials."""
    i = np.arange(trials + 1)
    first = stats.binom.pmf(i, trials, wrong)
    remaining = np.maximum(trials - i, 0)
    share = min(1.0, correct / (1 - wrong)) if wrong < 1 else 0.0
    return np.array(stats.binom.pmf(i[:, None], remaining[None, :], share) * first[None, :])


def rejected(trials: int, epsilon: float, cost: float, weight: float, level: float) -> np.ndarray:
    """Which (R, W) the test rejects; wrong guesses only help the null, so a column is searched from above."""
    table = np.zeros((trials + 1, trials + 1), dtype=bool)
    for wrong in range(trials + 1):
        for correct in range(trials - wrong, -1, -1):
            p = exact.trinomial_p_value(Guesses(correct, wrong, trials), epsilon, cost, weight, level)
            if p > level:
                break
            table[correct, wrong] = True
    return table


def size_of(table: np.ndarray, epsilon: float, cost: float) -> float:
    """The largest rejection probability over wrong-guess probabilities, correct ones at their limit."""
    trials = len(table) - 1
    top = (1 - cost) / (1 + math.exp(epsilon))
    grid = np.concatenate([np.linspace(0, top, 160), np.geomspace(1e-5, top, 60), [min(1.0, 1.5 * top)]])
    return max(float(pmf(trials, min(1 - w, math.exp(epsilon) * w + cost), w)[table].sum()) for w in grid)
