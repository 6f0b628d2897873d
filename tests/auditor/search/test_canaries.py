"""Guesses from scores alone: which canaries, how many, and that no coin is looked at."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.certify.one_run import Guessed
from auditor.search.canaries import ordered
from auditor.search.guess_counts import Null, guess_plan


def test_both_ends_are_guessed_alike_where_scores_are_symmetric() -> None:
    scores = np.random.default_rng(0).normal(size=1000)
    first = ordered(scores)
    guesses = first.guesses[:100]
    assert guesses.sum() == 50
    assert scores[first.places[:100]][guesses].min() > np.quantile(scores, 0.94)
    assert sorted(first.places.tolist()) == list(range(1000))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_end_with_a_long_tail_of_its_own_is_guessed_first(sign: int) -> None:
    """A fifth of the included canaries is remembered: the far end tells more than the other one."""
    rng = np.random.default_rng(1)
    included = rng.random(4000) < 0.5
    remembered = included if sign == 1 else ~included
    scores = rng.normal(size=4000) + sign * 5 * (remembered & (rng.random(4000) < 0.2))
    first = ordered(scores)
    r = 200
    assert (first.guesses[:r] == (sign == 1)).mean() > 0.9
    assert first.correct(included)[r] > 0.95 * r
    ranks = np.argsort(np.argsort(scores))
    balanced = (included[ranks >= 3900].sum() + (~included[ranks < 100]).sum()) / r
    assert first.correct(included)[r] / r > balanced + 0.1


def test_ties_are_not_broken_by_their_place() -> None:
    """A list sorted by what was included must not tell: scores that say nothing get half of the guesses right.

    1,000 guesses of fair coins: more than 600 correct has probability below 1e-9.
    """
    included = np.arange(1000) < 500
    assert 400 < ordered(np.zeros(1000)).correct(included)[1000] < 600


def test_the_order_is_a_function_of_the_scores() -> None:
    scores = np.random.default_rng(2).exponential(size=500)
    one, two = ordered(scores), ordered(scores.copy())
    assert np.array_equal(one.places, two.places)
    assert np.array_equal(one.guesses, two.guesses)
    assert np.array_equal(ordered(np.append(scores, np.inf)).guesses[:1], [True])


def test_shares_of_a_plan_add_up_to_the_level() -> None:
    for null in (Null.gaussian(0.5), Null.approximate(1.0, 1e-5)):
        for canaries in (10, 100, 5000):
            found = guess_plan(null, canaries, 0.05)
            assert sum(found.shares) == pytest.approx(1.0)
            assert all(1 <= r <= canaries for r in found.guesses)


def test_a_plan_pays_for_its_menu() -> None:
    null, canaries = Null.gaussian(0.5), 1000
    found = guess_plan(null, canaries, 0.05)
    p, _ = found.p_value(null, canaries, lambda r: round(0.8 * r))
    singles = [null.p_value(Guessed(canaries, r, round(0.8 * r))) for r in found.guesses]
    assert p > min(singles)
    assert found.rejects(null, canaries, lambda r: round(0.8 * r), p * 1.01)
    assert not found.rejects(null, canaries, lambda r: round(0.8 * r), p * 0.99)


def test_planned_numbers_are_near_the_best_in_hindsight() -> None:
    """Normal scores, mu = 0.925: the planned number certifies nearly what the best of all numbers would."""
    rng, m = np.random.default_rng(5), 5000
    included = rng.random(m) < 0.5
    correct = ordered(rng.normal(size=m) + 0.925 * included).correct(included)

    def top(r: int) -> float:
        grid = np.linspace(0.1, 0.9, 81)
        return max(mu for mu in grid if Null.gaussian(mu).rejects(Guessed(m, r, int(correct[r])), 0.045))

    best = max(top(r) for r in (20, 40, 80, 160, 320, 640, 1250))
    planned = guess_plan(Null.gaussian(best), m, 0.05).guesses[0]
    assert top(planned) > 0.85 * best
