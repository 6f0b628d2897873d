"""Clopper and Pearson's bounds: reference values, both tails, arrays as numbers, and their error probability."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from auditor.certify.proportions import interval, lower, upper


def test_intervals_are_clopper_and_pearsons():
    """Reference: R's binom.test(3, 20, conf.level = 0.95) gives [0.03207094, 0.3789268]."""
    low, high = interval(np.array([3.0, 0.0, 20.0]), 20, np.full(3, 0.05))
    assert low == pytest.approx([0.03207094, 0.0, 0.025 ** (1 / 20)], abs=1e-7)
    assert high == pytest.approx([0.3789268, 1 - 0.025 ** (1 / 20), 1.0], abs=1e-7)


@pytest.mark.parametrize("level", [0.3, 1e-3, 1e-9])
def test_they_agree_with_statsmodels(level):
    counts = np.arange(1, 40)
    low, high = proportion_confint(counts, 40, alpha=level, method="beta")
    found = interval(counts, 40, level)
    assert found[0] == pytest.approx(low, rel=1e-9)
    assert found[1] == pytest.approx(high, rel=1e-9)


def misses(bounds, trials, p, level):
    """The probability with which p lies outside, summed over all counts."""
    counts = np.arange(trials + 1)
    low, high = bounds(counts, trials, level)
    return stats.binom.pmf(counts, trials, p)[(p < low) | (p > high)].sum()


@pytest.mark.parametrize("trials", [1, 7, 60])
def test_each_side_misses_the_proportion_with_at_most_its_level(trials):
    grid = np.linspace(0.001, 0.999, 97)
    below = [misses(lambda c, n, a: (lower(c, n, a), np.ones(n + 1)), trials, p, 0.1) for p in grid]
    above = [misses(lambda c, n, a: (np.zeros(n + 1), upper(c, n, a)), trials, p, 0.1) for p in grid]
    assert max(below) <= 0.1 + 1e-12
    assert max(above) <= 0.1 + 1e-12
    assert max(misses(interval, trials, p, 0.1) for p in grid) <= 0.1 + 1e-12


def test_a_normal_interval_would_miss_it_too_often():
    """The broken twin: the estimate and 1.645 of its standard errors (Wald)."""

    def wald(count, n, level):
        share = count / n
        error = stats.norm.isf(level / 2) * np.sqrt(share * (1 - share) / n)
        return share - error, share + error

    assert max(misses(wald, 60, p, 0.1) for p in np.linspace(0.001, 0.999, 97)) > 0.5


def test_the_upper_bound_keeps_its_digits_where_its_complement_has_none():
    """1 - 1e-20 is 1 as a double, so a bound through it would be 1; from 0 of n it is 1 - level^(1/n)."""
    assert float(upper(0, 1000, 1e-20)) == pytest.approx(1 - 1e-20 ** (1 / 1000), rel=1e-12)
