"""Exact tests at counts beyond 2^31, where 32-bit arithmetic would refute anything."""

import math

import pytest
from scipy import stats

from auditor.certify import exact, power
from auditor.certify.exact import Guesses

SIZES = [10**6, 10**9, 2**31 + 10, 10**10, 10**12]


@pytest.mark.parametrize("size", SIZES)
def test_the_binomial_tail(size):
    share = 1 / (1 + math.exp(-1.0))
    right = round(size * share + 2 * math.sqrt(size * share * (1 - share)))
    found = exact.binomial_p_value(right, size - right, 1.0)
    assert found == pytest.approx(stats.binom.sf(right - 1, size, share), rel=1e-6)
    assert found == pytest.approx(stats.norm.sf(2), rel=0.02)  # as near as the normal law is


@pytest.mark.parametrize("size", SIZES)
def test_the_trinomial_tail_is_that_of_the_same_rare_events_among_fewer(size):
    """271 leaks are allowed; how many refute does not depend on the draws among which they come."""
    cost = 271 / size

    def refuted(right):
        return exact.trinomial_p_value(Guesses(right, 0, size), 1.0, cost, math.exp(10), 0.007) <= 0.007

    least = next(right for right in range(271, 400) if refuted(right))
    assert least == 313
    assert not refuted(270)


@pytest.mark.parametrize("size", SIZES[:-1])
def test_what_could_have_been_refuted(size):
    counts = Guesses(round(0.6 * size), round(0.2 * size), size)
    found = power.detectable_pure(counts, power.Budget(size // 10, size, 0.003, 0.007), 1.0)
    assert 1 < found < 1 + 14 / math.sqrt(size)
