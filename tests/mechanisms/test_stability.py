"""Distances and sensitivities of lecture 004 by brute force, and the two mechanisms that test them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_density, quadrature_delta
from scipy import stats

from mechanisms.median import (
    distance_to_change,
    distance_to_sensitivity,
    in_order,
    median,
    sensitivity_at_distance,
    smooth_sensitivity,
)
from mechanisms.ptr_median import PtrMedian, PtrMedianOneNoise, PtrMedianRandomThreshold, PtrMedianUnitNoise
from mechanisms.ptr_reciprocal import (
    PtrReciprocal,
    PtrReciprocalDistanceToZero,
    PtrReciprocalOneNoise,
    local_sensitivity,
)
from mechanisms.stable_majority import (
    StableMajority,
    StableMajorityNarrowNoise,
    StableMajorityNoiseless,
    StableMajorityRandomThreshold,
    StableMajorityReversed,
    StableMajorityWholeDistance,
    StableMajorityWideNoise,
)
from mechanisms.stable_median import StableMedian, StableMedianOneSided, StableMedianReversed
from mechanisms.stable_vote import StableVote, StableVoteGap, StableVoteUnscaledThreshold

STABLE = (
    StableMajority,
    StableMajorityReversed,
    StableMajorityRandomThreshold,
    StableMajorityNoiseless,
    StableMajorityWideNoise,
    StableMajorityNarrowNoise,
    StableMajorityWholeDistance,
    StableVote,
    StableVoteUnscaledThreshold,
    StableVoteGap,
    StableMedian,
    StableMedianReversed,
)


def multisets(values, n):
    return list(itertools.combinations_with_replacement(values, n))


def apart(x, y):
    """How many records must be replaced to turn one multiset into the other."""
    rest = list(y)
    for record in x:
        if record in rest:
            rest.remove(record)
    return len(rest)


def around(space):
    """Every dataset with all others and their distances, nearest first."""
    return {x: sorted(((apart(x, y), y) for y in space), key=lambda entry: entry[0]) for x in space}


FIVE = around(multisets(range(5), 5))  # all 5^5 datasets, up to the order of their records
LOCAL = {
    x: max(abs(sorted(x)[2] - sorted(y)[2]) for distance, y in others if distance <= 1) for x, others in FIVE.items()
}


@pytest.mark.parametrize("k", range(6))
def test_sensitivity_at_distance(k):
    for x, others in FIVE.items():
        expected = max(LOCAL[y] for distance, y in others if distance <= k)
        assert sensitivity_at_distance(in_order(x, 0, 4), k) == expected


@pytest.mark.parametrize("t", [0.05, 0.5, 2.0])
def test_smooth_sensitivity_is_the_smallest_smooth_bound(t):
    smooth = {x: smooth_sensitivity(in_order(x, 0, 4), t) for x in FIVE}
    for x, others in FIVE.items():
        assert smooth[x] == pytest.approx(max(math.exp(-t * distance) * LOCAL[y] for distance, y in others))
        assert smooth[x] >= LOCAL[x]
        assert all(smooth[y] <= math.exp(t) * smooth[x] * (1 + 1e-12) for d, y in others if d <= 1)


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 4])
def test_distance_to_sensitivity(bound):
    for x, others in FIVE.items():
        expected = min((d for d, y in others if LOCAL[y] > bound), default=math.inf)
        assert distance_to_sensitivity(in_order(x, 0, 4), bound) == expected


def test_distance_to_change_of_the_median():
    for x, others in FIVE.items():
        expected = min(d for d, y in others if sorted(y)[2] != sorted(x)[2])
        assert distance_to_change(in_order(x, 0, 4)) == expected


def test_median_needs_an_odd_number_of_records_within_bounds():
    assert median(in_order((3, 1, 2), 0, 4)) == 2
    for bad in ((1, 2), (1, 2, 9), ()):
        with pytest.raises(ValueError, match=r"odd number of records in \[0, 4\]"):
            in_order(bad, 0, 4)


@pytest.mark.parametrize("records", [5, 7])
def test_changes_of_majority_and_vote(records):
    spaces = [(StableMajority(records=records), multisets((0, 1), records))]
    spaces.append((StableVote(records=records), multisets(("red", "green", "blue"), records)))
    for mechanism, space in spaces:
        for x, others in around(space).items():
            expected = min(d for d, y in others if mechanism.value(y) != mechanism.value(x))
            assert mechanism.changes(x) == expected


def law(mechanism, x):
    """The output's distribution from the printed definition, with scipy's Laplace tail."""
    probability = mechanism.release_probability(mechanism.distance(x))
    return {mechanism.value(x): probability, "nothing": 1 - probability}


def test_release_probability_is_the_laplace_tail():
    for mechanism in (StableMajority(), StableMajorityWideNoise(), PtrMedian(epsilon=0.3)):
        for d in range(9):
            expected = stats.laplace(loc=d, scale=mechanism.scale).sf(mechanism.threshold)
            assert mechanism.release_probability(d) == pytest.approx(expected, rel=1e-12)
    rng = np.random.default_rng(3)
    for epsilon in (1.0, 0.5):  # the difference of two Laplace variables of equal and of unequal scale
        mutant = StableMajorityRandomThreshold(epsilon=epsilon)
        x = (1,) * 9 + (0,) * 6
        released = int((~np.isnan(mutant.sample(x, 50_000, rng))).sum())
        expected = mutant.release_probability(mutant.distance(x))
        assert stats.binomtest(released, 50_000, expected).pvalue > FALSE_ALARM


@pytest.mark.parametrize("kind", STABLE, ids=lambda kind: kind.id)
def test_exact_profile_is_the_worst_of_all_neighbours(kind):
    """Enumerated over every dataset of seven records; the threshold is low, so that distances reach it."""
    mechanism = kind(epsilon=0.8, delta=0.2, records=7)
    values = {
        "stable-majority": (0, 1),
        "stable-vote": ("red", "green", "blue"),
        "stable-median": (0, 1, 3, 4),
    }
    laws = {x: law(mechanism, x) for x in multisets(values[(kind.of or kind.id)], 7)}
    exact = mechanism.exact()
    for epsilon in (0.0, 0.3, 0.8, 1.5):
        worst = max(
            enumerated_delta(laws[x], laws[y], epsilon) for x, y in itertools.combinations(laws, 2) if apart(x, y) == 1
        )
        assert exact.delta_at(epsilon) == pytest.approx(worst, abs=1e-12)


def test_stable_release_is_twice_as_private_as_claimed_in_delta():
    for mechanism in (StableMajority(), StableVote(), StableMedian()):
        assert mechanism.exact().delta_at(mechanism.epsilon) == pytest.approx(mechanism.delta / 2)


def test_truth_of_the_mutants():
    """The ledger's closed forms."""
    assert StableMajorityReversed(delta=1e-3).exact().delta_at(1.0) == pytest.approx(0.9995)
    assert StableMajorityWholeDistance(delta=1e-3).exact().delta_at(1.0) == pytest.approx(1.359e-3, rel=1e-3)
    assert StableMajorityWideNoise(delta=1e-3).exact().delta_at(1.0) == pytest.approx(0.0158, rel=1e-2)
    assert StableVoteUnscaledThreshold(0.1, 1e-6).exact().delta_at(0.1) == pytest.approx(0.1256, rel=1e-3)
    assert StableMajorityNoiseless().exact().delta_at(5.0) == 1.0
    assert StableMajorityRandomThreshold().exact().delta_at(3.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "mechanism",
    [
        StableMajority(),
        StableVote(),
        StableVoteGap(),
        StableMedian(),
        StableMedianOneSided(),
        StableMajorityReversed(),
    ],
    ids=lambda m: m.id,
)
def test_stable_samples(mechanism):
    """Only the value and ⊥ come out, as often as they should."""
    rng = np.random.default_rng(5)
    for pair in mechanism.neighbours():
        for x in (pair.left, pair.right):
            outputs = mechanism.sample(x, 20_000, rng)
            released = [y for y in outputs.tolist() if y is not None and y == y]
            assert set(released) <= {mechanism.value(x)}
            expected = mechanism.release_probability(mechanism.distance(x))
            assert stats.binomtest(len(released), 20_000, expected).pvalue > FALSE_ALARM


