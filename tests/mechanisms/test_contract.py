"""What every mechanism and mutant of the catalogue must do, whoever wrote it."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from mechanisms import Claim, NeighbourPair, Relation
from mechanisms.core.catalogue import catalogue, find, mutants_of

EVERYTHING = catalogue()
CORRECT = [m for m in EVERYTHING if m.of is None]
MUTANTS = [m for m in EVERYTHING if m.of is not None]

every_one = pytest.mark.parametrize("mechanism", EVERYTHING, ids=lambda m: m.id)
every_correct_one = pytest.mark.parametrize("mechanism", CORRECT, ids=lambda m: m.id)
KNOWN = [mechanism for mechanism in EVERYTHING if mechanism.exact() is not None]
every_known_one = pytest.mark.parametrize("mechanism", KNOWN, ids=lambda m: m.id)
every_mutant = pytest.mark.parametrize("mechanism", MUTANTS, ids=lambda m: m.id)


def same(left, right):
    """Equal arrays, where nothing (NaN) equals nothing."""
    if left.dtype.kind == "f":
        return np.array_equal(left, right, equal_nan=True)
    return np.array_equal(left, right)


def test_ids_are_unique():
    assert len({m.id for m in EVERYTHING}) == len(EVERYTHING)


@every_one
def test_it_says_what_it_is(mechanism):
    assert mechanism.title
    assert mechanism.source
    assert mechanism.breaks in ("privacy", "accuracy")
    assert set(mechanism.views) <= {"values", "bits"}
    assert mechanism.views
    assert mechanism.trials >= 1
    assert 0 <= mechanism.worst < len(mechanism.neighbours())


@every_correct_one
def test_it_has_two_mutants(mechanism):
    assert len(mutants_of(mechanism)) >= 2


@every_mutant
def test_a_mutant_belongs_to_a_mechanism(mechanism):
    assert find(mechanism.of).of is None
    assert mechanism.id.startswith(mechanism.of + "/")


@every_one
def test_claim_and_neighbours(mechanism):
    assert isinstance(mechanism.claim, Claim)
    pairs = mechanism.neighbours()
    assert pairs
    for pair in pairs:
        assert isinstance(pair, NeighbourPair)
        assert pair.relation is not Relation.UNSPECIFIED
        assert pair.why


@every_one
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_sample(mechanism, n):
    """n outputs; the same stream gives the same; the dataset is left alone; a pickled copy draws the same."""
    copy = pickle.loads(pickle.dumps(mechanism))
    for pair in mechanism.neighbours():
        for dataset in (pair.left, pair.right):
            before = pickle.dumps(dataset)
            outputs = mechanism.sample(dataset, n, np.random.default_rng(1))
            assert isinstance(outputs, np.ndarray)
            assert outputs.shape[0] == n
            assert pickle.dumps(dataset) == before
            assert same(outputs, mechanism.sample(dataset, n, np.random.default_rng(1)))
            assert same(outputs, copy.sample(dataset, n, np.random.default_rng(1)))


@every_correct_one
def test_another_stream_gives_other_outputs(mechanism):
    dataset = mechanism.neighbours()[0].left
    outputs = [mechanism.sample(dataset, 1000, np.random.default_rng(seed)) for seed in (1, 2)]
    assert not same(*outputs)


@every_known_one
def test_exact_is_a_profile(mechanism):
    exact = mechanism.exact()
    deltas = [exact.delta_at(epsilon) for epsilon in np.linspace(0, 1.5 * mechanism.claim.points()[0][0] + 1, 6)]
    assert all(0 <= delta <= 1 for delta in deltas)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(deltas))


@every_known_one
def test_exact_agrees_with_the_claim(mechanism):
    """A correct mechanism keeps its claim at every point; a mutant breaks it at one, by a margin."""
    exact = mechanism.exact()
    excess = [exact.delta_at(epsilon) - delta for epsilon, delta in mechanism.claim.points()]
    if mechanism.of is None or mechanism.breaks == "accuracy":
        assert max(excess) <= 1e-9
    else:
        assert max(excess) > 1e-5
        for epsilon, delta in mechanism.claim.points()[:1]:
            if max(excess) == excess[0]:
                assert exact.epsilon_at(delta) > epsilon


def accuracy_p_values(mechanism, n=2000):
    """Exact binomial p-values of P[failed] <= probability, one for each statement."""
    for statement in mechanism.accuracy():
        outputs = mechanism.sample(statement.dataset, n, np.random.default_rng(3))
        failed = np.asarray(statement.failed(outputs))
        assert failed.shape == (n,)
        yield float(binom.sf(int(failed.sum()) - 1, n, statement.probability))


@every_correct_one
def test_accuracy_statements(mechanism):
    """False-alarm probability at most 1e-8 for each statement."""
    assert all(p_value > 1e-8 for p_value in accuracy_p_values(mechanism))


@pytest.mark.parametrize("mechanism", [m for m in MUTANTS if m.breaks == "accuracy"], ids=lambda m: m.id)
def test_broken_accuracy_is_caught(mechanism):
    assert min(accuracy_p_values(mechanism)) < 1e-8
