"""Draws beyond those that are remembered are counted in cells, and events are chosen from the counts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import ApproxDP, NeighbourPair, exploration
from auditor.certify.evidence import Point
from auditor.engine import carry_out
from auditor.events.cells import indices
from auditor.events.histograms import BinHistogram, CellHistogram, SumHistogram
from auditor.events.outputs import canonical, form_of
from auditor.events.scores import Labels, Region, Rows, Steps, Sum, Trees, Value
from auditor.request import request
from auditor.search.candidates import Scored
from auditor.search.counted import Counted
from auditor.search.past import Past
from auditor.search.selection import best_candidate, count_from_now_on
from auditor.search.utility import LowerBound
from auditor.tuning import Learning, Tuning


def outputs(raw):
    return canonical(raw, len(raw), "m", form_of([raw], "m"))


def vectors(n, shift, seed, width=4):
    return np.random.default_rng(seed).laplace(0, 4, (n, width)) + shift


TABLES = [
    (Steps("x[1]", (0.0, 1.0), (0.5, -1.0, 2.0), 7.0), [[0.0, np.nan], [0.0, -3.0], [0.0, 0.0], [0.0, 5.0]]),
    (Rows(((0.0, 1.0), (0.0, 1.0)), (0, 1, 3), (0.1, 0.2, 0.3)), [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]]),
    (Rows(((0.5, 1.0), (0.0, 2.0)), (0, 1, 4), (0.1, 0.2, 0.3)), [[0.5, 0], [0.5, 2], [1, 2], [0.25, 0]]),
    (Labels((("a", 1.0), ("b", -1.0))), ["a", "b", "c", "a"]),
]


@pytest.mark.parametrize(("table", "raw"), TABLES)
def test_a_table_scores_by_cells(table, raw):
    drawn = outputs(raw if isinstance(raw[0], str) else np.array(raw, dtype=float))
    assert np.array_equal(table.by_cell()[table.cells(drawn)], table.of(drawn))
    assert CellHistogram(table, "values").count(drawn).sum() == len(raw)
    other = table.rescored(np.arange(len(table.by_cell())) + 10.0)
    known = table.cells(drawn) < len(table.by_cell()) - 1
    assert np.array_equal(other.of(drawn)[known], table.cells(drawn)[known] + 10.0)


def test_rows_outside_their_table_are_found_whatever_the_numbers():
    rows = Rows(((0.0, 1.0), (-1.0, 0.0, 1.0)), (0, 1, 2, 4, 5, 6), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    inside = [[a, b] for a in (0.0, 1.0) for b in (-1.0, 0.0, 1.0)]
    assert rows.of(outputs(np.array(inside))).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    for strange in ([-1.0, 0.0], [0.5, 0.0], [0.0, 2.0], [np.inf, 0.0], [1e300, 0.0]):
        assert rows.of(outputs(np.array([*inside, strange])))[-1] == 0.0


def test_bins_count_what_lies_beyond_each_threshold():
    drawn = [outputs(vectors(4000, shift, seed)) for shift, seed in ((0.0, 1), (1.0, 2))]
    counted = Counted([Scored(Value("x[0]"), None, "values")], drawn)
    assert isinstance(counted.histograms[0], BinHistogram)
    cells = np.zeros((2, 2, counted.histograms[0].size), dtype=np.int64)
    for side, one in enumerate(drawn):
        for half in (0, 1):
            cells[side, half] = counted.histograms[0].count(one.take(slice(half, None, 2)))
    counted.add(cells, 8000)
    curve = counted.scored()[0].curve
    for tail in (curve.low, curve.high):
        for place in (0, len(tail.at) // 2, len(tail.at) - 1):
            region = Region(tail.op, float(tail.at[place]))
            seen = [np.count_nonzero(region.holds(one.numbers[:, 0])) for one in drawn]
            assert [tail.left[place], tail.right[place]] == seen


def test_a_sum_is_judged_on_draws_that_came_after_its_tables():
    drawn = [outputs(vectors(4000, shift, seed)) for shift, seed in ((0.0, 3), (1.0, 4))]
    parts = tuple(Steps(f"x[{j}]", (0.0, 1.0), (0.0, 0.0, 0.0)) for j in range(4))  # that know nothing
    counted = Counted([Scored(Sum(parts), None, "values")], drawn)
    histogram = counted.histograms[0]
    assert isinstance(histogram, SumHistogram)
    counted.add(np.stack([np.stack([histogram.count(one)] * 2) for one in drawn]), 16000)
    counted.refine([True])
    (score,) = [scored.score for scored in counted.scored()]
    assert all(part.values[0] > 0 > part.values[2] for part in score.parts)  # what the counts show
    assert counted.scored()[0].curve.left_trials == 0  # and nothing is known of it yet


def test_what_cannot_win_is_not_counted_any_longer():
    past = Past(("values",), Learning(remembered=2**11))
    left, right = vectors(4000, np.array([0.0, 0, 0, 0]), 5), vectors(4000, np.array([8.0, 0, 0, 0]), 6)
    past.add(outputs(left), outputs(right))
    now = [LowerBound(Point(0.0, 0.0), 1e5, 0.05)]
    hoped = [LowerBound(Point(0.0, 0.0), 1e5, 0.05, more=16.0)]
    count_from_now_on(past, now, hoped)
    before = len(past.counted.histograms)
    for seed in range(7, 11):
        fresh = [outputs(vectors(4000, np.array([shift, 0, 0, 0]), seed + shift)) for shift in (0, 8)]
        cells = [np.concatenate([histogram.count(one) for histogram in past.counted.histograms]) for one in fresh]
        past.count(np.stack([np.stack([row, row]) for row in cells]), 16000)
        count_from_now_on(past, now, hoped)
    assert len(past.counted.histograms) < before
    found = best_candidate(past, now)
    assert found is not None
    assert "x[0]" in str(found.event)


def weak(dataset, n, rng):
    """Sixteen coordinates, each of which hardly says anything, and that is the opposite of what its neighbours say."""
    return dataset * np.resize([1.0, -1.0], 16) + rng.laplace(0, 30.0, (n, 16))


SHORT = Tuning(learning=Learning(remembered=2**11))


def certified(seed=3, **options):
    pair = NeighbourPair(0.0, 1.0)
    asked = request(weak, ApproxDP(40.0), [pair], 300_000, 0.05, seed, ("values",), None)
    return replace(carry_out(asked, tuning=SHORT, **options), seconds=0.0)


@pytest.fixture(scope="module")
def alone():
    """One audit, for all tests that compare with it."""
    return certified(jobs=1)


def test_the_counts_are_the_same_wherever_they_are_made(alone, tmp_path):
    assert certified(jobs=2).to_json() == alone.to_json()
    assert certified(jobs=1, checkpoint=tmp_path / "c.json").to_json() == alone.to_json()


def test_counting_shows_what_the_remembered_draws_do_not(monkeypatch, alone):
    counting = [alone.epsilon_lower, certified(seed=2, jobs=1).epsilon_lower]
    monkeypatch.setattr(exploration, "count_from_now_on", lambda *_: None)
    remembering = [certified(seed, jobs=1).epsilon_lower for seed in (3, 2)]
    assert sum(counting) > 1.5 * sum(remembering)


def test_an_interrupted_audit_goes_on_with_its_counts(alone, tmp_path):
    file, calls = tmp_path / "c.json", []

    def stop(done, total):
        calls.append(done)
        if done > 60_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certified(jobs=1, checkpoint=file, progress=stop)
    assert '"cells"' in file.read_text()
    assert certified(jobs=1, checkpoint=file).to_json() == alone.to_json()


def test_trees_and_values_are_cut_at_thresholds():
    drawn = [outputs(vectors(1000, shift, seed)) for shift, seed in ((0.0, 8), (1.0, 9))]
    tree = Trees(("x[0]",), (((0, 0.0, 1, 2, 0.0), (-1, 0.0, 0, 0, -0.5), (-1, 0.0, 0, 0, 0.5)),))
    counted = Counted([Scored(tree, None, "values"), Scored(Value("sum"), None, "values")], drawn)
    assert counted.histograms[0].cuts == (-0.5, 0.5)
    assert all(histogram.count(drawn[0]).sum() == 1000 for histogram in counted.histograms)


@settings(max_examples=60, deadline=None)
@given(
    edges=st.lists(st.floats(allow_nan=False), min_size=16, max_size=80, unique=True),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-300, 1e-3, 1.0, 1e6, 1e300]),
)
def test_the_grid_finds_what_a_search_finds(edges, seed, scale):
    rng = np.random.default_rng(seed)
    edges = np.unique(np.concatenate([np.sort(edges), rng.normal(0, scale, 40)]))
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    with np.errstate(all="ignore"):
        near = [np.nextafter(edges, -np.inf), edges, np.nextafter(edges, np.inf)]
        column = np.concatenate([rng.normal(0, scale, 5000), *near, special])
        found = indices(edges, column)
    numbers = ~np.isnan(column)
    assert np.array_equal(found[numbers], np.searchsorted(edges, column, side="right")[numbers])
