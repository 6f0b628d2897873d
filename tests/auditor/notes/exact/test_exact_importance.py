"""Tiny deltas: the interval covers the closed form and is as narrow as promised."""

import numpy as np
import pytest
from scipy.optimize import brentq

from auditor.notes.exact.importance import bounded_mean, gaussian_delta
from mechanisms.core.claims import GaussianDP


def mu_for(epsilon, delta):
    return brentq(lambda mu: GaussianDP(mu).delta_at(epsilon) / delta - 1, 1e-2, 10.0, xtol=1e-14)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-9), (0.5, 1e-9), (4.0, 1e-9), (1.0, 1e-12)])
def test_a_billionth_to_a_thousandth_with_a_hundred_thousand_draws(epsilon, delta):
    # false alarm: 1e-4 for each of the four by the interval's own alpha
    estimate = gaussian_delta(mu_for(epsilon, delta), epsilon, 100_000, np.random.default_rng(0), alpha=1e-4)
    assert estimate.contains(delta)
    assert estimate.relative_width < 1e-3


def test_a_wrong_delta_is_noticed():
    mu = mu_for(1.0, 1e-9)
    estimate = gaussian_delta(mu * 1.0003, 1.0, 400_000, np.random.default_rng(0), alpha=1e-3)
    assert not estimate.contains(1e-9)


def test_bounded_mean_covers():
    # false alarm: at most 200 x .001, with a fixed seed
    rng = np.random.default_rng(3)
    means = [bounded_mean(rng.uniform(0, 1, 500), 1.0, 1e-3) for _ in range(200)]
    assert all(estimate.contains(0.5) for estimate in means)


def test_a_weight_above_its_bound_is_an_error():
    with pytest.raises(ValueError, match="top=1"):
        bounded_mean(np.array([0.5, 1.5]), 1.0, 0.01)
