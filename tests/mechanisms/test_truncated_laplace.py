import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, fits_density, quadrature_delta
from scipy import stats

from mechanisms.truncated_laplace import TruncatedLaplace, TruncatedLaplaceClamped, TruncatedLaplaceShort


@pytest.mark.parametrize("parameters", [(1.5, 0.01), (0.1, 1e-3), (1.0, 0.8), (3.0, 0.9)])
@pytest.mark.parametrize("cls", [TruncatedLaplace, TruncatedLaplaceShort])
def test_profile_against_quadrature(cls, parameters):
    mechanism = cls(*parameters)
    shift, cut = mechanism.epsilon, mechanism.cut
    mass = 2 * -math.expm1(-cut)

    def density(y):
        return math.exp(-abs(y)) / mass if abs(y) <= cut else 0.0

    for epsilon in (0.0, shift / 2, shift, 2 * shift):
        between = {
            0.0,
            shift,
            cut,
            -cut,
            shift - cut,
            shift + cut,
            (shift - epsilon) / 2,
            (shift + epsilon) / 2,
        }
        delta = quadrature_delta(density, lambda y: density(y - shift), epsilon, sorted(between))
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(delta, abs=1e-9)


@pytest.mark.parametrize("parameters", [(1.5, 0.01), (0.1, 1e-3), (1.0, 0.6)])
def test_clamped_profile_against_quadrature(parameters):
    """The density by quadrature; each atom lies where the other law has only a density and counts in full."""
    mechanism = TruncatedLaplaceClamped(*parameters)
    shift, cut = mechanism.epsilon, mechanism.cut
    atom = math.exp(-cut) / 2

    def density(y):
        return 0.5 * math.exp(-abs(y)) if abs(y) < cut else 0.0

    for epsilon in (0.0, shift / 2, shift, 2 * shift):
        between = {
            0.0,
            shift,
            cut,
            -cut,
            shift - cut,
            shift + cut,
            (shift - epsilon) / 2,
            (shift + epsilon) / 2,
        }
        smooth = quadrature_delta(density, lambda y: density(y - shift), epsilon, sorted(between))
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(smooth + 2 * atom, abs=1e-9)


def test_ledger_figures():
    assert TruncatedLaplace(1.0, 0.8).exact().delta_at(1.0) == pytest.approx(0.72889, abs=5e-6)
    assert TruncatedLaplaceShort(2.0, 1e-3).exact().delta_at(2.0) == pytest.approx(0.00320, abs=5e-6)
    clamped = TruncatedLaplaceClamped(0.1, 1e-3)
    lower_end = math.exp(0.1 - clamped.cut) / 2
    assert lower_end == pytest.approx(0.01031, abs=5e-6)  # the ledger's figure leaves the upper atom out
    upper_atom = math.exp(-clamped.cut) / 2
    assert clamped.exact().delta_at(0.1) == pytest.approx(lower_end + upper_atom, rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 2.0, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.3, 0.5, 0.7, 0.99])
def test_the_theorem_holds_for_all_parameters(epsilon, delta):
    attained = TruncatedLaplace(epsilon, delta).exact().delta_at(epsilon)
    assert attained <= delta
    if delta <= 0.5:
        assert attained == pytest.approx(delta, rel=1e-12)


def truncated_cdf(mechanism, centre):
    law, cut = stats.laplace, mechanism.cut
    inside = law.cdf(cut) - law.cdf(-cut)

    def cdf(y):
        x = np.clip((np.asarray(y) - centre) / mechanism.scale, -cut, cut)
        return (law.cdf(x) - law.cdf(-cut)) / inside

    return cdf


@pytest.mark.parametrize("mechanism", [TruncatedLaplace(), TruncatedLaplace(0.5, 0.3, 2.0)])
def test_sampler(mechanism):
    dataset = (0, mechanism.sensitivity)
    cdf = truncated_cdf(mechanism, mechanism.sensitivity)
    outputs = mechanism.sample(dataset, 100_000, np.random.default_rng(8))
    assert fits_density(outputs, cdf) > FALSE_ALARM
    assert np.abs(outputs - mechanism.sensitivity).max() <= mechanism.scale * mechanism.cut * (1 + 1e-12)


def test_sampler_check_catches_the_mutants():
    mechanism = TruncatedLaplace(0.5, 0.3)
    cdf = truncated_cdf(mechanism, 1.0)
    for mutant in (TruncatedLaplaceClamped(0.5, 0.3), TruncatedLaplaceShort(0.5, 0.3)):
        assert fits_density(mutant.sample((0, 1), 100_000, np.random.default_rng(8)), cdf) < FALSE_ALARM


def test_clamped_sampler_has_two_atoms():
    """Atoms of e^-cut / 2 at either end, exact binomial test with false-alarm probability 1e-7."""
    mutant, n = TruncatedLaplaceClamped(), 100_000
    noise = mutant.noise(n, np.random.default_rng(8))
    for end in (-mutant.cut, mutant.cut):
        test = stats.binomtest(int((noise == end).sum()), n, math.exp(-mutant.cut) / 2)
        assert test.pvalue > FALSE_ALARM


@pytest.mark.parametrize(("name", "value"), [("epsilon", 0), ("delta", 0), ("delta", 1), ("sensitivity", -1)])
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {name}="):
        TruncatedLaplace(**{name: value})
