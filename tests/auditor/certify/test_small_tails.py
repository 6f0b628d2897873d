"""Tails far below 1e-16, counts beyond 1e7, epsilons beyond e^700: what is said stays an upper bound."""

import math

import mpmath
import numpy as np
import pytest

from auditor import ZCDP, ApproxDP, GaussianDP, UsageError, audit
from auditor.certify import exact, proportions
from auditor.certify.evidence import Evidence, Point, Round
from auditor.certify.exact import Guesses
from auditor.certify.tails import needed_correct, tails


def exact_tail(wrong: float, correct: float, weight: int, counts: Guesses) -> mpmath.mpf:
    """P[R - weight W >= its value in the counts], summed with fifty digits."""
    statistic, n = counts.correct - weight * counts.wrong, counts.trials
    with mpmath.workdps(50):
        p, q = mpmath.mpf(correct), mpmath.mpf(wrong)
        return mpmath.fsum(
            mpmath.binomial(n, w) * mpmath.binomial(n - w, r) * q**w * p**r * (1 - p - q) ** (n - w - r)
            for w in range(n + 1)
            for r in range(max(0, statistic + weight * w), n - w + 1)
        )


@pytest.mark.parametrize(
    ("wrong", "correct", "weight", "counts"),
    [
        (0.3, 0.6, 1, Guesses(60, 0, 60)),  # few wrong guesses: their probability is below 1e-16 of the rest
        (0.5, 0.4, 2, Guesses(50, 4, 60)),
        (0.05, 0.1, 3, Guesses(55, 0, 60)),
        (0.9, 0.05, 1, Guesses(30, 10, 60)),
        (0.7, 0.2, 1, Guesses(40, 0, 40)),
        (1e-12, 1e-9, 1, Guesses(4, 0, 60)),
        (1e-9, 0.2, 1, Guesses(50, 3, 60)),
    ],
)
def test_a_tail_far_below_the_digits_of_one_is_still_an_upper_bound(wrong, correct, weight, counts):
    expected = float(exact_tail(wrong, correct, weight, counts))
    assert 0 < expected < 1e-12
    found = tails([wrong], [correct], float(weight), counts, width=40.0)[0]
    assert expected <= found <= 1.001 * expected


@pytest.mark.parametrize("tail", [1e-3, 1e-12, 1e-40, 1e-99])
@pytest.mark.parametrize("trials", [50, 10**4, 10**6, 10**9])
def test_both_tails_of_a_count_are_carried_to_the_least_alpha(trials, tail):
    """The confidence set's two ends have the probability that they were asked for."""
    count = trials // 3
    low, high = proportions.interval(count, trials, 2 * tail)
    assert proportions.at_least(count, trials, low) == pytest.approx(tail, rel=1e-6)
    assert proportions.fewer_than(count + 1, trials, high) == pytest.approx(tail, rel=1e-6)


@pytest.mark.parametrize("level", [1e-12, 1e-30, 1e-100])
def test_a_tiny_level_rejects_what_is_far_out_and_nothing_else(level):
    far, near = Guesses(9_000, 100, 10_000), Guesses(5_000, 1_800, 10_000)
    assert exact.p_value(far, 1.0, 0.01, math.e, level) <= level
    assert exact.p_value(near, 1.0, 0.01, math.e, level) == 1.0
    assert 1.0 < exact.epsilon_lower(far, 0.01, math.e, level) < math.log(0.89 / 0.01)


def test_an_alpha_below_what_is_carried_is_refused():
    with pytest.raises(UsageError, match="alpha must be at least 1e-100, got alpha=1e-101"):
        audit(lambda d, n, rng: rng.random(n), ApproxDP(1.0), [(0, 1)], trials=100, alpha=1e-101)


@pytest.mark.parametrize("size", [10, 10**7, 10**9, 10**12, 2**50])
@pytest.mark.parametrize("weight", [1.0, 3.0, math.e, 1 + 2**-40, math.exp(30)])
def test_the_needed_correct_guesses_are_never_too_many(size, weight):
    """Compared in exact whole-number arithmetic: the fewest R with R - weight W >= T, or one fewer."""
    counts = Guesses(size // 2 + 1, size // 5, size)
    starts = np.unique(np.array([0, counts.wrong - 1, counts.wrong, counts.wrong + 1, 2 * counts.wrong + 3, size // 2]))
    top, bottom = weight.as_integer_ratio()
    for start, found in zip(starts.tolist(), needed_correct(starts, weight, counts).tolist(), strict=True):
        needed = counts.correct - (top * (counts.wrong - start)) // bottom
        if -size <= needed <= size:
            assert needed - 1 - 2e-15 * size * weight <= found <= needed
        else:
            assert (found > size - start) == (needed > size - start)
    assert needed_correct(np.array([counts.wrong]), weight, counts)[0] == counts.correct


@pytest.mark.parametrize(
    "claim", [GaussianDP(35), GaussianDP(40), GaussianDP(1e3), ZCDP(700), ZCDP(1e5), GaussianDP(1)]
)
def test_every_tested_point_is_implied_by_the_claim(claim):
    assert claim.points()
    for epsilon, delta in claim.points():
        assert epsilon < math.inf
        assert delta >= claim.delta_at(epsilon)


def test_a_claim_beyond_all_powers_is_tested_at_its_own_point_and_never_refuted():
    def told(d, n, rng):
        return np.full(n, float(d))

    for claim in (ApproxDP(1000.0), ApproxDP(1000.0, 0.1), GaussianDP(60), ZCDP(1e5)):
        result = audit(told, claim, [(0, 1)], trials=500, views=("values",))
        assert not result.refuted
        assert (result.witness.epsilon, result.witness.delta) in claim.points()


def test_evidence_at_a_huge_epsilon_only_loses():
    for epsilon in (690.0, 705.0, 1e6):
        evidence = Evidence([Point(epsilon, 0.1)])
        evidence.add(Round(1000, 0, 1000, 1))
        assert evidence.log_value <= 1e-12
        evidence.add(Round(1000, 1, 1001, 1))
        assert evidence.log_value < 0
