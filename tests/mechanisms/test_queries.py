"""Counting queries: the notes' own numbers, sensitivities by brute force, samplers and exact profiles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from oracles import FALSE_ALARM, fits_density
from scipy import stats

from mechanisms import NeighbourPair, Relation
from mechanisms.attribute_means import AttributeMeans, AttributeMeansEachAlone, AttributeMeansFirstOnly
from mechanisms.core.queries import (
    TEN_ROWS,
    THREE_BITS,
    CountingQueries,
    attributes,
    points,
    replaced,
    subset_sums,
    thresholds,
)
from mechanisms.histogram import Histogram, HistogramAddRemoveScale, HistogramEmptyCellsExact
from mechanisms.subset_sums import SubsetSums, SubsetSumsEachAlone, SubsetSumsEuclidean
from mechanisms.threshold_queries import (
    ThresholdQueries,
    ThresholdQueriesEachAlone,
    ThresholdQueriesSharedNoise,
)

ALL = (ThresholdQueries(), AttributeMeans(), Histogram(), SubsetSums())


def test_the_ten_rows_give_the_answers_that_001_prints():
    assert thresholds(THREE_BITS).fractions(TEN_ROWS) == pytest.approx([0.3, 0.4, 0.6, 0.6, 0.6, 0.9, 1, 1])
    assert attributes(3).counts(TEN_ROWS).tolist() == [4, 3, 4]
    assert points(THREE_BITS).fractions(TEN_ROWS) == pytest.approx([0.3, 0.1, 0.2, 0, 0, 0.3, 0.1, 0])
    changed = replaced(TEN_ROWS, 4, (0, 1, 0))  # I5 becomes 010
    assert points(THREE_BITS).fractions(changed) == pytest.approx([0.2, 0.1, 0.3, 0, 0, 0.3, 0.1, 0])


def brute_force(queries, relation, n=2):
    """The largest l1 distance over all datasets of n records and all their neighbours."""
    universe = list(queries.table)
    best = 0.0
    for dataset in itertools.product(universe, repeat=n):
        others = (
            [replaced(dataset, 0, record) for record in universe] if relation is Relation.REPLACE_ONE else [dataset[1:]]
        )
        best = max(best, *(np.abs(queries.counts(dataset) - queries.counts(other)).sum() for other in others))
    return best


@pytest.mark.parametrize(
    ("queries", "replace", "add"),
    [
        (thresholds(THREE_BITS), 7, 8),
        (attributes(3), 3, 3),
        (points(THREE_BITS), 2, 1),
        (SubsetSums.queries, 4, 4),
        (subset_sums("abc", ("ab", "ac")), 2, 2),
        (subset_sums("ab", ("ab", "a")), 1, 2),
    ],
)
def test_sensitivities(queries, replace, add):
    assert queries.sensitivity(Relation.REPLACE_ONE) == brute_force(queries, Relation.REPLACE_ONE) == replace
    assert queries.sensitivity(Relation.ADD_REMOVE) == brute_force(queries, Relation.ADD_REMOVE) == add


@pytest.mark.parametrize(
    ("mechanism", "scale"),
    [
        (ThresholdQueries(0.5), 7 / 5),
        (AttributeMeans(0.5), 3 / 5),
        (Histogram(0.5), 2 / 5),
        (SubsetSums(0.5), 8),
    ],
)
def test_scale_is_the_joint_sensitivity_over_n_epsilon(mechanism, scale):
    assert mechanism.scale(mechanism.neighbours()[0].left) == pytest.approx(scale)


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.id)
def test_the_first_pair_moves_as_many_answers_as_possible(mechanism):
    pair = mechanism.neighbours()[0]
    moved = np.abs(mechanism.answers(pair.left) - mechanism.answers(pair.right)).sum()
    assert moved * mechanism.size(pair.left) == pytest.approx(mechanism.sensitivity)


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.id)
def test_answers_carry_independent_laplace_noise(mechanism):
    """Each column by Kolmogorov-Smirnov, all pairs of columns by the correlation of their signs."""
    dataset = mechanism.neighbours()[0].left
    outputs = mechanism.sample(dataset, 20_000, np.random.default_rng(11)) - mechanism.answers(dataset)
    columns = outputs.T
    for column in columns:
        assert fits_density(column, stats.laplace(scale=mechanism.scale(dataset)).cdf) > FALSE_ALARM
    for one, other in itertools.combinations(columns > 0, 2):
        agree = int((one == other).sum())  # Bin(20000, 1/2) when signs are independent
        assert stats.binomtest(agree, 20_000).pvalue > FALSE_ALARM


def test_shared_noise_is_not_independent():
    mutant = ThresholdQueriesSharedNoise()
    outputs = mutant.sample(TEN_ROWS, 100, np.random.default_rng(1)) - mutant.answers(TEN_ROWS)
    assert np.allclose(outputs, outputs[:, :1])


def test_other_mutants_leave_answers_bare():
    rng = np.random.default_rng(1)
    assert np.allclose(AttributeMeansFirstOnly().sample(TEN_ROWS, 9, rng)[:, 1:], [0.3, 0.4])
    cells = HistogramEmptyCellsExact().sample(TEN_ROWS, 9, rng)
    assert (cells[:, [3, 4, 7]] == 0).all()
    assert (cells[:, [0, 1, 2, 5, 6]] != 0).all()


@pytest.mark.parametrize(
    ("mechanism", "each", "k"),
    [
        (ThresholdQueries(), 1 / 7, 7),
        (AttributeMeans(), 1 / 3, 3),
        (Histogram(), 1 / 2, 2),
        (SubsetSums(), 1 / 4, 4),
        (ThresholdQueriesEachAlone(), 1, 7),
        (AttributeMeansEachAlone(), 1, 3),
        (HistogramAddRemoveScale(), 1, 2),
        (SubsetSumsEachAlone(), 1, 4),
        (SubsetSumsEuclidean(), 0.5, 4),
    ],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_exact_profile_against_a_loss_distribution(mechanism, each, k):
    """dp_accounting's discretisation at 1e-4 stays within 1e-6."""
    loss = privacy_loss_distribution.from_laplace_mechanism(1 / each, value_discretization_interval=1e-4)
    composed, exact = loss.self_compose(k), mechanism.exact()
    for epsilon in np.linspace(0, 0.95 * k * each, 5):
        assert exact.delta_at(epsilon) == pytest.approx(composed.get_delta_for_epsilon(epsilon), abs=1e-6)
    assert exact.epsilon_at(0.0) == pytest.approx(k * each, abs=1e-6)


def test_bad_queries_and_records_are_refused():
    with pytest.raises(ValueError, match="one bit for each of 2 queries"):
        CountingQueries(("a", "b"), {0: (1,)})
    with pytest.raises(ValueError, match="universe of 8"):
        Histogram().sample(((0, 0, 2),), 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="at least one record"):
        points(THREE_BITS).fractions(())
    with pytest.raises(ValueError, match="add/remove or replace-one, got relation=edge"):
        points(THREE_BITS).sensitivity(Relation.EDGE)
    with pytest.raises(ValueError, match="epsilon must be a finite number above 0"):
        Histogram(epsilon=0)


def test_relations_are_those_of_the_neighbours():
    assert Histogram().relations == {Relation.REPLACE_ONE}
    assert SubsetSums().relations == {Relation.ADD_REMOVE, Relation.REPLACE_ONE}
    assert all(isinstance(pair, NeighbourPair) for pair in Histogram().neighbours())
