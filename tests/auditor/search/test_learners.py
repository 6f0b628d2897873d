"""Learners find what there is to find: judged by their event's true ratio on fresh draws."""

import math

import numpy as np
import pytest

from auditor.certify.evidence import Point
from auditor.certify.exact import binomial_epsilon
from auditor.events.outputs import canonical, form_of
from auditor.search.learners import sums
from auditor.search.learners.tables import cell_edges
from auditor.search.past import Past
from auditor.search.selection import best_candidate, learners
from auditor.search.utility import Growth, LowerBound

MANY = 200_000


def past_of(sample, size, views=("values",), seed=0):
    rng = np.random.default_rng(seed)
    sides = [sample(dataset, size, rng) for dataset in (0, 1)]
    form = form_of(sides, "m")
    past = Past(views)
    past.add(*(canonical(side, size, "m", form) for side in sides))
    return past, form


def truth(event, sample, form, fresh=MANY):
    """Correct and wrong guesses on fresh draws, as shares of all trials."""
    rng = np.random.default_rng(99)
    left, right = (event.guesses(canonical(sample(d, fresh, rng), fresh, "m", form)) for d in (0, 1))
    return (left[0] + right[1]) / (2 * fresh), (left[1] + right[0]) / (2 * fresh)


WEAK = Point(0.2, 0.0)


def found(sample, size, point=WEAK, views=("values",), utility=None):
    past, form = past_of(sample, size, views)
    proposal = best_candidate(past, [utility or LowerBound(point, 1e6, 0.01)])
    assert proposal is not None
    return proposal.event, truth(proposal.event, sample, form)


def bit(epsilon, dataset, n, rng):
    return np.where(rng.random(n) < 1 / (1 + math.exp(-epsilon)), dataset, 1 - dataset)


def interval(dataset, n, rng):
    """Left is uniform, right likes the middle: no tail shows it, an interval does."""
    middle = rng.uniform(0.4, 0.6, n)
    return np.where((dataset == 1) & (rng.random(n) < 0.5), middle, rng.random(n))


def atoms(dataset, n, rng):
    """The parity of a number up to 9 is a randomized bit."""
    return 2 * rng.integers(0, 5, n) + bit(1.0, dataset, n, rng)


def bottoms(dataset, n, rng):
    """A number that says nothing, and ⊥ more often on the right."""
    return np.where(rng.random(n) < (0.5 if dataset else 0.1), np.nan, rng.normal(size=n))


def independent(dataset, n, rng):
    """Ten coordinates that say a tenth each."""
    return 0.1 * dataset + rng.laplace(0, 1, (n, 10))


def product(dataset, n, rng):
    """Two signs that say nothing alone."""
    first = rng.choice([-1.0, 1.0], n)
    return np.stack([first, first * (2 * bit(1.0, dataset, n, rng) - 1)], axis=1)


def shared_noise(dataset, n, rng):
    """The same large noise on both coordinates: only their difference speaks."""
    noise = rng.normal(0, 50, n)
    return np.stack([noise, noise + dataset + rng.laplace(0, 1, n)], axis=1)


def words(dataset, n, rng):
    return np.array(["no", "yes"])[bit(1.0, dataset, n, rng)]


