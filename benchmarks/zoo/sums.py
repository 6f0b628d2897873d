"""Sums over ten values: partial, prefix and smart, with their broken twins."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from benchmarks.zoo.patterns import Moves
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise

_CHECKDP = "CheckDP (Wang, Ding, Kifer, Zhang 2020)"


class PartialSum(ZooMechanism):
    """The sum of ten values + Lap(1/epsilon); one value differs."""

    id: ClassVar[str] = "PartialSum"
    title: ClassVar[str] = "partial sum"
    source: ClassVar[str] = _CHECKDP
    trials: ClassVar[int] = 10_000_000
    length: ClassVar[int] = 10
    moves: ClassVar[Moves] = Moves.ONE_DIFFERS

    @property
    def scale(self) -> float:
        """1 / epsilon."""
        return 1 / self.epsilon

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """One number."""
        return np.asarray(answers(dataset, self.length).sum() + laplace_noise(self.scale, n, rng))

    def truth(self) -> Truth:
        """The sum moves by 1."""
        return Truth(1 / self.scale, "the sum moves by 1 under Laplace noise of this scale")

    def reachable(self) -> float:
        """Every pair is equally bad."""
        return 1 / self.scale


class BadPartialSum(PartialSum):
    """Broken: half the noise."""

    id: ClassVar[str] = "BadPartialSum"
    title: ClassVar[str] = "partial sum, half the noise"

    @property
    def scale(self) -> float:
        """Broken: 1 / (2 epsilon)."""
        return 1 / (2 * self.epsilon)


class PrefixSum(ZooMechanism):
    """Broken: running sums of values + Lap(1/epsilon) each, when all ten values may differ."""

    id: ClassVar[str] = "PrefixSum"
    title: ClassVar[str] = "prefix sum, all values differ"
    source: ClassVar[str] = "Wang, Ding, Wang, Kifer, Zhang 2019, on DP-Sniper's pairs"
    published: ClassVar[Published | None] = Published(0.577, "DP-Sniper MLP")
    trials: ClassVar[int] = 5_000_000
    length: ClassVar[int] = 10
    note: ClassVar[str] = "The claim holds when one value differs; the published pairs let all of them differ."

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Ten running sums."""
        noisy = answers(dataset, self.length) + laplace_noise(1 / self.epsilon, (n, self.length), rng)
        return np.cumsum(noisy, axis=1, out=noisy)

    def truth(self) -> Truth:
        """The differences are ten independent Laplace mechanisms."""
        return Truth(self.length * self.epsilon, "ten independent Laplace mechanisms, in their differences")

    def reachable(self) -> float:
        """On the pairs where all ten move."""
        return self.length * self.epsilon


class PrefixSumOne(PrefixSum):
    """Correct: the same running sums when one value differs."""

    id: ClassVar[str] = "PrefixSumOne"
    title: ClassVar[str] = "prefix sum, one value differs"
    source: ClassVar[str] = "Wang, Ding, Wang, Kifer, Zhang 2019"
    published: ClassVar[Published | None] = None
    trials: ClassVar[int] = 4_000_000
    moves: ClassVar[Moves] = Moves.ONE_DIFFERS
    note: ClassVar[str] = ""

    def truth(self) -> Truth:
        """One of the ten Laplace mechanisms moves."""
        return Truth(self.epsilon, "one of ten independent Laplace mechanisms moves")

    def reachable(self) -> float:
        """Attained."""
        return self.epsilon


class SmartSum(ZooMechanism):
    """Running sums in blocks: each value is in one noisy step of its block and in one noisy block total."""

    id: ClassVar[str] = "SmartSum"
    title: ClassVar[str] = "smart sum"
    source: ClassVar[str] = f"Chan, Shi, Song 2011; {_CHECKDP}"
    trials: ClassVar[int] = 4_000_000
    length: ClassVar[int] = 10
    moves: ClassVar[Moves] = Moves.ONE_DIFFERS
    block: ClassVar[int] = 5
    noisy_totals: ClassVar[bool] = True

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Ten running sums; at the end of a block the steps' noise is replaced by that of the block's total.

        As in CheckDP, the total starts again at each block. Parts have scale 2 / epsilon; a value is in two.
        """
        exact = answers(dataset, self.length)
        noise = laplace_noise(2 / self.epsilon, (n, self.length), rng)
        outputs = np.empty((n, self.length))
        running: Outputs | float = 0.0
        total = 0.0
        for j in range(self.length):
            if (j + 1) % self.block == 0:
                running = total + exact[j] + (noise[:, j] if self.noisy_totals else 0.0)
                total = 0.0
            else:
                running = running + exact[j] + noise[:, j]
                total += exact[j]
            outputs[:, j] = running
        return outputs

    def truth(self) -> Truth:
        """Two halves of the budget."""
        return Truth(self.epsilon, "a value is in two parts of epsilon / 2 each; attained")

    def reachable(self) -> float:
        """The first value moves its step and its block's total."""
        return self.epsilon


class BadSmartSum(SmartSum):
    """Broken: the block totals have no noise."""

    id: ClassVar[str] = "BadSmartSum"
    title: ClassVar[str] = "smart sum, totals without noise"
    source: ClassVar[str] = _CHECKDP
    noisy_totals: ClassVar[bool] = False

    def truth(self) -> Truth:
        """The total is in the open."""
        return Truth(math.inf, "the block's total is released as it is")

    def reachable(self) -> float:
        """Infinite, with probability 1."""
        return math.inf
