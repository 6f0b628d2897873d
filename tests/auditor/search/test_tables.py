"""Tables of values: neighbouring cells are merged as by trying every partition, and rare values share cells."""

import itertools

import numpy as np
import pytest

from auditor.search.learners.tables import cell_edges, log_ratio, merged_ratios


def tried(left, right):
    """The same for one row, by trying every partition."""
    values, size = log_ratio(left[None], right[None])[0], len(left) - 1
    weights = 1 / (1 / (left[:-1] + 1) + 1 / (right[:-1] + 1))
    price, best, found = np.log(left.sum() + right.sum() + 2), np.inf, None
    for cuts in itertools.product((False, True), repeat=size - 1):
        edges = [0, *(np.flatnonzero(cuts) + 1).tolist(), size]
        cost, merged = 0.0, values.copy()
        for start, end in itertools.pairwise(edges):
            mean = np.average(values[start:end], weights=weights[start:end])
            cost += price + (weights[start:end] * (values[start:end] - mean) ** 2).sum()
            merged[start:end] = mean
        if cost < best:
            best, found = cost, merged
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_pieces_are_those_of_the_best_partition(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 11))
    means = 30 * np.exp(rng.choice([-1.5, 0, 1.5], size + 1).repeat(2)[: size + 1])
    left, right = rng.poisson(means, (3, size + 1)) * 1.0, rng.poisson(30, (3, size + 1)) * 1.0
    expected = [tried(*row) for row in zip(left, right, strict=True)]
    np.testing.assert_allclose(merged_ratios(left, right), expected, rtol=1e-9)


def test_many_cells_are_merged_in_portions_as_in_one(monkeypatch):
    rng = np.random.default_rng(0)
    left, right = rng.poisson(9, (3, 200)) * 1.0, rng.poisson(9, (3, 200)) * 1.0
    left[:, 80:120] += 30
    whole = merged_ratios(left, right)
    assert 1 < len(np.unique(whole[2])) < 20
    monkeypatch.setattr("auditor.search.learners.tables.AT_ONCE", 1)
    np.testing.assert_array_equal(merged_ratios(left, right), whole)


def test_values_that_few_draws_repeat_share_cells_and_others_do_not():
    rng = np.random.default_rng(1)
    rare, often = np.repeat(np.arange(300.0), 4), np.full(200, 150.5)
    draws = np.sort(np.concatenate([rare, often]))
    edges = cell_edges(draws[::2], draws[1::2])
    assert {150.5, np.nextafter(150.5, np.inf)} <= set(edges.tolist())
    assert 50 < len(edges) < 250  # not two for each of the 300
    assert np.diff(np.searchsorted(draws, edges)).max() <= 200
    few = np.sort(np.repeat(np.arange(60.0), 4))  # not many values: each has a cell
    assert len(cell_edges(few[::2], few[1::2])) == 120
    noise = np.sort(rng.random(2000))  # nothing repeats
    assert len(cell_edges(noise[::2], noise[1::2])) == 2000 // 64 - 1
