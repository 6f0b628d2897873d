import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, fits_density, quadrature_delta
from scipy import stats

from mechanisms.core.catalogue import find
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.gaussian_analytic import GaussianAnalytic, GaussianAnalyticLowerBound
from mechanisms.gaussian_classic import (
    GaussianClassic,
    GaussianClassicHalf,
    GaussianClassicLargeEpsilon,
    GaussianClassicRoot,
    GaussianClassicSquaredSensitivity,
)
from mechanisms.gaussian_simple import (
    GaussianSimple,
    GaussianVector,
    GaussianVectorPerCoordinate,
    GaussianVectorReusedNoise,
)
from mechanisms.gaussian_zero import GaussianZero, GaussianZeroQuarter

ONE_NUMBER = ["gaussian-classic", "gaussian-simple", "gaussian-zero", "gaussian-analytic"]


@pytest.mark.parametrize("mu", [0.1, 0.7, 2.0, 4.4])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_profile_against_quadrature(mu, epsilon):
    cut = mu / 2 - epsilon / mu
    breaks = sorted({-12.0, *np.clip([cut, mu - cut, 0.0, mu], -11.9, mu + 11.9), mu + 12.0})
    delta = quadrature_delta(stats.norm.pdf, stats.norm(mu).pdf, epsilon, breaks)
    assert gaussian_profile(mu).delta_at(epsilon) == pytest.approx(delta, abs=1e-8)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),  # ledger 002-T5.18
    [(1.0, 1e-5, 3.73063), (0.5, 1e-5, 7.03183), (4.0, 1e-5, 1.08116), (0.0, 0.1, 3.979)],
)
def test_analytic_sigma(epsilon, delta, sigma):
    assert analytic_sigma(epsilon, delta) == pytest.approx(sigma, rel=2e-5)
    assert analytic_sigma(epsilon, delta, 3.0) == pytest.approx(3 * sigma, rel=2e-5)


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 1.0, 20.0, 200.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.5, 0.999])
def test_analytic_sigma_attains_delta(epsilon, delta):
    exact = GaussianAnalytic(epsilon, delta).exact()
    assert exact.delta_at(epsilon) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (GaussianClassicHalf(0.5, 1e-5), 6.71e-4),
        (GaussianClassicRoot(0.5, 1e-5), 0.01052),
        (GaussianClassicSquaredSensitivity(0.5, 1e-5), 0.2512),
        (GaussianClassicLargeEpsilon(10.0, 1e-5), 2.265e-5),
        (GaussianVectorPerCoordinate(0.5, 1e-5, 10), 2.08e-3),
        (GaussianZero(0.1), 0.07966),
        (GaussianZeroQuarter(0.01), 0.01596),
        (GaussianAnalyticLowerBound(1.0, 1e-2), 0.286208),
    ],
)
def test_ledger_figures(mechanism, delta):
    """The ledger's table of mechanisms, worst pairs and mutants."""
    assert mechanism.exact().delta_at(mechanism.claim.epsilon) == pytest.approx(
        delta, rel=3e-3
    )  # three digits are given


def test_ledger_figures_without_a_class():
    """The factor 2 dropped from the variance, and the classic noise for one coordinate of ten (ledger)."""
    sigma = GaussianClassic(0.5, 1e-5).sigma
    assert gaussian_profile(math.sqrt(2) / sigma).delta_at(0.5) == pytest.approx(1.465e-5, rel=1e-3)
    assert gaussian_profile(math.sqrt(10) / sigma).delta_at(0.5) == pytest.approx(0.0113, rel=5e-3)


def test_where_the_classic_calibration_starts_to_fail():
    """Ledger 002-T5.9: at delta = .1 the first violation is at epsilon 5.743."""
    before, after = (GaussianClassicLargeEpsilon(epsilon, 0.1) for epsilon in (5.742, 5.744))
    assert before.exact().delta_at(5.742) < 0.1 < after.exact().delta_at(5.744)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.5, 0.99])
def test_calibrations_hold_on_their_whole_range(epsilon, delta):
    for mechanism in (
        GaussianClassic(epsilon, delta),
        GaussianSimple(epsilon, delta),
        GaussianVector(epsilon, delta),
        GaussianZero(delta),
    ):
        assert mechanism.exact().delta_at(mechanism.claim.epsilon) <= delta


@pytest.mark.parametrize("identifier", ONE_NUMBER)
def test_sampler(identifier):
    mechanism = find(identifier)
    outputs = mechanism.sample((0, 1, 1), 100_000, np.random.default_rng(4))
    assert fits_density(outputs, stats.norm(2, mechanism.sigma).cdf) > FALSE_ALARM
    assert fits_density(outputs, stats.norm(2, 0.97 * mechanism.sigma).cdf) < FALSE_ALARM  # the check can fail


def test_sigmas_as_printed():
    assert GaussianClassic(0.5, 1e-5).sigma ** 2 == pytest.approx(2 * math.log(5 / 4e-5) / 0.25)
    assert GaussianSimple(0.5, 1e-5, 2.0).sigma ** 2 == pytest.approx(32 * 4 * math.log(2e5) / (9 * 0.25))
    assert GaussianVector(1.0, 1e-3, 4).sigma ** 2 == pytest.approx(32 * 4 * math.log(2000) / 9)
    assert GaussianZero(0.1, 3.0).sigma == pytest.approx(15)


def test_vector_sampler():
    mechanism = GaussianVector(k=3)
    outputs = mechanism.sample(((1, 0, 1), (1, 0, 0)), 100_000, np.random.default_rng(6))
    for column, centre in zip(outputs.T, (2, 0, 1), strict=True):
        assert fits_density(column, stats.norm(centre, mechanism.sigma).cdf) > FALSE_ALARM
    octant = (outputs > [2, 0, 1]) @ [1, 2, 4]
    assert stats.chisquare(np.bincount(octant, minlength=8)).pvalue > FALSE_ALARM
    reused = GaussianVectorReusedNoise(k=3).sample(((1, 0, 1), (1, 0, 0)), 100_000, np.random.default_rng(6))
    octant = (reused > [2, 0, 1]) @ [1, 2, 4]
    assert stats.chisquare(np.bincount(octant, minlength=8)).pvalue < FALSE_ALARM


def test_reused_noise_publishes_the_differences():
    outputs = GaussianVectorReusedNoise().sample(((1,) + (0,) * 9,), 100, np.random.default_rng(0))
    assert outputs.shape == (100, 10)
    assert np.allclose(outputs[:, 0] - outputs[:, 1], 1)


@pytest.mark.parametrize("cls", [GaussianClassic, GaussianSimple, GaussianVector])
def test_epsilon_above_the_range(cls):
    with pytest.raises(ValueError, match=r"epsilon must be at most 1 .*got epsilon=1\.5"):
        cls(epsilon=1.5)


@pytest.mark.parametrize("cls", [GaussianClassic, GaussianSimple, GaussianZero, GaussianAnalytic])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, math.nan])
def test_bad_delta(cls, value):
    with pytest.raises(ValueError, match=r"delta must be .*got delta="):
        cls(delta=value)


@pytest.mark.parametrize("cls", [GaussianClassic, GaussianSimple, GaussianZero, GaussianAnalytic])
def test_bad_sensitivity(cls):
    with pytest.raises(ValueError, match=r"sensitivity must be .*got sensitivity="):
        cls(sensitivity=0.0)


def test_the_lower_bound_needs_an_epsilon():
    with pytest.raises(ValueError, match="epsilon must be a finite number above 0"):
        GaussianAnalyticLowerBound(epsilon=0.0)
