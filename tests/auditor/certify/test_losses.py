"""Composed losses: below exact values, close to them, and what they do where they are rounded the wrong way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from auditor.certify import hull, losses
from auditor.certify.losses import Losses, add, of_curve, power
from auditor.notes.exact.composition import composed_randomized_response

CURVE = ((0.0, 0.0), (0.05, 0.3), (0.3, 0.7), (0.6, 0.9), (1.0, 1.0))


def response(epsilon: float) -> hull.Points:
    high = 1 / (1 + math.exp(-epsilon))
    return ((0.0, 0.0), (1 - high, high), (1.0, 1.0))


def brute_force(points: hull.Points, k: int, epsilon: float) -> float:
    """delta of k runs by listing every sequence of segments."""
    rows = np.diff(np.array(points), axis=0)
    total = 0.0
    for sequence in itertools.product(rows, repeat=k):
        q, p = np.prod(np.array(sequence), axis=0)
        total += max(0.0, p - math.exp(epsilon) * q)
    return total


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("turned", [tuple, hull.reversed_])
def test_against_every_sequence(k: int, turned: type) -> None:
    found = power(of_curve(turned(CURVE)), k)
    for epsilon in (0.0, 0.3, 1.0, 2.0, 5.0):
        exact = brute_force(turned(CURVE), k, epsilon)
        assert 0.9995 * exact - 1e-6 <= found.delta_at(epsilon) <= exact + 1e-15


@pytest.mark.parametrize("k", [10, 137, 1000, 10_000])
def test_against_the_binomial_sum(k: int) -> None:
    """Randomized response, exact by binomial sums: below, and by less than two in a thousand."""
    epsilon = 0.1
    exact, found = composed_randomized_response(epsilon, k), power(of_curve(response(epsilon)), k)
    for delta in (1e-2, 1e-5, 1e-6):
        truth = exact.epsilon_at(delta)
        assert 0.998 * truth <= found.epsilon_at(delta) <= truth


def test_the_error_covers_the_transform() -> None:
    """The mass after many transforms is off by less than the error that is taken off every delta."""
    for k in (10, 1000, 10_000):
        found = power(of_curve(response(0.1)), k)
        assert abs(found.weights.sum() - 1) < found.error < 1e-8


def test_dp_accounting_says_the_same() -> None:
    found = power(of_curve(CURVE), 30)
    theirs = found.pld()
    for epsilon in (0.5, 3.0, 10.0):
        assert theirs.get_delta_for_epsilon(epsilon) == pytest.approx(found.delta_at(epsilon), abs=1e-11)
    for delta in (1e-6, 1e-3):
        assert theirs.get_epsilon_for_delta(delta + found.error) == pytest.approx(found.epsilon_at(delta), abs=1e-6)


def test_dp_accounting_composes_to_the_same() -> None:
    """Their self-composition of our rounded losses; their truncation, which counts as infinite loss, is 1e-15."""
    one = add(of_curve(CURVE), of_curve(((0.0, 0.0), (1.0, 1.0))))
    theirs = one.pld().self_compose(8)
    ours = power(of_curve(CURVE), 8)
    for epsilon in (0.5, 2.0, 6.0):
        assert theirs.get_delta_for_epsilon(epsilon) == pytest.approx(ours.delta_at(epsilon), rel=2e-4, abs=1e-10)


def test_gaussians_compose_to_a_gaussian() -> None:
    """100 Gaussians of mu = .1 are one of mu = 1: epsilon 4.3772 at delta 1e-5 (PEERS: closed form)."""
    at = np.linspace(-7, 7, 1500)
    points = hull.concave(list(zip(norm.sf(at), norm.sf(at - 0.1), strict=True)))
    assert 4.3772 * 0.998 < power(of_curve(points), 100).epsilon_at(1e-5) <= 4.37724


def test_losses_rounded_up_are_caught() -> None:
    """Broken twin: the same grid, one step higher a run."""
    found = power(of_curve(response(0.1)), 1000)
    truth = composed_randomized_response(0.1, 1000).epsilon_at(1e-5)
    up = Losses(found.values + 1000 * 0.1 / 2000, found.weights, 0.0, 0.0, found.error)
    assert found.epsilon_at(1e-5) <= truth < up.epsilon_at(1e-5)


def test_different_runs_add_up() -> None:
    both = add(power(of_curve(response(0.1)), 30), power(of_curve(response(0.2)), 20))
    exact = [composed_randomized_response(0.1, 30), composed_randomized_response(0.2, 20)]
    assert max(one.epsilon_at(1e-5) for one in exact) < both.epsilon_at(1e-5) < 0.1 * 30 + 0.2 * 20


def test_an_infinite_loss_stays() -> None:
    points = ((0.0, 0.0), (0.0, 0.01), (0.5, 0.6), (1.0, 1.0))
    found = power(of_curve(points), 10)
    assert found.infinite == pytest.approx(1 - 0.99**10)
    assert found.epsilon_at(0.05) == math.inf
    assert found.epsilon_at(0.2) < math.inf


def test_many_deltas_at_once() -> None:
    found = power(of_curve(CURVE), 50)
    grid = np.linspace(0, 30, 41)
    assert found.deltas_at(grid) == pytest.approx([found.delta_at(e) for e in grid.tolist()], abs=1e-10)


def test_curves_without_information() -> None:
    flat = of_curve(((0.0, 0.0), (1.0, 1.0)))
    assert power(flat, 500).epsilon_at(1e-6) == 0
    assert power(flat, 500).delta_at(0.0) == 0
    assert losses.add(flat, flat).epsilon_at(0.5) == 0


def test_renyi_of_a_response() -> None:
    """D_2 of randomized response: log(p^2 / q + q^2 / p)."""
    p = 1 / (1 + math.exp(-0.7))
    assert of_curve(response(0.7)).renyi(2.0) == pytest.approx(math.log(p**2 / (1 - p) + (1 - p) ** 2 / p))
