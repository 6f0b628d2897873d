"""Brute-force stability: distances, all small graphs, tested releases and released scales."""

import itertools
import math

import numpy as np
import pytest

from auditor.notes.exact.quadrature import gaussian_delta_by_quadrature, truncated_laplace_delta_by_quadrature
from auditor.notes.exact.stability import (
    AllGraphs,
    distance_to_instability,
    distance_to_set,
    gated_release_delta,
    local_sensitivity,
    neighbour_pairs,
    released_scale_delta,
)


def naive_distance(inside):
    points = list(np.ndindex(inside.shape))
    return np.reshape(
        [
            min(
                (sum(a != b for a, b in zip(x, y, strict=True)) for y in points if inside[y]),
                default=math.inf,
            )
            for x in points
        ],
        inside.shape,
    )


def test_distances_are_hamming_distances():
    inside = np.random.default_rng(0).random((3, 3, 3, 3)) < 0.03
    assert inside.any()
    assert np.array_equal(distance_to_set(inside), naive_distance(inside))
    assert np.isinf(distance_to_set(np.zeros((2, 2), dtype=bool))).all()


def test_instability_is_one_less_than_the_distance_to_another_value():
    values = np.random.default_rng(1).integers(0, 3, (3, 3, 3))
    d = distance_to_instability(values)
    for value in range(3):
        assert np.array_equal(d[values == value], naive_distance(values != value)[values == value] - 1)


def test_local_sensitivity_and_neighbours():
    values = np.random.default_rng(2).normal(size=(3, 4, 2))
    left, right = neighbour_pairs(values.shape)
    flat = values.ravel()
    worst = np.zeros(flat.size)
    for a, b in zip(left, right, strict=True):
        gap = abs(flat[a] - flat[b])
        worst[a], worst[b] = max(worst[a], gap), max(worst[b], gap)
    assert np.allclose(local_sensitivity(values).ravel(), worst)
    # each dataset has (3-1) + (4-1) + (2-1) neighbours, and a pair is listed once
    assert len(left) == values.size * 6 // 2
    assert len({frozenset(pair) for pair in zip(left.tolist(), right.tolist(), strict=True)}) == len(left)


def test_graphs_by_hand():
    graphs = AllGraphs(4)
    number = sum(1 << graphs.pairs.index(pair) for pair in ((0, 1), (0, 2), (1, 2), (2, 3)))
    assert graphs.edges(number) == ((0, 1), (0, 2), (1, 2), (2, 3))
    assert graphs.triangles()[number] == 1
    assert graphs.degrees()[number] == 3
    moves = graphs.changes(graphs.triangles())[:, number]
    assert dict(zip(graphs.pairs, moves.tolist(), strict=True)) == {
        (0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 2): 1, (1, 3): 1, (2, 3): 0,
    }  # fmt: skip
    assert graphs.triangles().sum() == 4 * 2**3  # each of 4 triangles is in 2^(6-3) graphs
    with pytest.raises(ValueError, match="got n=8"):
        AllGraphs(8)


@pytest.mark.parametrize(("left", "right"), [(0.3, 0.3), (0.05, 0.4), (0.9, 0.2), (1.0, 0.5), (0.0, 0.4), (0.4, 0.0)])
@pytest.mark.parametrize("gap", [0.0, 0.7, 3.0, math.inf])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.5])
def test_tested_release_against_a_fine_discretisation(left, right, gap, epsilon):
    y = (np.arange(-40_000, 44_000) + 0.5) * 1e-3
    centre = 60.0 if math.isinf(gap) else gap
    p = left * np.exp(-np.abs(y)) / 2
    q = right * np.exp(-np.abs(y - centre)) / 2
    expected = max(0.0, (1 - left) - math.exp(epsilon) * (1 - right))
    if gap == 0.0:
        expected += max(0.0, left - math.exp(epsilon) * right)
    else:
        expected += np.maximum(p - math.exp(epsilon) * q, 0).sum() * 1e-3
    assert gated_release_delta(epsilon, left, right, gap) == pytest.approx(expected, abs=2e-4)


def test_released_scale_against_simulation_of_the_worst_event():
    epsilon, rate, left, right, moved, least = 0.5, 1.0, 2.0, 3.0, 2.0, 1.0
    exact = released_scale_delta(epsilon, rate, left, right, moved, least)
    rng = np.random.default_rng(3)
    n = 200_000
    s = np.maximum(left + rng.laplace(0, 1 / rate, n), least)
    y = rng.laplace(0, s / rate)
    atom = s == least
    log_s = np.where(
        atom,
        np.log(np.exp(least - left) / np.exp(least - right)),
        rate * (np.abs(s - right) - np.abs(s - left)),
    )
    loss = log_s + rate * (np.abs(y - moved) - np.abs(y)) / s
    estimate = np.maximum(0, -np.expm1(epsilon - loss))  # delta = E[(1 - e^(epsilon - loss))+], each in [0, 1]
    # Hoeffding: off by more than 0.006 with probability at most 2 exp(-2 n 0.006^2) = 1.1e-6
    assert exact == pytest.approx(estimate.mean(), abs=0.006)


def test_quadratures_against_known_values():
    # 002 Thm 5.18 at mu = 1, eps = 1, from tables of the normal distribution: Phi(-.5) - e Phi(-1.5)
    assert gaussian_delta_by_quadrature(1.0, 1.0) == pytest.approx(0.30853754 - math.e * 0.0668072, abs=1e-7)
    # 002 Thm 5.6: by construction delta at epsilon, for delta <= 1/2
    for epsilon, delta in itertools.product((0.5, 2.0), (0.01, 0.4)):
        cut = math.log(1 + math.expm1(epsilon) / (2 * delta))
        assert truncated_laplace_delta_by_quadrature(epsilon, cut, epsilon) == pytest.approx(delta, rel=1e-9)
