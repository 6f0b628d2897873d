"""A budget that refuses to be overspent."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from mechanisms import ZCDP, ApproxDP
from mechanisms.core.budget import BudgetExceededError, PrivacyBudget
from mechanisms.core.queries import TEN_ROWS
from mechanisms.histogram import Histogram
from mechanisms.laplace import Laplace
from mechanisms.smooth_sensitivity import SmoothMedian


def test_decimals_add_up_exactly():
    budget = PrivacyBudget(0.3, delta=1e-5)
    budget.spend(ApproxDP(0.1, 1e-6), "first")
    assert budget.spend(ApproxDP(0.2, 9e-6), "second") == ApproxDP(0.0, 0.0)
    assert budget.spent == ApproxDP(0.3, 1e-5)
    assert [what for what, _ in budget.history] == ["first", "second"]


def test_ten_tenths_are_one_and_no_more():
    budget = PrivacyBudget(1.0)
    for _ in range(10):
        budget.spend(ApproxDP(0.1))
    with pytest.raises(BudgetExceededError, match=r"at most what is left, 0-DP, got 1e-17-DP"):
        budget.spend(ApproxDP(1e-17))
    assert len(budget.history) == 10


@pytest.mark.parametrize("claim", [ApproxDP(1.1), ApproxDP(0.5, 1e-9)])
def test_an_overspending_takes_nothing(claim):
    budget = PrivacyBudget(1.0)
    with pytest.raises(BudgetExceededError):
        budget.spend(claim)
    assert budget.remaining == ApproxDP(1.0)
    assert budget.history == ()


def test_drawing_is_paid_for_before_it_happens():
    budget, rng = PrivacyBudget(2.0), np.random.default_rng(1)
    assert budget.draw(Histogram(0.5), TEN_ROWS, rng).shape == (1, 8)
    assert budget.draw(Laplace(0.5), (1, 0), rng, n=3).shape == (3,)
    state = rng.bit_generator.state
    with pytest.raises(BudgetExceededError):
        budget.draw(Laplace(0.5), (1, 0), rng)
    assert rng.bit_generator.state == state
    assert [what for what, _ in budget.history] == ["histogram", "laplace"]
    assert "0-DP left of 2-DP" in repr(budget)


def test_only_epsilon_and_delta_can_be_spent():
    with pytest.raises(ValueError, match=r"got claim=0.5-zCDP"):
        PrivacyBudget(1.0).spend(ZCDP(0.5))
    with pytest.raises(ValueError, match=r"zCDP"):
        PrivacyBudget(1.0).draw(SmoothMedian(), (0,) * 5, np.random.default_rng(0))


def test_threads_cannot_overspend_together():
    budget, refused = PrivacyBudget(1.0), []

    def spend():
        for _ in range(40):
            try:
                budget.spend(ApproxDP(0.01))
            except BudgetExceededError:
                refused.append(1)

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(budget.history) == 100
    assert len(refused) == 60
