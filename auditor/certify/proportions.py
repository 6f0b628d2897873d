"""Binomial tails, and Clopper and Pearson's bounds on a proportion (1934): exact in both tails, on arrays or numbers.

X counts the successes among n independent trials, each of probability p. (scipy's bdtrc counts n in 32 bits; the
incomplete beta functions do not.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincc, betainccinv, betaincinv

Floats = npt.NDArray[np.float64]


def at_least(k: Any, n: Any, p: Any) -> Any:
    """P[X >= k] for X binomial (n, p) and 1 <= k <= n."""
    return betainc(k, n - k + 1, p)


def fewer_than(k: Any, n: Any, p: Any) -> Any:
    """P[X < k] for X binomial (n, p) and 1 <= k <= n, with all its digits where 1 - `at_least` would have none.

    It is the tail of n - X. That rounds 1 - p, so that P moves by about 1e-16 |k - np| / p of itself: below 1e-10
    within a hundred standard deviations where n / p < 1e8. Elsewhere a slower function is called.
    """
    quick = np.less(n, 1e8 * p)
    if np.all(quick):
        return betainc(n - k + 1, k, 1 - p)
    slow = betaincc(k, n - k + 1, p)
    return np.where(quick, betainc(n - k + 1, k, 1 - p), slow) if np.any(quick) else slow


def lower(count: Any, trials: Any, level: Any) -> Floats:
    """A lower bound on p that is too large with probability at most `level`: the p at which P[X >= count] = level."""
    count = np.asarray(count, dtype=np.float64)
    some = np.where(count > 0, count, 1.0)
    return np.where(count > 0, betaincinv(some, trials - some + 1, level), 0.0)


def upper(count: Any, trials: Any, level: Any) -> Floats:
    """An upper bound on p that is too small with probability at most `level`: the p at which P[X <= count] = level."""
    count = np.asarray(count, dtype=np.float64)
    fewer = np.where(count < trials, count, trials - 1.0)
    return np.where(count < trials, betainccinv(fewer + 1, trials - fewer, level), 1.0)


def interval(count: Any, trials: Any, level: Any) -> tuple[Floats, Floats]:
    """A lower and an upper bound on p, each at half the level: they miss p with probability at most `level`."""
    half = np.asarray(level) / 2
    return lower(count, trials, half), upper(count, trials, half)
