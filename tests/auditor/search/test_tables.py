"""Tables of values: rare values share cells."""

import numpy as np

from auditor.search.learners.tables import cell_edges


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
