"""Exact compositions against enumeration, closed forms and each other."""

import math

import pytest

from auditor.notes.exact.composition import composed_gaussian, composed_laplace, composed_randomized_response
from auditor.notes.exact.finite import both_directions, product
from mechanisms.core.claims import GaussianDP


@pytest.mark.parametrize("e", [0.0, 0.3, 1.1])
def test_binomial_sum_is_the_enumerated_product(e):
    truth = 1 / (1 + math.exp(-0.5))
    p, q = [truth, 1 - truth], [1 - truth, truth]
    expected = both_directions(product(p, p, p, p), product(q, q, q, q), e)
    assert composed_randomized_response(0.5, 4).delta_at(e) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("e", [0.2, 0.8])
def test_leaky_response_is_the_enumerated_product(e):
    delta, truth = 0.01, 1 / (1 + math.exp(-0.5))
    keep = 1 - delta
    p = [delta, 0.0, keep * truth, keep * (1 - truth)]
    q = [0.0, delta, keep * (1 - truth), keep * truth]
    expected = both_directions(product(p, p), product(q, q), e)
    assert composed_randomized_response(0.5, 2, delta).delta_at(e) == pytest.approx(expected, rel=1e-12)


def test_one_run_costs_epsilon():
    assert composed_randomized_response(0.7, 1).epsilon_at(0.0) == pytest.approx(0.7)


def test_loss_distributions_are_at_most_a_thousandth_above_the_truth():
    # single Laplace: delta(e) = 1 - e^((e - eps)/2); k Gaussians are one with mu sqrt(k)
    assert 0 <= composed_laplace(1.0, 1).delta_at(0.5) - -math.expm1(-0.25) < 1e-3
    exact = GaussianDP(0.3 * 4).epsilon_at(1e-6)
    assert 0 <= composed_gaussian(0.3, 16).epsilon_at(1e-6) - exact < 1e-3


def test_laplace_composes_to_its_sum_at_delta_zero():
    assert composed_laplace(0.1, 10).epsilon_at(0.0) == pytest.approx(1.0, abs=1e-3)


def test_laplace_is_never_worse_than_randomized_response():
    for epsilon, k in ((0.1, 50), (1.0, 20)):
        worst = composed_randomized_response(epsilon, k).epsilon_at(1e-6)
        assert composed_laplace(epsilon, k).epsilon_at(1e-6) < worst
