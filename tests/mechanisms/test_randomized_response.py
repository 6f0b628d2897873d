import itertools
import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_probabilities
from scipy import stats

from mechanisms.core.catalogue import find
from mechanisms.randomized_response import (
    RandomizedResponse,
    RandomizedResponseDebiased,
    RandomizedResponseLinear,
    RandomizedResponseMean,
    RandomizedResponseMeanSharedCoin,
    RandomizedResponseNoDebias,
    RandomizedResponseSharedCoin,
)


def record_law(dataset, keep):
    """All answers with their probabilities."""
    return {
        answers: math.prod(
            keep if answer == truth else 1 - keep for answer, truth in zip(answers, dataset, strict=True)
        )
        for answers in itertools.product((0, 1), repeat=len(dataset))
    }


def mean_law(dataset, keep):
    law = {}
    for answers, p in record_law(dataset, keep).items():
        mean = sum(answers) / len(answers)
        law[mean] = law.get(mean, 0.0) + p
    return law


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.9])
@pytest.mark.parametrize("identifier", ["randomized-response", "randomized-response/linear-probability"])
def test_records_against_enumeration(identifier, epsilon):
    """One changed record of four: all 16 answers."""
    mechanism = type(find(identifier))(epsilon)
    left, right = (record_law(bits, mechanism.keep) for bits in ((0, 1, 1, 0), (0, 1, 0, 0)))
    for at in (0.0, 0.5 * epsilon, epsilon, 2 * epsilon):
        expected = enumerated_delta(left, right, at)
        assert mechanism.exact().delta_at(at) == pytest.approx(expected, abs=1e-12)


def test_the_mean_of_one_record_is_the_worst():
    mechanism = RandomizedResponseMean()
    for at in (0.0, 0.5, 0.9):
        alone = enumerated_delta(mean_law((0,), mechanism.keep), mean_law((1,), mechanism.keep), at)
        assert mechanism.exact().delta_at(at) == pytest.approx(alone, abs=1e-12)
        for size, ones in itertools.product((2, 5, 8), range(2)):
            left, right = (1,) * ones + (0,) * (size - ones), (1,) * (ones + 1) + (0,) * (size - ones - 1)
            laws = mean_law(left, mechanism.keep), mean_law(right, mechanism.keep)
            assert enumerated_delta(*laws, at) <= alone + 1e-12


def test_the_mean_of_ten_has_exactly_epsilon():
    """Ledger 001-RR-P: epsilon is attained for every number of records and of ones."""
    for epsilon, ones in itertools.product((0.5, 1.0, 3.0), (0, 4, 9)):
        keep = RandomizedResponseMean(epsilon).keep
        laws = [mean_law((1,) * m + (0,) * (10 - m), keep) for m in (ones, ones + 1)]
        worst = max(abs(math.log(laws[0][mean] / laws[1][mean])) for mean in laws[0])
        assert worst == pytest.approx(epsilon, abs=1e-9)


def test_linear_probability_is_worse_than_claimed():
    """Ledger: 1.0986 at epsilon 1, 3.664 at 1.9."""
    assert RandomizedResponseLinear(1.0).exact().epsilon_at(0.0) == pytest.approx(1.0986, abs=5e-5)
    assert RandomizedResponseLinear(1.9).exact().epsilon_at(0.0) == pytest.approx(3.664, abs=5e-4)


def test_shared_coin_gives_disjoint_outputs():
    pair = RandomizedResponseMean().neighbours()[1]
    for mutant in (RandomizedResponseSharedCoin(), RandomizedResponseMeanSharedCoin()):
        left, right = (
            {tuple(np.atleast_1d(row)) for row in mutant.sample(dataset, 500, np.random.default_rng(1))}
            for dataset in (pair.left, pair.right)
        )
        assert not left & right


def test_sampler_of_the_records():
    dataset = (0, 1, 1, 0)
    weights = [8, 4, 2, 1]
    law = {int(np.dot(answers, weights)): p for answers, p in record_law(dataset, math.e / (1 + math.e)).items()}
    codes = RandomizedResponse().sample(dataset, 100_000, np.random.default_rng(9)) @ weights
    assert fits_probabilities(codes, law) > FALSE_ALARM
    for mutant in (RandomizedResponseLinear(), RandomizedResponseSharedCoin()):
        codes = mutant.sample(dataset, 100_000, np.random.default_rng(9)) @ weights
        assert fits_probabilities(codes, law) < FALSE_ALARM


def test_sampler_of_the_means():
    dataset, epsilon = (0, 1, 1, 0, 0), 1.0
    law = mean_law(dataset, 1 / (1 + math.exp(-epsilon)))
    outputs = RandomizedResponseMean().sample(dataset, 100_000, np.random.default_rng(9))
    assert fits_probabilities(outputs, law) > FALSE_ALARM
    c = (1 + math.e) / (math.e - 1)
    debiased = RandomizedResponseDebiased().sample(dataset, 100_000, np.random.default_rng(9))
    assert np.allclose(debiased, c * (outputs - 1 / (1 + math.e)))


def test_accuracy_theorem_is_loose_and_the_bias_is_as_in_the_ledger():
    """Ledger 001-RR-A: epsilon 1, beta .05, n = 100: .00222. 001-CMP-RR: bias .26894, P .99999983."""
    keep, n = 1 / (1 + math.exp(-1)), 100
    limit = n * math.sqrt(math.log(2 / 0.05) / (2 * n))
    exact = []
    for ones in range(n + 1):
        mean = ones * keep + (n - ones) * (1 - keep)
        law = np.convolve(
            stats.binom.pmf(np.arange(ones + 1), ones, keep),
            stats.binom.pmf(np.arange(n - ones + 1), n - ones, 1 - keep),
        )
        exact.append(law[np.abs(np.arange(n + 1) - mean) >= limit].sum())
    assert exact[50] == pytest.approx(0.00222, abs=5e-6)
    assert max(exact) == pytest.approx(0.002533, abs=5e-7)  # the worst number of ones, still far below beta
    assert 1 - keep == pytest.approx(0.26894, abs=5e-6)
    assert stats.binom.sf(199, 1000, 1 - keep) == pytest.approx(0.99999983, abs=1e-8)


def test_no_debias_is_private_and_wrong():
    """The contract test sees the accuracy; here: its privacy is untouched and its mean is off by the bias."""
    mutant = RandomizedResponseNoDebias()
    assert mutant.exact().epsilon_at(0.0) == pytest.approx(mutant.epsilon)
    outputs = mutant.sample((0,) * 100, 20_000, np.random.default_rng(0))
    assert outputs.mean() == pytest.approx(0.26894, abs=0.005)


def test_bad_parameters():
    with pytest.raises(ValueError, match=r"epsilon must be .*got epsilon=0"):
        RandomizedResponse(0)
    with pytest.raises(ValueError, match="epsilon must be below 2 for a probability, got epsilon=2"):
        RandomizedResponseLinear(2)
