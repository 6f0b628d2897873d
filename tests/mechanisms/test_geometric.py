import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_probabilities

from mechanisms.core.catalogue import find
from mechanisms.geometric import Geometric, GeometricOneSided, GeometricSquaredRatio


def two_sided(ratio, centre, reach=900):
    return {centre + j: (1 - ratio) / (1 + ratio) * ratio ** abs(j) for j in range(-reach, reach + 1)}


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5, 0.99, 1.0, 1.7])
@pytest.mark.parametrize("sensitivity", [1, 2, 3, 10])
def test_profile_against_enumeration(epsilon, sensitivity):
    ratio = math.exp(-1 / sensitivity)
    expected = enumerated_delta(two_sided(ratio, 0), two_sided(ratio, sensitivity), epsilon)
    assert Geometric(1.0, sensitivity).exact().delta_at(epsilon) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("sensitivity", [1, 3])
def test_mutants_against_enumeration(sensitivity):
    """Ledger: a^2 for a gives 2 epsilon, one-sided 1 - e^-epsilon, both for sensitivities 1 and 3."""
    squared = GeometricSquaredRatio(1.0, sensitivity).exact()
    assert squared.epsilon_at(0.0) == pytest.approx(2.0)
    ratio = math.exp(-1 / sensitivity)
    one_sided = {j: (1 - ratio) * ratio**j for j in range(900)}
    moved = {j + sensitivity: p for j, p in one_sided.items()}
    for epsilon in (0.0, 1.0, 2.5):
        expected = enumerated_delta(one_sided, moved, epsilon)
        assert GeometricOneSided(1.0, sensitivity).exact().delta_at(epsilon) == pytest.approx(expected, abs=1e-12)
    assert find("geometric/sensitivity-forgotten").exact().epsilon_at(0.0) == pytest.approx(3.0)


@pytest.mark.parametrize("mechanism", [Geometric(), Geometric(0.3, 4)])
def test_sampler(mechanism):
    ratio = math.exp(-mechanism.epsilon / mechanism.sensitivity)
    outputs = mechanism.sample((1, 1), 300_000, np.random.default_rng(7))
    assert outputs.dtype == np.int64
    assert fits_probabilities(outputs, two_sided(ratio, 2)) > FALSE_ALARM


def test_sampler_check_catches_the_mutants():
    for mutant in (GeometricSquaredRatio(), GeometricOneSided(), GeometricSquaredRatio(1.03 / 2)):
        outputs = mutant.sample((1, 1), 300_000, np.random.default_rng(7))
        assert fits_probabilities(outputs, two_sided(math.exp(-1), 2)) < FALSE_ALARM


def test_one_sided_sampler():
    ratio = math.exp(-1)
    outputs = GeometricOneSided().sample((1,), 100_000, np.random.default_rng(7))
    assert fits_probabilities(outputs, {1 + j: (1 - ratio) * ratio**j for j in range(900)}) > FALSE_ALARM


@pytest.mark.parametrize(("name", "value"), [("epsilon", 0.0), ("sensitivity", 0), ("sensitivity", 1.5)])
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {name}="):
        Geometric(**{name: value})
