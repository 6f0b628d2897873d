"""The oracle against events that are known: their counts, put through the same exact test."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from auditor import audit
from auditor.certify.exact import Guesses, binomial_epsilon, epsilon_lower
from benchmarks.oracle import best_events, oracle
from mechanisms.core.catalogue import find
from mechanisms.core.claims import GaussianDP, NumericProfile
from mechanisms.core.profiles import finite_profile, laplace_hockey

FLIPS, ALPHA = 200_000, 0.007


def test_a_coin_has_one_event():
    """Randomized response: guess what the bit says, right with probability e / (1 + e)."""
    p = math.e / (1 + math.e)
    known = binomial_epsilon(round(FLIPS * p), round(FLIPS * (1 - p)), ALPHA)
    assert oracle(finite_profile((p, 1 - p), (1 - p, p)), 0.0, FLIPS, ALPHA) == pytest.approx(known, abs=2e-3)


def test_laplace_noise_has_two_tails():
    """Lap(1) around 0 and 1: guess left below 0 and right above 1, where the ratio is e."""
    correct, wrong = 0.5, 0.5 / math.e
    known = binomial_epsilon(round(FLIPS * correct), round(FLIPS * wrong), ALPHA)
    found = oracle(NumericProfile(lambda e: laplace_hockey(1.0, e)), 0.0, FLIPS, ALPHA)
    assert found == pytest.approx(known, abs=2e-3)


def test_a_profile_knows_the_events_of_a_gaussian():
    """N(1, 1) against N(0, 1): {log-likelihood ratio > e} is {x > e + 1/2}."""
    events = np.array(list(best_events(GaussianDP(1.0), FLIPS)))
    places = norm.isf(events[:, 1])
    assert norm.sf(places - 1) == pytest.approx(events[:, 0], abs=1e-3)
    assert places.min() == pytest.approx(0.5, abs=0.01)
    assert places.max() > 3.5


def test_the_best_threshold_is_found_where_delta_is_positive():
    """Thresholds of N(0, 1) against N(1, 1) and weights of a wrong guess, by hand; both tails are guessed alike."""
    delta, flips, found = 0.01, 20_000, []
    for place in (2.2, 2.6, 3.0):
        correct, wrong = (round(flips * norm.sf(place - mean)) for mean in (1, 0))
        for part in (0.7, 0.8, 0.9):
            weight = part * (correct - flips * delta) / wrong
            found.append(epsilon_lower(Guesses(correct, wrong, flips), delta, weight, ALPHA))
    assert max(found) > max(found[0], found[-1]) + 0.01  # neither end of the grid is the best
    assert max(found) - 0.005 < oracle(GaussianDP(1.0), delta, flips, ALPHA) < max(found) + 0.03  # a finer grid


@pytest.mark.parametrize(("flips", "alpha"), [(20_000, ALPHA), (FLIPS, 1e-6)])
def test_fewer_draws_or_a_smaller_level_certify_less(flips, alpha):
    profile = NumericProfile(lambda e: laplace_hockey(1.0, e))
    assert oracle(profile, 0.0, flips, alpha) < oracle(profile, 0.0, FLIPS, ALPHA) - 0.005 < 1.0


def test_nothing_is_certified_where_nothing_leaks():
    assert oracle(finite_profile((0.5, 0.5), (0.5, 0.5)), 0.0, FLIPS, ALPHA) == 0.0
    assert oracle(finite_profile((0.51, 0.49), (0.5, 0.5)), 0.02, FLIPS, ALPHA) == 0.0


def test_an_audit_does_not_pass_it_by_more_than_luck():
    """Ten audits of a coin that come within half a percent on both sides of it: three standard errors."""
    coin = find("randomized-response-debiased")
    known = oracle(coin.exact(), 0.0, 180_000, ALPHA)
    found = [audit(coin, trials=100_000, alpha=0.01, seed=seed, jobs=1).epsilon_lower for seed in range(10)]
    assert abs(np.median(found) - known) < 0.005
    assert max(found) < known + 0.02
