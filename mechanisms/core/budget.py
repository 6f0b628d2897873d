"""A privacy budget that refuses to be overspent (001 "Privacy Budget vs Epsilon")."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Claim
from mechanisms.core.mechanism import Mechanism, Outputs


class BudgetExceededError(ValueError):
    """A query would cost more than what remains; nothing was spent and nothing was drawn."""


class PrivacyBudget:
    """Budget = epsilon_global - epsilon_1 - ... - epsilon_n (001), and the same for delta (000, below Thm 1).

    Amounts are taken as the decimals that they print as and added exactly: ten times 0.1 is 1, and 0.1 + 0.2
    does not exceed 0.3. What was spent comes from basic composition, so it holds for adaptive questions too.
    """

    def __init__(self, epsilon: float, delta: float = 0.0) -> None:
        self.total = ApproxDP(epsilon, delta)
        self._spent: list[tuple[str, ApproxDP]] = []
        self._lock = threading.Lock()

    @property
    def history(self) -> tuple[tuple[str, ApproxDP], ...]:
        """What each spending was for, and what it cost, in order."""
        return tuple(self._spent)

    @property
    def spent(self) -> ApproxDP:
        """The sum of all spendings (001 Thm 1.7)."""
        epsilon, delta = self._sums()
        return ApproxDP(float(epsilon), float(delta))

    @property
    def remaining(self) -> ApproxDP:
        """What was not spent yet."""
        epsilon, delta = self._sums()
        return ApproxDP(float(_decimal(self.total.epsilon) - epsilon), float(_decimal(self.total.delta) - delta))

    def spend(self, claim: Claim, what: str = "") -> ApproxDP:
        """Takes the claim's cost off the budget and returns what remains, or raises and takes nothing."""
        if not isinstance(claim, ApproxDP):
            raise ValueError(f"a budget is spent in (epsilon, delta), got claim={claim}")
        with self._lock:
            epsilon, delta = self._sums()
            epsilon += _decimal(claim.epsilon)
            delta += _decimal(claim.delta)
            if epsilon > _decimal(self.total.epsilon) or delta > _decimal(self.total.delta):
                raise BudgetExceededError(f"a spending must be at most what is left, {self.remaining}, got {claim}")
            self._spent.append((what, claim))
        return self.remaining

    def draw(self, mechanism: Mechanism, dataset: Any, rng: np.random.Generator, n: int = 1) -> Outputs:
        """n outputs of a mechanism, paid for before they are drawn: each of them costs its claim."""
        claim, n = mechanism.claim, checks.whole("n", n)
        if not isinstance(claim, ApproxDP):
            raise ValueError(f"a budget is spent in (epsilon, delta), got claim={claim}")
        cost = ApproxDP(float(n * _decimal(claim.epsilon)), min(1.0, float(n * _decimal(claim.delta))))
        self.spend(cost, getattr(mechanism, "id", type(mechanism).__name__))
        return mechanism.sample(dataset, n, rng)

    def _sums(self) -> tuple[Fraction, Fraction]:
        epsilon = sum((_decimal(claim.epsilon) for _, claim in self._spent), Fraction(0))
        delta = sum((_decimal(claim.delta) for _, claim in self._spent), Fraction(0))
        return epsilon, delta

    def __repr__(self) -> str:
        return f"PrivacyBudget({self.remaining} left of {self.total})"


def _decimal(value: float) -> Fraction:
    """The shortest decimal that prints as this double."""
    return Fraction(repr(value))
