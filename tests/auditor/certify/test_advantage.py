"""Bounds on P(S) - c Q(S): enumerated on small counts, and broken twins that the same enumeration catches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from auditor.certify import advantage
from auditor.certify.advantage import EventCounts, advantages, log_tail
from auditor.certify.proportions import interval


def exact_tail(n: int, p: float, m: int, q: float, slope: float, least: float) -> float:
    x, y = np.arange(n + 1), np.arange(m + 1)
    reached = x[:, None] / n - slope * y / m >= least - 1e-12
    return float((binom.pmf(x, n, p)[:, None] * binom.pmf(y, m, q) * reached).sum())


@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 4), (40, 40), (60, 25)])
@pytest.mark.parametrize("slope", [0.05, 0.7, 1.0, 3.0, 30.0])
def test_the_tail_is_never_below_the_exact_one(n: int, m: int, slope: float) -> None:
    for p in (0.0, 0.02, 0.3, 0.5, 0.9, 1.0):
        for q in (0.0, 0.01, 0.3, 0.5, 0.97, 1.0):
            for least in (p - slope * q - 0.01, p - slope * q + 0.1, 0.3, 0.7):
                bound = log_tail(
                    n, *(np.array([v]) for v in (p,)), m, np.array([q]), np.array([slope]), np.array([least])
                )
                assert math.exp(float(bound[0])) >= exact_tail(n, p, m, q, slope, least) * (1 - 1e-9)


def test_the_tail_is_close_where_it_matters() -> None:
    """At three standard errors of common counts the bound is less than twice the exact tail."""
    n, p, q = 2000, 0.4, 0.35
    least = p - q + 3 * math.sqrt((p * (1 - p) + q * (1 - q)) / n)
    bound = log_tail(n, np.array([p]), n, np.array([q]), np.array([1.0]), np.array([least]))
    assert 1 <= math.exp(float(bound[0])) / exact_tail(n, p, n, q, 1.0, least) < 2


def error_rate(least: np.ndarray, n: int, p: float, m: int, q: float, slope: float) -> float:
    """The probability that the bound, given for each (x, y), exceeds the truth."""
    weight = binom.pmf(np.arange(n + 1), n, p)[:, None] * binom.pmf(np.arange(m + 1), m, q)
    return float(weight[least > p - slope * q + 1e-12].sum())


def every_bound(n: int, m: int, slope: float, level: float) -> np.ndarray:
    x, y = (v.ravel().astype(float) for v in np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij"))
    found = advantages(EventCounts(x, y, n, m), np.full(len(x), slope), np.full(len(x), level))
    return found.least.reshape(n + 1, m + 1)


GRID = (0.0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1.0)


@pytest.mark.parametrize("slope", [0.2, 1.0, 2.5, 4.0, 8.0])
def test_the_bound_errs_at_most_as_often_as_allowed(slope: float) -> None:
    """Every outcome of 30 and 20 draws, over a grid of the truth: exact, no simulation."""
    level = 0.1
    least = every_bound(30, 20, slope, level)
    rates = [error_rate(least, 30, p, 20, q, slope) for p in GRID for q in GRID]
    assert max(rates) <= level
    assert max(rates) > level / 50 or slope > 3  # and it is not empty caution, but where one draw decides


def test_a_nuisance_parameter_at_its_estimate_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin: q is taken to be what was seen. Rare q that was not seen costs nothing then."""
    monkeypatch.setattr(advantage, "interval", lambda count, trials, level: (count / trials, count / trials))
    least = every_bound(30, 20, 4.0, 0.1)
    assert max(error_rate(least, 30, p, 20, q, 4.0) for p in GRID for q in GRID) > 0.3


def test_a_normal_approximation_is_caught() -> None:
    """Broken twin: the seen difference minus z standard errors."""
    x, y = np.arange(31)[:, None] / 30, np.arange(21) / 20
    least = x - 2.5 * y - 1.2816 * np.sqrt(x * (1 - x) / 30 + 2.5**2 * y * (1 - y) / 20)
    assert max(error_rate(least, 30, p, 20, q, 2.5) for p in GRID for q in GRID) > 0.1


def test_one_bound_is_tighter_than_two() -> None:
    """Against Clopper and Pearson's bounds of each side at half the level: what a pair of bands would give."""
    n, level, counts = 100_000, 0.001, EventCounts(np.array([50_000.0]), np.array([45_000.0]), 100_000, 100_000)
    found = advantages(counts, np.array([1.0]), np.array([level]))
    low, _ = interval(counts.left, n, np.array([level]))
    _, high = interval(counts.right, n, np.array([level]))
    seen = 0.05
    assert seen - found.least[0] < 0.8 * (seen - (low[0] - high[0]))


def test_nothing_seen_certifies_nothing() -> None:
    none = advantages(
        EventCounts(np.array([0.0, 5.0]), np.array([0.0, 5.0]), 5, 5), np.array([1.0, 2.0]), np.full(2, 0.05)
    )
    assert (none.least <= 0).all()
    assert (none.least >= -none.slope).all()
