"""Randomized response, exactly: the law of the answers and of their number (a Poisson-binomial law)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from auditor.notes.exact.finite import product
from mechanisms.randomized_response import RandomizedResponse, RandomizedResponseMean

Floats = np.ndarray[Any, np.dtype[np.float64]]


def answers_law(epsilon: float, dataset: Sequence[int]) -> Floats:
    """P[S = s] for every vector of answers, in the order of binary counting."""
    keep = RandomizedResponse(epsilon=epsilon).keep
    return product(*((1 - keep, keep) if bit else (keep, 1 - keep) for bit in dataset))


def count_law(epsilon: float, n: int, ones: int) -> Floats:
    """P[sum S = j], j = 0, …, n: Bin(ones, keep) + Bin(n - ones, 1 - keep)."""
    from scipy.stats import binom

    keep = RandomizedResponse(epsilon=epsilon).keep
    told = binom.pmf(np.arange(ones + 1), ones, keep)
    lied = binom.pmf(np.arange(n - ones + 1), n - ones, 1 - keep)
    return np.convolve(told, lied)


def error_limit(epsilon: float, n: int, beta: float) -> float:
    """(1 + e^eps)/(e^eps - 1) sqrt(ln(2/beta)/(2n))   (001 Accuracy Theorem)."""
    return (1 + math.exp(epsilon)) / math.expm1(epsilon) * math.sqrt(math.log(2 / beta) / (2 * n))


def error_tail(epsilon: float, n: int, ones: int, limit: float, debiased: bool = True) -> float:
    """P[|estimate - ones/n| >= limit] for the catalogue's debiased mean, or for the mean as returned."""
    mean = np.arange(n + 1) / n
    estimate = RandomizedResponseMean(epsilon=epsilon).debias(mean) if debiased else mean
    return float(count_law(epsilon, n, ones)[np.abs(estimate - ones / n) >= limit - 1e-12].sum())
