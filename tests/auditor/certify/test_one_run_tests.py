"""The tests of one run: against a linear program, exact laws and broken twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom, norm

from auditor.certify.one_run import (
    GaussianCurve,
    Guessed,
    PointsCurve,
    TradeOffCurve,
    approximate_p_value,
    combined,
    counting_p_value,
    possible,
    trade_off_p_value,
)


def largest_tail(points: list[tuple[float, float]], m: int, r: int, v: int) -> float:
    """The largest P[at least v correct] over all laws of the number of correct guesses that meet the curve: a linear
    program over p_0 .. p_r, with both lines of each point for each k."""
    rows, limits = [], []
    for k in range(1, r + 1):
        x = np.array([i / m if i >= k else 0.0 for i in range(r + 1)])
        y = np.array([(r - i) / m if i >= k - 1 else 0.0 for i in range(r + 1)])
        for epsilon, delta in points:
            rows += [x - math.exp(epsilon) * y, x - math.exp(-epsilon) * y]
            limits += [delta, 1 - math.exp(-epsilon) * (1 - delta)]
    tail = np.array([-1.0 if i >= v else 0.0 for i in range(r + 1)])
    found = linprog(tail, A_ub=np.array(rows), b_ub=limits, A_eq=np.ones((1, r + 1)), b_eq=[1.0], bounds=(0, 1))
    return float(-found.fun)


@pytest.mark.parametrize(
    ("points", "m", "r"),
    [
        ([(0.0, 0.1)], 8, 8),
        ([(1.0, 0.0)], 9, 6),
        ([(0.7, 0.02)], 12, 9),
        ([(0.0, 0.3), (0.8, 0.05), (2.0, 0.001)], 10, 10),
        ([(0.0, 0.3), (0.8, 0.05), (2.0, 0.001)], 40, 7),
    ],
)
def test_the_recursion_finds_the_worst_law(points: list[tuple[float, float]], m: int, r: int) -> None:
    for v in range(1, r + 1):
        exact = largest_tail(points, m, r, v)
        assert trade_off_p_value(PointsCurve(tuple(points)), Guessed(m, r, v)) == pytest.approx(exact, abs=2e-4)


def tails(m: int, accuracy: float) -> list[tuple[int, float]]:
    return [(v, float(binom.sf(v - 1, m, accuracy))) for v in range(1, m + 1)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomized_response_is_never_less_likely_than_the_p_value_says(epsilon: float) -> None:
    for v, tail in tails(40, 1 / (1 + math.exp(-epsilon))):
        guessed = Guessed(40, 40, v)
        assert counting_p_value(epsilon, 0.0, guessed) == pytest.approx(
            max(tail, 1e-12), rel=1e-9
        )  # it is its worst case
        assert trade_off_p_value(PointsCurve(((epsilon, 0.0),)), guessed) >= tail * (1 - 1e-9)


@pytest.mark.parametrize("mu", [0.2, 1.0, 2.0])
def test_independent_gaussians_are_never_less_likely_than_the_p_value_says(mu: float) -> None:
    for v, tail in tails(40, float(norm.cdf(mu / 2))):
        assert trade_off_p_value(GaussianCurve(mu), Guessed(40, 40, v)) >= tail * (1 - 1e-9)


@pytest.mark.parametrize("delta", [0.001, 0.01, 0.1])
def test_a_run_that_publishes_all_coins_with_probability_delta(delta: float) -> None:
    """It is (0, delta)-DP, and all guesses are correct with probability delta + (1 - delta) 2^-m."""
    m = 20
    all_correct = delta + (1 - delta) * 2.0**-m
    for test in (counting_p_value, approximate_p_value):
        assert test(0.0, delta, Guessed(m, m, m)) >= all_correct
    assert counting_p_value(0.0, 0.0, Guessed(m, m, m)) < all_correct  # the twin that forgets delta


def forgets_the_others(curve: TradeOffCurve, guessed: Guessed) -> float:
    """A broken twin: as if only the r guessed canaries had been there."""
    return trade_off_p_value(curve, Guessed(guessed.guesses, guessed.guesses, guessed.correct))


def test_guessing_the_surest_of_many_is_not_surprising() -> None:
    """400 Gaussian canaries with mu = 1, the 20 surest guessed: at least v correct as often as the p-value allows.

    20,000 runs with a fixed seed; a true rate of p is seen above p + 4 standard errors with probability 3e-5.
    """
    rng, m, r, runs = np.random.default_rng(3), 400, 20, 20_000
    correct = np.empty(runs, dtype=int)
    for run in range(runs):
        coins = rng.random(m) < 0.5
        scores = rng.normal(size=m) + coins
        order = np.argsort(scores)
        correct[run] = coins[order[-r // 2 :]].sum() + (~coins[order[: r // 2]]).sum()
    for v in range(14, r + 1):
        rate, curve, guessed = float((correct >= v).mean()), GaussianCurve(1.0), Guessed(m, r, v)
        allowed = trade_off_p_value(curve, guessed)
        assert rate <= allowed + 4 * math.sqrt(allowed / runs)
    most = Guessed(m, r, r)
    assert float((correct >= r).mean()) > 2 * forgets_the_others(GaussianCurve(1.0), most)


def test_p_values_fall_with_correct_guesses_and_rise_with_the_null() -> None:
    for r in (10, 100):
        values = [trade_off_p_value(GaussianCurve(0.5), Guessed(1000, r, v)) for v in range(r + 1)]
        assert values == sorted(values, reverse=True)
    values = [approximate_p_value(e, 1e-5, Guessed(1000, 60, 55)) for e in np.linspace(0, 4, 20)]
    assert values == sorted(values)


def test_large_counts_are_numbers() -> None:
    for r, v in ((100_000, 50_500), (100_000, 100_000), (1000, 999), (8, 8)):
        guessed = Guessed(100_000, r, v)
        for p in (trade_off_p_value(GaussianCurve(0.01), guessed), approximate_p_value(0.01, 1e-5, guessed)):
            assert 0 < p <= 1
    assert possible(GaussianCurve(40.0), Guessed(1000, 1000, 1000), 0.9)
    assert trade_off_p_value(PointsCurve(((1000.0, 0.0),)), Guessed(100, 100, 100)) == 1.0


def test_shares_of_the_level_are_paid_for() -> None:
    assert combined([0.01, 0.5], [0.5, 0.5]) == 0.02
    assert combined([0.9, 0.9], [0.5, 0.5]) == 1.0


def test_more_correct_than_guessed_is_impossible() -> None:
    with pytest.raises(ValueError, match="correct <= guesses"):
        Guessed(10, 5, 6)
