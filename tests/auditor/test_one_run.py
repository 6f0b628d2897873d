"""audit_one_run: verdict, bounds, their nulls, and sentences for bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from auditor import TradeOffClaim
from auditor.errors import UsageError
from auditor.one_run import audit_one_run
from auditor.results.one_run import OneRunResult
from auditor.results.result import Verdict
from mechanisms.core.claims import ZCDP, ApproxDP, GaussianDP


def gaussian_run(m: int, mu: float, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    included = rng.random(m) < 0.5
    return rng.normal(size=m) + mu * included, included


def response_run(m: int, epsilon: float, seed: int) -> tuple[Any, Any]:
    """Each canary's coin itself, flipped with probability 1 / (1 + e^eps): randomized response."""
    rng = np.random.default_rng(seed)
    included = rng.random(m) < 0.5
    return np.where(rng.random(m) < 1 / (1 + math.exp(epsilon)), ~included, included).astype(float), included


def test_a_run_that_leaks_more_than_claimed_is_refuted() -> None:
    found = audit_one_run(*gaussian_run(2000, 2.0, 0), ApproxDP(1.0, 1e-5))
    assert found.verdict is Verdict.REFUTED
    assert found.p_value <= found.alpha
    assert found.epsilon_lower_any > 1.0
    assert found.correct <= found.guesses <= found.canaries == 2000
    assert audit_one_run(*gaussian_run(2000, 2.0, 0), GaussianDP(0.5)).refuted
    assert audit_one_run(*gaussian_run(2000, 2.0, 0), ZCDP(0.05)).refuted


def test_a_true_claim_is_not_refuted() -> None:
    for claim in (ApproxDP(8.0, 1e-5), GaussianDP(1.0), ZCDP(0.5), ApproxDP(0.0, 0.5)):
        found = audit_one_run(*gaussian_run(2000, 0.9, 1), claim)
        assert not found.refuted
        assert found.mu_lower < 0.9
    assert audit_one_run(*gaussian_run(2000, 0.0, 3), ApproxDP(0.1)).epsilon_lower == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize(("mu", "refuted"), [(0.5, True), (1.6, False)])
def test_a_claimed_trade_off_curve_is_tested_at_its_points(mu: float, refuted: bool) -> None:
    """Points of the curve of mu-Gaussian DP, which is below the scores' own curve (mu = 1.5) or above it."""
    points = [(fpr, float(ndtr(ndtri(fpr) + mu))) for fpr in (0.01, 0.05, 0.2, 0.5)]
    found = audit_one_run(*gaussian_run(2000, 1.5, 2), TradeOffClaim(points))
    assert found.refuted is refuted
    assert (found.p_value <= found.alpha) is refuted


def test_bounds_reach_the_field_s() -> None:
    """Idealised Gaussian scores, true epsilon 4 at delta 1e-5, median of nine runs."""
    found = [audit_one_run(*gaussian_run(1000, 0.925, s), ApproxDP(8.0, 1e-5)) for s in range(9)]
    assert np.median([f.epsilon_lower for f in found]) > 1.9
    assert np.median([f.epsilon_lower_any for f in found]) > 1.3


def test_what_needs_the_gaussian_assumption_decides_no_verdict() -> None:
    """Randomized response with epsilon 2 is (2, 0)-DP; as a Gaussian it would have epsilon 12 at delta 1e-5."""
    found = audit_one_run(*response_run(4000, 2.0, 0), ApproxDP(2.0, 1e-5))
    assert not found.refuted
    assert found.epsilon_lower_any < 2.0 < found.epsilon_lower
    assert found.assumption == "Gaussian"
    assert "if its privacy loss is Gaussian" in found.sentence()
    pure = audit_one_run(*response_run(4000, 2.0, 0), ApproxDP(2.0))
    assert pure.epsilon_lower == pure.epsilon_lower_any < 2.0
    assert pure.assumption == "none"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mu", [0.6, 1.0, 1.6])
def test_a_claim_is_refuted_exactly_when_the_bound_passes_it(mu: float, seed: int) -> None:
    scores, included = gaussian_run(1000, 1.5, seed)
    gaussian = audit_one_run(scores, included, GaussianDP(mu))
    assert gaussian.refuted == (gaussian.mu_lower >= mu * (1 - 2e-3))
    epsilon = 2 * mu
    approximate = audit_one_run(scores, included, ApproxDP(epsilon, 1e-5))
    assert approximate.refuted == (approximate.epsilon_lower_any >= epsilon * (1 - 2e-3))


def test_results_survive_json_and_speak() -> None:
    found = audit_one_run(*gaussian_run(500, 1.0, 0), GaussianDP(0.2), name="run 7")
    assert OneRunResult.from_json(found.to_json()) == found
    assert str(found).startswith("REFUTED: run 7 is not 0.2-GDP.\n  guesses ")
    assert max(map(len, str(found).splitlines())) <= 80
    assert any("fair coin" in line for line in found.limits)
    with pytest.raises(UsageError, match="a stored one-run result must have kind, claim, verdict, got keys="):
        OneRunResult.from_json("{}")
    with pytest.raises(UsageError, match="must be JSON"):
        OneRunResult.from_json("{")


def test_flags_may_be_numbers_and_lists() -> None:
    scores, included = gaussian_run(200, 1.0, 0)
    one = audit_one_run(scores, included, GaussianDP(0.2))
    two = audit_one_run(scores.tolist(), included.astype(int).tolist(), GaussianDP(0.2))
    assert one.p_value == two.p_value


COINS = np.random.default_rng(9).random(100) < 0.5


@pytest.mark.parametrize(
    ("scores", "included", "claim", "alpha", "words"),
    [
        (np.zeros(100), COINS[:50], ApproxDP(1.0), 0.05, "same length"),
        (np.zeros((100, 2)), COINS, ApproxDP(1.0), 0.05, "same length"),
        (np.zeros(5), COINS[:5], ApproxDP(1.0), 0.05, "at least 10 canaries"),
        (np.full(100, np.nan), COINS, ApproxDP(1.0), 0.05, "got NaN at canary 0"),
        (["a"] * 100, COINS, ApproxDP(1.0), 0.05, "scores must be numbers"),
        (np.zeros(100), np.full(100, 2), ApproxDP(1.0), 0.05, "true or false"),
        (np.zeros(100), np.ones(100, bool), ApproxDP(1.0), 0.05, "fair coin, got 100 of 100"),
        (np.zeros(100), COINS, 1.0, 0.05, "a claim must be"),
        (np.zeros(100), COINS, ApproxDP(1.0), 0.0, "alpha must be"),
        (np.zeros(100), COINS, ApproxDP(1.0), 1e-12, "alpha must be at least"),
    ],
)
def test_bad_input_is_a_sentence(scores: Any, included: Any, claim: Any, alpha: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audit_one_run(scores, included, claim, alpha=alpha)
