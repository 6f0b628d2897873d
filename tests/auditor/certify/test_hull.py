"""Concave curves, and the curve that certified advantages prove."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from auditor.certify import hull
from auditor.certify.advantage import Advantage


def test_the_hull_of_points() -> None:
    found = hull.concave([(0.5, 0.6), (0.1, 0.4), (0.3, 0.5), (0.5, 0.8), (0.9, 0.2)])
    assert found == ((0.0, 0.0), (0.1, 0.4), (0.5, 0.8), (1.0, 1.0))


def test_nothing_above_the_diagonal_is_the_diagonal() -> None:
    assert hull.concave([(0.5, 0.5), (0.2, 0.1), (0.0, 0.0), (1.0, 1.0)]) == ((0.0, 0.0), (1.0, 1.0))


def test_a_point_that_is_certain_starts_the_curve() -> None:
    assert hull.concave([(0.0, 0.3), (0.4, 1.0)]) == ((0.0, 0.0), (0.0, 0.3), (0.4, 1.0), (1.0, 1.0))


def gaussian(at: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return norm.sf(at - mu), norm.sf(at), np.exp(mu * at - mu**2 / 2)


def passes(points: hull.Points, mu: float) -> bool:
    x, y = np.array(points[1:-1]).T
    return bool((y > norm.cdf(norm.ppf(x) + mu) + 1e-12).any())


@pytest.mark.parametrize("width", [0.0, 0.002, 0.02])
@pytest.mark.parametrize("mu", [0.1, 1.0, 2.5])
def test_true_advantages_prove_a_curve_below_the_truth(width: float, mu: float) -> None:
    """Wherever in its interval the true Q(S) lies, and also where slopes are not those of the best events."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        at = np.sort(rng.normal(mu / 2, 1.5, 12))
        p, q, slope = gaussian(at, mu)
        slope = slope * np.exp(rng.normal(0, 0.3, 12))
        below = rng.random(12) * width
        found = Advantage(slope, p - slope * q, np.maximum(0, q - below), np.minimum(1, q - below + width))
        assert not passes(hull.certified_hull(found), mu)


def test_exact_advantages_prove_the_polygon() -> None:
    at = np.array([-1.0, 0.5, 2.0])
    p, q, slope = gaussian(at, 1.0)
    points = np.array(hull.certified_hull(Advantage(slope, p - slope * q, q, q)))
    for vertex in np.array([q, p]).T:
        assert np.abs(points - vertex).max(axis=1).min() < 1e-9
    assert np.interp(points[:, 0], [0, *q[::-1], 1], [0, *p[::-1], 1]) == pytest.approx(points[:, 1], abs=1e-9)


def test_an_interval_at_its_middle_is_caught() -> None:
    """Broken twin: Q(S) is taken in the middle of its interval; where it lies at an end the curve passes the truth."""
    at = np.linspace(-1, 2, 5)
    p, q, slope = gaussian(at, 1.0)
    found = Advantage(slope, p - slope * q, q, np.minimum(1, q + 0.02))
    assert not passes(hull.certified_hull(found), 1.0)
    middle = (found.low + found.high) / 2
    assert passes(hull.certified_hull(Advantage(slope, found.least, middle, middle)), 1.0)


def test_subsampling_is_a_mixture() -> None:
    """Left added: (1 - rate) Q + rate P against Q, by its probabilities on three outputs."""
    p, q, rate = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.3, 0.6]), 0.2
    points = hull.concave(list(zip(np.cumsum(q), np.cumsum(p), strict=True)))
    mixed = (1 - rate) * q + rate * p
    expected = hull.concave(list(zip(np.cumsum(q), np.cumsum(mixed), strict=True)))
    assert np.array(hull.subsampled(points, rate, "left")) == pytest.approx(np.array(expected))
    mixed = (1 - rate) * p + rate * q
    expected = hull.concave(list(zip(np.cumsum(mixed), np.cumsum(p), strict=True)))
    assert np.array(hull.subsampled(points, rate, "right")) == pytest.approx(np.array(expected))


def test_reversing_twice_is_nothing() -> None:
    points = ((0.0, 0.0), (0.1, 0.4), (0.5, 0.8), (1.0, 1.0))
    assert np.array(hull.reversed_(hull.reversed_(points))) == pytest.approx(np.array(points))


def test_rounding_makes_no_vertex() -> None:
    """A vertex made of rounding errors has any slope, and epsilon at delta 0 is the largest slope.

    (Of 50 curves of randomized response two had one, and said 20.36 of a 20-fold composition whose truth is 20.)
    """
    noise = [(9.046665207324478e-17, 2.503242260241172e-16), (0.9999999999999981, 0.9999999999999991)]
    assert hull.concave([*noise, (0.3, 0.7)]) == ((0.0, 0.0), (0.3, 0.7), (1.0, 1.0))
    assert hull.concave([(0.3, 0.7), (0.3 + 1e-13, 0.7 + 1e-12)]) == ((0.0, 0.0), (0.3, 0.7), (1.0, 1.0))
