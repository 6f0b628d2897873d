"""The theorems that turn claims into claims, held against exact values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mechanisms import ZCDP, ApproxDP, GaussianDP
from mechanisms.core.accounting import (
    advanced_composition,
    basic_composition,
    group_privacy,
    parallel_composition,
    subsampling,
)
from mechanisms.core.profiles import finite_profile, laplace_product_profile
from mechanisms.group_privacy import Chain
from mechanisms.leaky import leaky_composition_profile


def test_basic_composition():
    """000-C0: (.5, .01) + (.3, .02), of which the worst mechanisms need .0298."""
    claim = basic_composition(ApproxDP(0.5, 0.01), ApproxDP(0.3, 0.02))
    assert claim == ApproxDP(0.8, 0.03)
    assert leaky_composition_profile(0.5, 0.01, 2).delta_at(1.0) == pytest.approx(1 - 0.99**2)
    assert basic_composition(*[ApproxDP(0.1)] * 10) == ApproxDP(1.0)
    assert basic_composition(ApproxDP(1, 0.7), ApproxDP(1, 0.6)).delta == 1.0


@pytest.mark.parametrize(
    ("epsilon", "k", "advanced", "exact_response", "exact_laplace"),
    [  # the ledger's table at delta' = 1e-6
        (0.01, 10, 0.1672, 0.0990, 0.0990),
        (0.1, 100, 6.308, 4.775, None),
        (0.5, 100, 58.72, 33.32, None),
        (1.0, 100, 224.4, 83.53, None),
    ],
)
def test_advanced_composition_against_the_table(epsilon, k, advanced, exact_response, exact_laplace):
    claim = advanced_composition(ApproxDP(epsilon), k, 1e-6)
    assert claim.epsilon == pytest.approx(advanced, rel=1e-3)
    assert claim.delta == 1e-6
    exact = leaky_composition_profile(epsilon, 0.0, k)
    assert exact.epsilon_at(1e-6) == pytest.approx(exact_response, rel=1e-3)
    assert exact.epsilon_at(1e-6) <= claim.epsilon
    if exact_laplace is not None:
        assert laplace_product_profile(epsilon, k).epsilon_at(1e-6) == pytest.approx(exact_laplace, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, math.log(2), 2.0])
@pytest.mark.parametrize("k", [1, 7, 40])
@pytest.mark.parametrize(("delta", "slack"), [(0.0, 1e-6), (1e-4, 1e-3), (1e-2, 0.1)])
def test_no_composition_theorem_is_broken_by_the_worst_parts(epsilon, k, delta, slack):
    exact = leaky_composition_profile(epsilon, delta, k)
    for claim in (
        basic_composition(*[ApproxDP(epsilon, delta)] * k),
        advanced_composition(ApproxDP(epsilon, delta), k, slack),
    ):
        assert exact.delta_at(claim.epsilon) <= claim.delta + 1e-12


def test_leaky_composition_is_the_claim_for_one_run():
    exact = leaky_composition_profile(0.7, 0.05, 1)
    for epsilon in (0.0, 0.3, 0.7, 2.0):
        assert exact.delta_at(epsilon) == pytest.approx(ApproxDP(0.7, 0.05).delta_at(epsilon))


def test_parallel_composition_takes_the_largest_of_each():
    assert parallel_composition(ApproxDP(0.5, 0.02), ApproxDP(1.0, 0.01)) == ApproxDP(1.0, 0.02)


@pytest.mark.parametrize(("epsilon", "delta", "k"), [(1.0, 0.005, 3), (1.0, 1e-5, 3), (0.3, 0.01, 5)])
def test_group_privacy_is_attained_by_a_chain(epsilon, delta, k):
    claim = group_privacy(ApproxDP(epsilon, delta), k)
    assert claim.epsilon == pytest.approx(k * epsilon)
    assert claim.delta == pytest.approx(delta * math.expm1(k * epsilon) / math.expm1(epsilon))
    chain = Chain(epsilon, delta)
    assert chain.probability(k) == pytest.approx(claim.delta)  # against 0: a violation of anything less
    assert claim.delta > k * delta
    for count in range(30):  # each single step keeps (epsilon, delta)
        p, q = chain.probability(count), chain.probability(count + 1)
        assert finite_profile((p, 1 - p), (q, 1 - q)).delta_at(epsilon) <= delta + 1e-12
    assert group_privacy(ApproxDP(0.5), 3) == ApproxDP(1.5)


def test_group_delta_of_a_gaussian_exceeds_k_delta():
    """001-P1.2 in the ledger: Gaussian for (1, 1e-5), three records: 7.64e-5 > 3e-5."""
    mu = 1 / 3.73063  # 002 Thm 5.18 for (1, 1e-5)
    assert GaussianDP(mu).delta_at(1.0) == pytest.approx(1e-5, rel=1e-3)
    exact = GaussianDP(3 * mu).delta_at(3.0)
    assert exact == pytest.approx(7.64e-5, rel=1e-2)
    assert exact <= group_privacy(ApproxDP(1.0, 1e-5), 3).delta


def test_subsampling():
    assert subsampling(ApproxDP(1.0, 0.01), 0.1).epsilon == pytest.approx(0.15857, abs=5e-6)
    assert subsampling(ApproxDP(1.0, 0.01), 0.1).delta == pytest.approx(1e-3)
    assert subsampling(ApproxDP(1.0, 0.01), 1.0) == ApproxDP(1.0, 0.01)
    assert subsampling(ApproxDP(1.0, 0.01), 0.0) == ApproxDP(0.0, 0.0)
    for epsilon in np.linspace(0.05, 0.95, 10):  # 000 Lemma 4.1: rate epsilon gives 2 epsilon^2
        assert subsampling(ApproxDP(epsilon), epsilon).epsilon <= 2 * epsilon**2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: basic_composition(ZCDP(1.0)), "take .epsilon, delta. claims, got claim=1-zCDP"),
        (lambda: advanced_composition(ApproxDP(1), 0, 0.1), "k must be a whole number of at least 1"),
        (
            lambda: advanced_composition(ApproxDP(1), 3, 0),
            "slack must be a probability strictly between 0 and 1",
        ),
        (lambda: group_privacy(ApproxDP(1), 0), "k must be a whole number"),
        (lambda: subsampling(ApproxDP(1), 1.5), r"rate must be a probability in \[0, 1\]"),
    ],
)
def test_what_the_theorems_do_not_cover_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
