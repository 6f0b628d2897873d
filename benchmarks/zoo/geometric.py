"""The truncated geometric mechanism on a finite computer."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from mechanisms.core.mechanism import Outputs


class TruncatedGeometric(ZooMechanism):
    """A count of 5 people with two-sided geometric noise, clamped to 0..5, by whole numbers only."""

    id: ClassVar[str] = "TruncatedGeometric"
    title: ClassVar[str] = "truncated geometric mechanism"
    source: ClassVar[str] = "Balcer, Vadhan 2018, Algorithm 4.8, with the natural logarithm as in DP-Sniper"
    published: ClassVar[Published | None] = Published(0.1169, "StatDP-Fixed")
    trials: ClassVar[int] = 30_000_000
    people: ClassVar[int] = 5
    note: ClassVar[str] = "With the logarithm to base 2 the claim would hold; with the natural one it fails at 0.1."

    @property
    def k(self) -> int:
        """The noise decays by 2^k / (2^k + 1) a step, k = ceil(ln(2 / epsilon)) (Theorem 4.7)."""
        return math.ceil(math.log(2 / self.epsilon))

    def cumulative(self, count: int) -> list[int]:
        """P[output <= z] for z = 0..5, in units of 1 / ((2^(k+1) + 1) (2^k + 1)^4).

        With a = 2^k / (2^k + 1): P[output <= z] = a^(count - z) / (1 + a) below the count and
        1 - a^(z - count + 1) / (1 + a) from the count on.
        """
        top, bottom, n = 2**self.k, 2**self.k + 1, self.people
        whole = (top + bottom) * bottom ** (n - 1)
        low = [top ** (count - z) * bottom ** (n - (count - z)) for z in range(count)]
        high = [whole - top ** (z - count + 1) * bottom ** (n - 1 - (z - count)) for z in range(count, n)]
        return [*low, *high, whole]

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The smallest z whose cumulative weight covers a uniform whole number."""
        steps = self.cumulative(int(answers(dataset, 1)[0]))
        draws = rng.integers(1, steps[-1] + 1, n)
        return np.searchsorted(np.array(steps), draws).astype(np.int8)

    def truth(self) -> Truth:
        """Attained at every output."""
        return Truth(math.log1p(2.0**-self.k), "the decay of a step is e^-epsilon = 2^k / (2^k + 1)")

    def reachable(self) -> float:
        """Every pair is equally bad."""
        return self.truth().epsilon
