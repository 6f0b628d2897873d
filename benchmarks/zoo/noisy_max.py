"""Report noisy max on five queries: correct with the index, broken with the value."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.core import quadrature
from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise

_PAPER = "Ding, Wang, Wang, Zhang, Kifer 2018, Algorithm "


class ReportNoisyMax(ZooMechanism):
    """What the four share: five noisy answers of scale 2/epsilon."""

    length: ClassVar[int] = 5
    one_sided: ClassVar[bool] = False

    def noisy(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The noisy answers, one row a trial."""
        scale, size = 2 / self.epsilon, (n, self.length)
        noise = scale * rng.standard_exponential(size) if self.one_sided else laplace_noise(scale, size, rng)
        noise += answers(dataset, self.length)
        return noise


class ReportNoisyMax1(ReportNoisyMax):
    """The index of the largest noisy answer, with Laplace noise."""

    id: ClassVar[str] = "RNM1"
    title: ClassVar[str] = "report noisy max"
    source: ClassVar[str] = _PAPER + "5"
    published: ClassVar[Published | None] = Published(0.0925, "DP-Sniper MLP")
    trials: ClassVar[int] = 200_000_000

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """An index from 0 to 4."""
        return np.asarray(self.noisy(dataset, n, rng).argmax(axis=1))

    def truth(self) -> Truth:
        """The theorem's epsilon."""
        return Truth(self.epsilon, "the theorem, approached when the answers lie far apart")

    def reachable(self) -> float:
        """By quadrature over the five outcomes."""
        return max(
            quadrature.largest_ratio(
                quadrature.argmax(pair.left, 2 / self.epsilon, self.one_sided),
                quadrature.argmax(pair.right, 2 / self.epsilon, self.one_sided),
            )
            for pair in self.neighbours()
        )


class ReportNoisyMax2(ReportNoisyMax1):
    """The index of the largest noisy answer, with exponential noise."""

    id: ClassVar[str] = "RNM2"
    title: ClassVar[str] = "report noisy max, exponential noise"
    source: ClassVar[str] = _PAPER + "6"
    published: ClassVar[Published | None] = Published(0.0997, "StatDP-Fixed")
    one_sided: ClassVar[bool] = True
    trials: ClassVar[int] = 400_000_000


class ReportNoisyMax3(ReportNoisyMax):
    """Broken: the largest noisy answer itself, with Laplace noise."""

    id: ClassVar[str] = "RNM3"
    title: ClassVar[str] = "noisy max returns the value"
    source: ClassVar[str] = _PAPER + "7"
    published: ClassVar[Published | None] = Published(0.249, "DP-Sniper MLP")
    trials: ClassVar[int] = 600_000_000

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """A number."""
        return np.asarray(self.noisy(dataset, n, rng).max(axis=1))

    def truth(self) -> Truth:
        """Each of m answers moves the distribution function by its own factor."""
        return Truth(math.inf, "m epsilon / 2 for m queries, so unbounded in m")

    def reachable(self) -> float:
        """All five answers move together: (F(t) / F(t-1))^5 tends to e^(5 epsilon / 2) in the lower tail."""
        return self.length * self.epsilon / 2


class ReportNoisyMax4(ReportNoisyMax3):
    """Broken: the largest noisy answer itself, with exponential noise."""

    id: ClassVar[str] = "RNM4"
    title: ClassVar[str] = "noisy max returns the value, exponential noise"
    source: ClassVar[str] = _PAPER + "8"
    published: ClassVar[Published | None] = Published(0.353, "DP-Sniper MLP")
    one_sided: ClassVar[bool] = True
    trials: ClassVar[int] = 10_000_000

    def truth(self) -> Truth:
        """The supports differ."""
        return Truth(math.inf, "values below the larger answers are impossible on one side")

    def reachable(self) -> float:
        """Infinite, on an event of probability (1 - e^(-epsilon/2))^5."""
        return math.inf
