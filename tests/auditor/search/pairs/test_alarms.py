"""False alarms with searched pairs, and a broken twin that certifies what it chose by."""

import math

import hypothesis.strategies as st
import numpy as np
from scipy.stats import binom

from auditor import ApproxDP, audit, neighbouring

ALPHA = 0.05
AUDITS = 40
PAIRS = neighbouring(st.sampled_from("abc"), relation="local")
TIGHT = ApproxDP(math.log(0.6 / 0.2))
SMALL = {"trials": 150, "alpha": ALPHA, "views": ("values",), "jobs": 1}


def response(answer, n, rng):
    """Randomized response: its epsilon is log 3 on every pair of different answers."""
    return np.where(rng.random(n) < 0.4, "abc".index(answer), rng.integers(0, 3, n))


def searched(seed):
    return audit(response, TIGHT, PAIRS, seed=seed, **SMALL).refuted


def worst_of_many(seed):
    """Broken: many pairs are audited, each at all of alpha, and the worst is reported."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    return any(
        audit(response, TIGHT, [pair], seed=1000 * seed + try_, **SMALL).refuted for try_ in range(25) for pair in pairs
    )


def accepted(alarms, audits):
    """Whether so many alarms fit a rate of at most alpha; a valid procedure fails with probability below 1e-4."""
    return alarms <= binom.isf(1e-4, audits, ALPHA)


def test_searched_pairs_raise_no_more_alarms_than_alpha():
    assert accepted(sum(searched(seed) for seed in range(AUDITS)), AUDITS)


def test_the_check_catches_a_pair_that_is_certified_on_what_chose_it():
    assert not accepted(sum(worst_of_many(seed) for seed in range(12)), 12)
