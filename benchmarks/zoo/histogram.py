"""A histogram of five cells with Laplace noise, and with the noise inverted."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from benchmarks.zoo.patterns import Moves
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise


class NoisyHist1(ZooMechanism):
    """Each cell + Lap(1/epsilon)."""

    id: ClassVar[str] = "NoisyHist1"
    title: ClassVar[str] = "noisy histogram"
    source: ClassVar[str] = "Ding, Wang, Wang, Zhang, Kifer 2018, Algorithm 9"
    published: ClassVar[Published | None] = Published(0.0994, "StatDP-Fixed")
    trials: ClassVar[int] = 100_000_000
    length: ClassVar[int] = 5
    moves: ClassVar[Moves] = Moves.ONE_DIFFERS

    @property
    def scale(self) -> float:
        """1 / epsilon."""
        return 1 / self.epsilon

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Five numbers."""
        return answers(dataset, self.length) + laplace_noise(self.scale, (n, self.length), rng)

    def truth(self) -> Truth:
        """A record is in one cell."""
        return Truth(1 / self.scale, "one cell moves by 1 under Laplace noise of this scale")

    def reachable(self) -> float:
        """Every pair is equally bad."""
        return 1 / self.scale


class NoisyHist2(NoisyHist1):
    """Broken: each cell + Lap(epsilon), the scale inverted."""

    id: ClassVar[str] = "NoisyHist2"
    title: ClassVar[str] = "noisy histogram, noise inverted"
    source: ClassVar[str] = "Ding, Wang, Wang, Zhang, Kifer 2018, Algorithm 10"
    published: ClassVar[Published | None] = Published(
        10.0,
        "StatDP-Fixed",
        "logged 10.0022, above the truth: one of the one in ten that a 90 % bound allows",
    )
    trials: ClassVar[int] = 10_000_000
    views: ClassVar[tuple[str, ...]] = ("values", "bits")

    @property
    def scale(self) -> float:
        """Broken: epsilon instead of 1 / epsilon."""
        return self.epsilon

    def truth(self) -> Truth:
        """1/epsilon by the mathematics alone, and the bits are looked at, too."""
        return Truth(
            math.inf, "on doubles the supports differ, as FloatLaplace's do; the values alone have 1 / epsilon"
        )

    def reachable(self) -> float:
        """Infinite: near 0 an empty cell leaves finer doubles than a full one can."""
        return math.inf
