"""Choosing by score, randomized response, sensitivities, losses: naive versions and numbers by hand."""

import itertools
import math

import numpy as np
import pytest

from auditor.notes.exact.adaptive import adaptive_deltas
from auditor.notes.exact.finite import max_divergence
from auditor.notes.exact.gaussian_loss import log_loss_tail, loss_tail
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.responses import answers_law, count_law, error_limit, error_tail
from auditor.notes.exact.selection import ByScore, expected_score, failure, law, permute_and_flip, worst_failure
from auditor.notes.exact.sensitivity import largest_distance, removals, replacements
from mechanisms.laplace import Laplace


def test_the_law_is_the_softmax():
    assert law([1.0, 0.0], epsilon=2.0) == pytest.approx([math.e / (1 + math.e), 1 / (1 + math.e)])
    assert expected_score([1.0, 0.0], epsilon=2.0) == pytest.approx(math.e / (1 + math.e))


def naive_permute_and_flip(scores):
    """Average over all orders of the first outcome that its coin accepts."""
    accept = np.exp((np.asarray(scores) - max(scores)) / 2)
    orders = list(itertools.permutations(range(len(scores))))
    result = np.zeros(len(scores))
    for order in orders:
        left = 1.0
        for r in order:
            result[r] += left * accept[r] / len(orders)
            left *= 1 - accept[r]
    return result


@pytest.mark.parametrize("scores", [[1.0, 0.0], [3.0, 0.0, 0.0, 0.0, 0.0], [2.0, 1.5, -1.0, 2.0]])
def test_permute_and_flip_is_the_average_over_all_orders(scores):
    assert permute_and_flip(scores) == pytest.approx(naive_permute_and_flip(scores), rel=1e-12)
    assert permute_and_flip(scores).sum() == pytest.approx(1.0)


def test_no_scores_fail_more_often_than_the_worst():
    rng = np.random.default_rng(0)
    limit = -2 * (math.log(6) + 1.0)
    found = [failure([0.0, *rng.uniform(2 * limit, 0, 5)], limit) for _ in range(300)]
    at_limit = failure([0.0] + [limit] * 5, limit)
    assert max(found) <= at_limit == pytest.approx(worst_failure(6, 1, 1.0))


def test_the_pair_of_the_score_mechanism_is_worth_nearly_epsilon():
    mechanism = ByScore(epsilon=1.0, size=50)
    (pair,) = mechanism.neighbours()
    cost = max_divergence(mechanism.probabilities(pair.left), mechanism.probabilities(pair.right))
    assert 0.95 < cost <= 1.0


def test_the_number_of_answers_is_a_sum_over_the_answers():
    dataset = (1, 1, 0, 1)
    by_sum = np.zeros(5)
    for place, probability in enumerate(answers_law(0.8, dataset)):
        by_sum[place.bit_count()] += probability
    assert count_law(0.8, 4, 3) == pytest.approx(by_sum)


def test_the_error_tail_by_hand():
    # one record, bit 0, eps = ln 3: the answer is 1 with probability 1/4; debiased 0 -> -1/2, 1 -> 3/2
    epsilon = math.log(3)
    assert error_tail(epsilon, 1, 0, 1.0) == pytest.approx(0.25)
    assert error_tail(epsilon, 1, 0, 0.4) == pytest.approx(1.0)
    assert error_tail(epsilon, 1, 0, 0.5, debiased=False) == pytest.approx(0.25)
    assert error_limit(epsilon, 1, 2 * math.exp(-2)) == pytest.approx(2.0)


def test_sensitivities_by_hand():
    assert largest_distance(sum, replacements((0, 1, 5), 2), 1) == 5
    assert largest_distance(sum, removals((0, 1, 5), 2), 1) == 5
    assert largest_distance(lambda data: [sum(data)] * 4, removals((0, 1), 3), 2) == pytest.approx(2.0)
    pairs = list(replacements((0, 1), 2))
    assert len(pairs) == 4
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) == 1 for pair in pairs)


def test_the_gaussian_loss_is_normal():
    # L ~ N(mu²/2, mu²): at its mean the tail is 1/2
    assert loss_tail(0.7, 0.7**2 / 2) == pytest.approx(0.5)
    assert log_loss_tail(0.1, 30.0) < -40_000


def test_adaptive_composition_never_exceeds_the_sum():
    joint, sums = adaptive_deltas(np.random.default_rng(2), 2000, 0.4, 0.2)
    assert (joint <= sums + 1e-12).all()
    assert joint.max() > 0.05


def test_an_unknown_exact_profile_is_an_error():
    class Unknown(Laplace):
        def exact(self):
            return None

    assert exact_profile(Laplace()).epsilon_at(0.0) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="must be known"):
        exact_profile(Unknown())
