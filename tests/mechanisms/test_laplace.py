import math
from itertools import pairwise

import numpy as np
import pytest
from oracles import FALSE_ALARM, fits_density, quadrature_delta
from scipy import integrate, stats

from mechanisms.core.catalogue import find
from mechanisms.laplace import Laplace, LaplaceHalfScale, LaplaceOneSided, laplace_noise, laplace_profile
from mechanisms.vector_laplace import VectorLaplace, VectorLaplacePerCoordinate, VectorLaplaceReusedNoise


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 1.0, 2.0])
@pytest.mark.parametrize("identifier", ["laplace", "laplace/half-scale", "laplace/deviation-for-scale"])
def test_profile_against_quadrature(identifier, epsilon):
    mechanism = find(identifier)
    scale = mechanism.scale
    delta = quadrature_delta(
        lambda y: math.exp(-abs(y) / scale) / (2 * scale),
        lambda y: math.exp(-abs(y - 1) / scale) / (2 * scale),
        epsilon,
        [-40, 0, 0.5, 1, 41],
    )
    assert mechanism.exact().delta_at(epsilon) == pytest.approx(delta, abs=1e-9)


def test_one_sided_against_quadrature():
    mechanism = LaplaceOneSided()
    for epsilon in (0.0, 1.0, 3.0):
        delta = quadrature_delta(
            lambda y: math.exp(-y) if y >= 0 else 0.0,
            lambda y: math.exp(-(y - 1)) if y >= 1 else 0.0,
            epsilon,
            [0, 1, 45],
        )
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(delta, abs=1e-9)
    assert mechanism.exact().delta_at(1.0) == pytest.approx(0.632, abs=5e-4)  # ledger: 1 - e^-eps


@pytest.mark.parametrize("mechanism", [Laplace(), Laplace(epsilon=0.2, sensitivity=3.0)])
def test_sampler(mechanism):
    dataset = (0, mechanism.sensitivity, mechanism.sensitivity)
    outputs = mechanism.sample(dataset, 100_000, np.random.default_rng(5))
    law = stats.laplace(2 * mechanism.sensitivity, mechanism.sensitivity / mechanism.epsilon)
    assert fits_density(outputs, law.cdf) > FALSE_ALARM


def test_sampler_check_catches_the_mutants():
    law = stats.laplace(2, 1)
    for mutant in (LaplaceHalfScale(), LaplaceOneSided(), find("laplace/deviation-for-scale")):
        outputs = mutant.sample((0, 1, 1), 100_000, np.random.default_rng(5))
        assert fits_density(outputs, law.cdf) < FALSE_ALARM


@pytest.mark.parametrize("size", [1, 9, (3, 5), (0,)])
def test_noise_has_the_asked_shape(size):
    noise = laplace_noise(2.0, size, np.random.default_rng(0))
    assert noise.shape == np.empty(size).shape


def test_true_epsilons():
    assert LaplaceHalfScale(0.7).exact().epsilon_at(0.0) == pytest.approx(1.4)
    assert find("laplace/deviation-for-scale").exact().epsilon_at(0.0) == pytest.approx(math.sqrt(2))
    assert laplace_profile(1.0).epsilon_at(0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
@pytest.mark.parametrize("value", [0, -1.0, math.inf, math.nan, "1", True])
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {name}="):
        Laplace(**{name: value})


# --- vectors


def hockey_of_two(shift, epsilon):
    """Two coordinates: over the first, the closed form of the second at what is left of epsilon."""

    def second(left):
        if left >= shift:
            return 0.0
        return -math.expm1(left) if left <= -shift else -math.expm1((left - shift) / 2)

    def integrand(y):
        return 0.5 * math.exp(-abs(y)) * second(epsilon - (abs(y - shift) - abs(y)))

    cut = (shift - epsilon) / 2
    points = sorted({-40.0, 0.0, shift, 40.0, *[x for x in (cut, cut + shift / 2) if -40 < x < 40]})
    return sum(integrate.quad(integrand, a, b, epsabs=1e-12)[0] for a, b in pairwise(points))


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 0.9, 1.5])
def test_two_coordinates_against_quadrature(epsilon):
    assert VectorLaplace(k=2).exact().delta_at(epsilon) == pytest.approx(hockey_of_two(0.5, epsilon), abs=1e-8)
    mutant = VectorLaplacePerCoordinate(k=2)
    assert mutant.exact().delta_at(epsilon) == pytest.approx(hockey_of_two(1.0, epsilon), abs=1e-8)


def test_three_coordinates_against_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as pld

    for mechanism, parameter in ((VectorLaplace(), 3.0), (VectorLaplacePerCoordinate(), 1.0)):
        composed = pld.from_laplace_mechanism(parameter, value_discretization_interval=1e-4).self_compose(3)
        for epsilon in (0.0, 0.5, 0.9):
            expected = composed.get_delta_for_epsilon(epsilon)
            assert mechanism.exact().delta_at(epsilon) == pytest.approx(expected, abs=1e-6)


def test_per_coordinate_is_k_epsilon():
    assert VectorLaplacePerCoordinate(epsilon=0.5, k=4).exact().epsilon_at(0.0) == pytest.approx(2.0)


def test_vector_sampler():
    """Each coordinate has its law, and the signs of the noise are independent (chi-square over octants)."""
    mechanism = VectorLaplace()
    outputs = mechanism.sample(((1, 0, 1), (1, 0, 0)), 100_000, np.random.default_rng(2))
    for column, centre in zip(outputs.T, (2, 0, 1), strict=True):
        assert fits_density(column, stats.laplace(centre, 3.0).cdf) > FALSE_ALARM
    octant = (outputs > [2, 0, 1]) @ [1, 2, 4]
    assert stats.chisquare(np.bincount(octant, minlength=8)).pvalue > FALSE_ALARM


def test_reused_noise_publishes_the_differences():
    outputs = VectorLaplaceReusedNoise().sample(((1, 0, 0),), 1000, np.random.default_rng(2))
    assert np.allclose(outputs[:, 0] - outputs[:, 1], 1)
    octant = (outputs > [1, 0, 0]) @ [1, 2, 4]
    assert stats.chisquare(np.bincount(octant, minlength=8)).pvalue < FALSE_ALARM


def test_bad_vector_parameters():
    with pytest.raises(ValueError, match="k must be a whole number of at least 1, got k=0"):
        VectorLaplace(k=0)
    with pytest.raises(ValueError, match="k must be a whole number of at least 2, got k=1"):
        VectorLaplaceReusedNoise(k=1)
    with pytest.raises(ValueError, match="epsilon must be"):
        VectorLaplace(epsilon=0)


def test_an_empty_dataset_is_a_dataset():
    assert VectorLaplace().sample((), 5, np.random.default_rng(0)).shape == (5, 3)
    assert Laplace().sample((), 5, np.random.default_rng(0)).shape == (5,)