CASES = {  # draws a side, and the epsilon that a last round of a million flips would certify with the event at least
    "interval": (interval, 4000, 0.8),
    "atoms": (atoms, 4000, 0.9),
    "bottoms": (bottoms, 2000, 0.5),
    "independent": (independent, 20_000, 0.2),
    "product": (product, 4000, 0.9),
    "shared noise": (shared_noise, 4000, 0.8),
    "labels": (words, 2000, 0.9),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_there_is_found(name):
    sample, size, least = CASES[name]
    _, (correct, wrong) = found(sample, size)
    assert binomial_epsilon(round(1e6 * correct), round(1e6 * wrong), 0.01) >= least


@pytest.mark.parametrize("name", ["interval", "independent", "product"])
def test_what_is_not_there_is_not_promised(name):
    """Both sides alike: the best bound promised stays below a ratio of 1, in 20 tries of 20."""
    sample, _, _ = CASES[name]
    for seed in range(20 if name == "interval" else 4):
        past, _ = past_of(lambda dataset, n, rng: sample(0, n, rng), 2000, seed=seed)
        proposal = best_candidate(past, [LowerBound(Point(0.0, 0.0), 1e5, 0.01)])
        assert proposal is None or proposal.value < 0.1


def test_a_plain_event_is_preferred_to_bits_that_tell_as_much():
    """Far apart, the two sides differ in every bit: what is told is the mathematics, unless it is worth nothing."""

    def far_apart(dataset, n, rng):
        return 40.0 + 15 * dataset + rng.laplace(0, 0.3, n)

    for utility in (Growth(Point(1.0, 0.0)), LowerBound(Point(1.0, 0.0), 1e5, 0.01)):
        past, _ = past_of(far_apart, 3000, views=("values", "bits"))
        assert best_candidate(past, [utility]).event.view == "values"
        bits_only, _ = past_of(far_apart, 3000, views=("bits",))
        assert best_candidate(bits_only, [utility]).event.view == "bits"


def test_bits_are_found_in_the_bits_view_only():
    def floats(dataset, n, rng):
        return float(dataset) + rng.laplace(0, 1, n)

    event, (correct, wrong) = found(floats, 2000, Point(1.0, 0.0), ("values", "bits"), Growth(Point(1.0, 0.0)))
    assert event.view == "bits"
    assert correct > 20 * wrong
    event, (correct, wrong) = found(floats, 20_000, Point(1.0, 0.0))
    assert event.view == "values"
    assert correct < 1.01 * math.e * wrong


def test_the_values_view_never_uses_a_bit_of_the_representation():
    rng_sample = lambda dataset, n, rng: dataset + rng.laplace(0, 1, (n, 3))  # noqa: E731
    past, _ = past_of(rng_sample, 3000)
    for learner in learners():
        for scored in learner(past):
            assert scored.view == "values"
            assert "bit" not in str(scored.score.to_dict())


def test_every_learner_only_looks():
    """Learners do not change the past, and the same past gives the same proposal."""
    past, _ = past_of(independent, 2000)
    before = [side.numbers.copy() for side in past.sides()]
    first = best_candidate(past, [Growth(Point(0.1, 0.0))])
    again, _ = past_of(independent, 2000)
    assert best_candidate(again, [Growth(Point(0.1, 0.0))]) == first
    assert all(np.array_equal(a, b.numbers) for a, b in zip(before, past.sides(), strict=True))


def test_the_folder_is_the_list_of_learners():
    names = {learner.__module__.rsplit(".", 1)[-1] for learner in learners()}
    assert {"thresholds", "tables", "sums", "rows", "trees"} <= names


def test_cells_are_cut_where_values_do_not_repeat():
    """Nineteen of twenty draws are 0: the others have cells of their own."""
    rng = np.random.default_rng(0)
    drawn = np.sort(np.where(rng.random(40_000) < 0.95, 0.0, rng.standard_normal(40_000)))
    edges = cell_edges(drawn[::2], drawn[1::2])
    assert len(edges) > 25
    assert {0.0, np.nextafter(0.0, 1.0)} <= set(edges.tolist())
    assert np.median(np.diff(np.searchsorted(drawn, edges))) < 100
    assert set(cell_edges(np.repeat([1.0, 2.0], 50), np.ones(9)).tolist()) == {
        1.0,
        np.nextafter(1.0, 2.0),
        2.0,
        np.nextafter(2.0, 3.0),
    }


def alike(dataset, n, rng):
    """Twelve coordinates with the same noise, each of which hardly says anything."""
    return dataset + rng.laplace(0, 12.0, (n, 12))


def test_coordinates_with_the_same_noise_share_a_table():
    shared, apart = best_ratios(alike)
    assert shared > apart + 0.05  # from few draws a table for each coordinate is mostly noise


def test_coordinates_that_say_opposite_things_need_tables_of_their_own():
    shared, apart = best_ratios(lambda d, n, rng: d * np.resize([1.0, -1.0], 12) + rng.laplace(0, 12.0, (n, 12)))
    assert apart > shared + 0.1


def test_coordinates_in_another_order_have_the_same_sum_to_the_last_bit():
    """Else rounding would decide on which side of a threshold an output stands."""

    def noisy(d, n, rng):
        return np.full(10, d) + rng.laplace(0, 10, (n, 10))

    past, form = past_of(noisy, 4000)
    (score,) = (scored.score for scored in sums.propose(past) if scored.score.one_table)
    numbers = noisy(0, 5000, np.random.default_rng(1))
    forward, backward = (score.of(canonical(rows, 5000, "m", form)) for rows in (numbers, numbers[:, ::-1]))
    assert len(np.unique(forward)) > 100
    np.testing.assert_array_equal(forward, backward)


def best_ratios(sample):
    """What the sum with one table for all coordinates tells, and the best of the other sums."""
    past, _ = past_of(sample, 2000)
    scores = [scored.score for scored in sums.propose(past)]
    return tuple(max(ratio_of(score, sample) for score in scores if score.one_table is one) for one in (True, False))


def ratio_of(score, sample):
    """The log-ratio of the tenth of fresh draws that the score ranks highest."""
    rng = np.random.default_rng(99)
    form = form_of([sample(d, 8, rng) for d in (0, 1)], "m")
    left, right = (score.of(canonical(sample(d, MANY, rng), MANY, "m", form)) for d in (0, 1))
    at = np.quantile(np.concatenate([left, right]), 0.9)
    return math.log(np.mean(left >= at) / np.mean(right >= at))
