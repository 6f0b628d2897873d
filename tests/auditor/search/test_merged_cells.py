"""Pieces of a table: neighbouring cells are merged as by trying every partition, one table or many at once."""

import itertools

import numpy as np
import pytest

from auditor.search.merged_cells import log_ratio, merged_ratios, merged_tables


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
    monkeypatch.setattr("auditor.search.merged_cells.AT_ONCE", 1)
    np.testing.assert_array_equal(merged_ratios(left, right), whole)


def test_tables_of_different_sizes_are_merged_together_as_each_by_itself():
    rng = np.random.default_rng(2)
    tables = [tuple(rng.poisson(20, (2, 3, size)) * 1.0) for size in (2, 9, 15, 3, 12, 40)]
    tables[2][0][:, 4:9] += 60
    together = merged_tables(tables)
    assert len(np.unique(together[2][2])) > 2
    for (left, right), merged in zip(tables, together, strict=True):
        np.testing.assert_array_equal(merged, merged_ratios(left, right))


def test_a_cell_without_draws_joins_the_piece_that_says_less_and_nothing_between_two_sides():
    left = np.array([0, 80, 0, 80, 0, 24, 0, 0, 24, 0, 0, 0, 0], dtype=np.float64)
    right = np.array([0, 5, 0, 5, 0, 20, 0, 0, 20, 0, 158, 0, 0], dtype=np.float64)
    merged = merged_ratios(left[None], right[None])[0]
    assert merged[1] == merged[2] == merged[3] > 2  # within a piece
    assert merged[4] == merged[5] == merged[8]  # beside one that says less
    assert 0 < merged[8] < 1
    assert merged[9] == 0  # between one for the left and one for the right
    assert merged[10] < -2
    opposite = merged_ratios(np.array([[0.0, 90, 0, 5, 0, 0]]), np.array([[0.0, 5, 0, 90, 0, 0]]))[0]
    assert opposite[1] > 2 > -2 > opposite[3]
    assert opposite[2] == 0


def test_a_table_of_no_numbers_has_nothing_to_merge():
    nothing = merged_ratios(np.array([[0.0, 40.0]]), np.array([[0.0, 10.0]]))[0]
    np.testing.assert_array_equal(nothing, [0.0, 0.0])
