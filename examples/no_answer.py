"""A mechanism that sometimes gives no answer: ⊥ is NaN in a float array, None in a list.

    dp-audit run examples/no_answer.py

Silence is an output like any other. It leaks too, and the audit looks at it.
"""

import math

import numpy as np

from auditor import ApproxDP, NeighbourPair


class CountIfLarge:
    """A noisy count, published only when it is at least `least`."""

    claim = ApproxDP(epsilon=1.0)

    def __init__(self, least):
        self.least = least

    def sample(self, people, n, rng):
        stop = -math.expm1(-self.claim.epsilon)
        count = len(people) + rng.geometric(stop, n) - rng.geometric(stop, n)
        return np.where(count >= self.least, count, np.nan)

    def neighbours(self):
        return [NeighbourPair(list(range(10)), list(range(9)), "add/remove", "the smaller count is just too small")]


count_if_large = CountIfLarge(least=10)
