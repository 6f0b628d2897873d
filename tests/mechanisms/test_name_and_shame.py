import itertools
import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_probabilities

from mechanisms.name_and_shame import NameAndShame, NameAndShameImputed, NameAndShameTwice


def law(dataset, rate, nothing=None):
    """All outputs with their probabilities."""
    result = {}
    for published in itertools.product((True, False), repeat=len(dataset)):
        output = tuple(x if shown else nothing for x, shown in zip(dataset, published, strict=True))
        p = math.prod(rate if shown else 1 - rate for shown in published)
        result[output] = result.get(output, 0.0) + p
    return result


@pytest.mark.parametrize("delta", [0.01, 0.3, 0.9])
def test_profiles_against_enumeration(delta):
    left, right = (31.0, 45.0, 62.0), (31.0, 45.0, 70.0)
    for epsilon in (0.0, 1.0, 5.0):
        exact = NameAndShame(delta).exact().delta_at(epsilon)
        assert exact == pytest.approx(enumerated_delta(law(left, delta), law(right, delta), epsilon), abs=1e-12)
        rate = min(1.0, 2 * delta)
        exact = NameAndShameTwice(delta).exact().delta_at(epsilon)
        assert exact == pytest.approx(enumerated_delta(law(left, rate), law(right, rate), epsilon), abs=1e-12)
        imputed = law(left, delta, nothing=sum(left) / 3), law(right, delta, nothing=sum(right) / 3)
        exact = NameAndShameImputed(delta).exact().delta_at(epsilon)
        assert exact == pytest.approx(enumerated_delta(*imputed, epsilon), abs=1e-12)


def codes(outputs):
    """Which of three records were published, as one number."""
    return (~np.isnan(outputs)) @ [1, 2, 4]


def test_sampler():
    dataset, delta = (31.0, 45.0, 62.0), 0.2
    expected = {
        sum(1 << i for i, y in enumerate(output) if y is not None): p for output, p in law(dataset, delta).items()
    }
    outputs = NameAndShame(delta).sample(dataset, 200_000, np.random.default_rng(11))
    assert fits_probabilities(codes(outputs), expected) > FALSE_ALARM
    for column, record in zip(outputs.T, dataset, strict=True):
        assert set(column[~np.isnan(column)]) == {record}
    doubled = NameAndShameTwice(delta).sample(dataset, 200_000, np.random.default_rng(11))
    assert fits_probabilities(codes(doubled), expected) < FALSE_ALARM


def test_imputed_fills_the_gaps_with_the_mean():
    outputs = NameAndShameImputed().sample((30.0, 40.0), 1000, np.random.default_rng(0))
    assert set(outputs.ravel()) == {30.0, 35.0, 40.0}


def test_release_probability_as_in_the_ledger():
    """Ledger 002-NS: n = 1000: .6323 at delta 1e-3, .00995 at 1e-5, .9933 at 5e-3."""
    for delta, released in ((1e-3, 0.6323), (1e-5, 0.00995), (5e-3, 0.9933)):
        assert 1 - (1 - delta) ** 1000 == pytest.approx(released, abs=5e-5)
    statement = NameAndShame().accuracy()[0]
    assert statement.probability == pytest.approx(1 - 0.99**50)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, math.nan])
def test_bad_parameters(value):
    with pytest.raises(ValueError, match=r"delta must be .*got delta="):
        NameAndShame(value)