def test_nothing_is_none_for_labels_and_nan_for_numbers():
    rng = np.random.default_rng(1)
    assert StableVote().sample(("red",) * 16 + ("green",) * 15, 3, rng).tolist() == [None] * 3
    assert np.isnan(StableMedian().sample((3,) * 8 + (4,) * 7, 3, rng)).all()


def density(mechanism, state):
    """Of a released value, in the printed definition; the rest of the probability is ⊥."""
    noise = stats.laplace(loc=state.value, scale=mechanism.spread)
    if isinstance(mechanism, PtrMedianOneNoise | PtrReciprocalOneNoise):
        edge = state.value + mechanism.bound * (mechanism.threshold - state.distance)
        return (lambda y: noise.pdf(y) if y > edge else 0.0), edge
    weight = stats.laplace(loc=state.distance, scale=mechanism.scale).sf(mechanism.threshold)
    return (lambda y: weight * noise.pdf(y)), state.value


@pytest.mark.parametrize(
    "mechanism",
    [PtrMedian(), PtrMedianUnitNoise(), PtrMedianOneNoise(), PtrReciprocal(), PtrReciprocalOneNoise()],
    ids=lambda m: m.id,
)
def test_propose_test_release_by_quadrature(mechanism):
    pairs = [pair for pair in set(mechanism.states()) if not any(math.isinf(s.value) for s in pair)]
    for left, right in sorted(pairs)[:: max(1, len(pairs) // 4)]:
        (p, a), (q, b) = density(mechanism, left), density(mechanism, right)
        ends = (min(left.value, right.value), max(left.value, right.value))
        for epsilon in (0.4, 2.0):
            # the density ratio crosses e^epsilon where the distance to the two values differs by `gap`
            ratio = mechanism.release_probability(right.distance) / mechanism.release_probability(left.distance)
            if isinstance(mechanism, PtrMedianOneNoise | PtrReciprocalOneNoise):
                ratio = 1.0
            gaps = [mechanism.spread * (s * epsilon + math.log(ratio)) / 2 for s in (1, -1)]
            crossings = [sum(ends) / 2 + sign * gap for gap in gaps for sign in (1, -1)]
            far = 45 * mechanism.spread
            breaks = sorted({ends[0] - far, a, b, *ends, *crossings, ends[1] + far})
            numeric = quadrature_delta(p, q, epsilon, [y for y in breaks if ends[0] - far <= y <= ends[1] + far])
            one, other = (1 - mechanism.release_probability(s.distance) for s in (left, right))
            silent = (max(0.0, one - math.exp(epsilon) * other), max(0.0, other - math.exp(epsilon) * one))
            both = (mechanism.hockey(left, right, epsilon), mechanism.hockey(right, left, epsilon))
            forward = max(both[0] - silent[0], both[1] - silent[1])
            assert forward == pytest.approx(numeric, abs=1e-6)


def test_states_of_the_median_are_those_of_all_neighbours():
    mechanism = PtrMedian(records=5, values=(0.0, 5.0, 12.0, 100.0))
    space = multisets(mechanism.values, 5)
    state = {x: (mechanism.distance(x), mechanism.query(x)) for x in space}
    expected = {(state[x], state[y]) for x in space for y in space if apart(x, y) <= 1}
    assert {(tuple(a), tuple(b)) for a, b in mechanism.states()} == expected


def test_distance_of_the_reciprocal_by_brute_force():
    mechanism = PtrReciprocal()
    sensitive = [count for count in range(60) if local_sensitivity(count) > mechanism.bound]
    for count in range(30):
        assert mechanism.distance_of(count) == min(abs(count - other) for other in sensitive)
    for count in range(2, 30):  # both steps that one record can make
        steps = abs(1 / count - 1 / (count - 1)), abs(1 / count - 1 / (count + 1))
        assert local_sensitivity(count) == pytest.approx(max(steps))
    assert PtrReciprocalDistanceToZero().distance((1, 0, 1)) == 2
    assert mechanism.query((0, 0)) == math.inf


def test_propose_test_release_is_tight_in_epsilon_and_twice_in_delta():
    """2 epsilon where d goes from 1 to 0 while q moves by the bound; delta/2 where q moves far."""
    assert PtrReciprocal().exact().delta_at(2.0) == pytest.approx(0.005, abs=1e-6)
    exact = PtrMedian(delta=1e-3).exact()
    assert exact.delta_at(2.0) == pytest.approx(5e-4, rel=1e-3)
    mechanism = PtrReciprocal(delta=1e-3)
    (one,) = {pair for pair in mechanism.states() if (pair[0].distance, pair[1].distance) == (0, 1)}
    assert max(mechanism.hockey(*one, 2.0), mechanism.hockey(*one[::-1], 2.0)) == pytest.approx(0, abs=1e-12)
    assert max(mechanism.hockey(*one, 1.99), mechanism.hockey(*one[::-1], 1.99)) == pytest.approx(6.78e-6, rel=1e-3)
    assert 5.9 < PtrMedianUnitNoise().exact().epsilon_at(0.0051) < 6.0  # (1 + bound) epsilon, beside delta/2
    assert PtrMedianRandomThreshold().exact().delta_at(2.0) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    "mechanism",
    [PtrMedian(), PtrReciprocal(), PtrMedianUnitNoise(), PtrReciprocalOneNoise()],
    ids=lambda m: m.id,
)
def test_propose_test_release_samples(mechanism):
    rng = np.random.default_rng(8)
    for pair in mechanism.neighbours():
        for x in (pair.left, pair.right):
            outputs = mechanism.sample(x, 20_000, rng)
            released = outputs[~np.isnan(outputs)]
            expected = mechanism.release_probability(mechanism.distance(x))
            assert stats.binomtest(len(released), 20_000, expected).pvalue > FALSE_ALARM
            noise = stats.laplace(loc=mechanism.query(x), scale=mechanism.spread)
            edge = -math.inf
            if isinstance(mechanism, PtrReciprocalOneNoise):
                edge = mechanism.query(x) + mechanism.bound * (mechanism.threshold - mechanism.distance(x))
                assert (released > edge).all()
            cut = lambda y, edge=edge, noise=noise: (noise.cdf(y) - noise.cdf(edge)) / noise.sf(edge)  # noqa: E731
            assert fits_density(released, cut) > FALSE_ALARM


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StableMajority(records=6), "records must be odd"),
        (lambda: StableMajority(delta=0), "delta must be a probability strictly between 0 and 1"),
        (lambda: StableVote(epsilon=-1), "epsilon must be a finite number above 0"),
        (lambda: PtrMedian(bound=0), "bound must be a finite number above 0"),
        (lambda: PtrMedian(records=4), "odd number of records"),
        (lambda: StableMedian().sample((9,) * 15, 1, np.random.default_rng(0)), r"records in \[0, 4\]"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()
