"""False alarms with searched pairs, and a broken twin that certifies what it chose by."""

import math
from itertools import islice

import hypothesis.strategies as st
import numpy as np
from scipy.stats import binom

from auditor import ApproxDP, audit, neighbouring

ALPHA = 0.05
AUDITS = 30
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


def alarms_accepted(alarm, audits):
    """Whether the alarms of so many audits fit a rate of at most alpha; a valid procedure has more with probability
    below 1e-4. It stops where there are too many already."""
    too_many = int(binom.isf(1e-4, audits, ALPHA)) + 1
    return len(list(islice(filter(alarm, range(audits)), too_many))) < too_many


def test_searched_pairs_raise_no_more_alarms_than_alpha():
    assert alarms_accepted(searched, AUDITS)


def test_the_check_catches_a_pair_that_is_certified_on_what_chose_it():
    assert not alarms_accepted(worst_of_many, 12)
