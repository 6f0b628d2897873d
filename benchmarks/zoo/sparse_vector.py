"""The sparse vector technique in the six versions that Lyu, Su and Li 2017 compare, on ten queries.

Outputs are 1 (above), 0 (below) and -1 (not asked any more); where the noisy value is released, it, and ⊥
(NaN) for all else: the cut-off comes after the last value, so nothing is lost.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.core import quadrature
from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from mechanisms.core import checks
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise

_PAPER = "Lyu, Su, Li 2017, Algorithm "


def cut_off(above: Outputs, most: int) -> Outputs:
    """True where a query is still asked: fewer than `most` earlier ones were above."""
    earlier = np.cumsum(above, axis=1, dtype=np.int16) - above
    return np.asarray(earlier < most)


@dataclass(frozen=True)
class SparseVector(ZooMechanism):
    """A noisy threshold, noisy answers, and a stop after `most` answers above it."""

    most: int = 1

    length: ClassVar[int] = 10
    threshold: ClassVar[float] = 1.0
    threshold_share: ClassVar[float] = 0.5
    stops: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("most", self.most)

    @property
    def threshold_scale(self) -> float:
        """1 / epsilon_1: the threshold's part of the budget."""
        return 1 / (self.threshold_share * self.epsilon)

    @property
    def query_scale(self) -> float:
        """2 c / epsilon_2: the queries' part of the budget."""
        return 2 * self.most / self.query_epsilon

    @property
    def query_epsilon(self) -> float:
        """epsilon_2 = epsilon - epsilon_1."""
        return (1 - self.threshold_share) * self.epsilon

    def noisy(self, dataset: Any, n: int, rng: np.random.Generator) -> tuple[Outputs, Outputs]:
        """The noisy answers, and which of them are above the noisy threshold."""
        bar = self.threshold + laplace_noise(self.threshold_scale, (n, 1), rng)
        values = np.broadcast_to(answers(dataset, self.length), (n, self.length))
        if self.query_scale:
            values = values + laplace_noise(self.query_scale, (n, self.length), rng)
        return values, values >= bar

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Ten answers of 1, 0 or -1."""
        _, above = self.noisy(dataset, n, rng)
        outputs = above.astype(np.int8)
        if self.stops:
            outputs[~cut_off(above, self.most)] = -1
        return outputs

    def law(self, dataset: Any) -> list[float] | None:
        """By quadrature over the eleven places of the first answer above, when that is the last."""
        if self.most > 1 or not self.stops:
            return None
        return quadrature.first_above(dataset, self.threshold, self.threshold_scale, self.query_scale)

    def reachable(self) -> float | None:
        """The largest ratio of its law."""
        if self.most > 1 or not self.stops:
            return None
        laws = ((self.law(pair.left), self.law(pair.right)) for pair in self.neighbours())
        return max(quadrature.largest_ratio(left or [], right or []) for left, right in laws)


class SVT1(SparseVector):
    """The authors' version."""

    id: ClassVar[str] = "SVT1"
    title: ClassVar[str] = "sparse vector"
    source: ClassVar[str] = _PAPER + "1"
    published: ClassVar[Published | None] = Published(0.0858, "DP-Sniper LR")
    trials: ClassVar[int] = 100_000_000
    threshold: ClassVar[float] = 0.5

    def truth(self) -> Truth:
        """They prove it."""
        return Truth(self.epsilon, "the theorem, approached as the queries grow many")


class SVT2(SparseVector):
    """Dwork and Roth 2014: the threshold is drawn again after each answer above it, at c times the scale."""

    id: ClassVar[str] = "SVT2"
    title: ClassVar[str] = "sparse vector, fresh thresholds"
    source: ClassVar[str] = _PAPER + "2"
    published: ClassVar[Published | None] = Published(0.0859, "DP-Sniper LR")
    trials: ClassVar[int] = 100_000_000

    @property
    def threshold_scale(self) -> float:
        """c / epsilon_1."""
        return self.most / (self.threshold_share * self.epsilon)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Query by query, for all trials at once."""
        values = answers(dataset, self.length) + laplace_noise(self.query_scale, (n, self.length), rng)
        outputs = np.full((n, self.length), -1, dtype=np.int8)
        bar = laplace_noise(self.threshold_scale, n, rng)
        found = np.zeros(n, dtype=np.int16)
        for j in range(self.length):
            asked = found < self.most
            above = (values[:, j] >= bar + self.threshold) & asked
            outputs[:, j] = np.where(asked, above, -1)
            found += above
            if self.most > 1:
                bar[above] = laplace_noise(self.threshold_scale, int(above.sum()), rng)
        return outputs

    def truth(self) -> Truth:
        """As for the first version."""
        return Truth(self.epsilon, "the theorem, approached as the queries grow many")


class SVT3(SparseVector):
    """Broken (Roth 2011): answers above come with their noisy value, and the query noise is half."""

    id: ClassVar[str] = "SVT3"
    title: ClassVar[str] = "sparse vector outputs the noisy value"
    source: ClassVar[str] = _PAPER + "3"
    published: ClassVar[Published | None] = Published(0.182, "DP-Sniper MLP")
    trials: ClassVar[int] = 50_000_000

    @property
    def query_scale(self) -> float:
        """Broken: c / epsilon_2."""
        return self.most / self.query_epsilon

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The noisy value where it is above and still asked, else ⊥."""
        values, above = self.noisy(dataset, n, rng)
        return np.where(above & cut_off(above, self.most), values, np.nan)

    def truth(self) -> Truth:
        """The value bounds the threshold, so each answer below it counts."""
        return Truth(math.inf, "grows with the number of queries below the released value")

    def law(self, dataset: Any) -> list[float] | None:
        """The place of the first answer above and its noisy value."""
        if self.most > 1:
            return None
        return quadrature.first_values(dataset, self.threshold, self.threshold_scale, self.query_scale)

    def reachable(self) -> float | None:
        """Ten factors of e^epsilon_2: in the lower tail, nine answers below a very low tenth."""
        return self.length * self.query_epsilon if self.most == 1 else None


class SVT4(SparseVector):
    """Broken (Lee and Clifton 2014): the query noise does not grow with c."""

    id: ClassVar[str] = "SVT4"
    title: ClassVar[str] = "sparse vector, noise not scaled"
    source: ClassVar[str] = _PAPER + "4"
    published: ClassVar[Published | None] = Published(0.172, "StatDP-Fixed")
    trials: ClassVar[int] = 150_000_000
    threshold_share: ClassVar[float] = 0.25

    @property
    def query_scale(self) -> float:
        """Broken: 1 / epsilon_2."""
        return 1 / self.query_epsilon

    def truth(self) -> Truth:
        """They prove it."""
        return Truth(
            (1 + 6 * self.most) / 4 * self.epsilon,
            "((1 + 6 c) / 4) epsilon, approached as the queries grow many",
        )


class SVT5(SparseVector):
    """Broken (Stoddard, Chen and Machanavajjhala 2014): no noise on the queries, no cut-off."""

    id: ClassVar[str] = "SVT5"
    title: ClassVar[str] = "sparse vector without query noise"
    source: ClassVar[str] = _PAPER + "5"
    published: ClassVar[Published | None] = Published(14.3, "StatDP-Fixed")
    trials: ClassVar[int] = 120_000_000
    stops: ClassVar[bool] = False

    @property
    def query_scale(self) -> float:
        """Broken: none."""
        return 0.0

    def truth(self) -> Truth:
        """Two answers in the wrong order are impossible."""
        return Truth(math.inf, "a larger answer below and a smaller one above is impossible")

    def reachable(self) -> float:
        """Infinite on the half-and-half pair."""
        return math.inf


class SVT6(SparseVector):
    """Broken (Chen, Xiao, Zhang and Xu 2015): no cut-off."""

    id: ClassVar[str] = "SVT6"
    title: ClassVar[str] = "sparse vector without cut-off"
    source: ClassVar[str] = _PAPER + "6"
    published: ClassVar[Published | None] = Published(0.322, "StatDP-Fixed")
    trials: ClassVar[int] = 10_000_000
    stops: ClassVar[bool] = False

    @property
    def query_scale(self) -> float:
        """1 / epsilon_2."""
        return 1 / self.query_epsilon

    def truth(self) -> Truth:
        """Every query answers."""
        return Truth(math.inf, "grows with the number of queries")

    def reachable(self) -> float:
        """By quadrature over how many answers are above in each group of queries that move alike."""
        scales = self.threshold_scale, self.query_scale
        worst = 0.0
        for pair in self.neighbours():
            groups = Counter(zip(pair.left, pair.right, strict=True))
            left, right = zip(*groups, strict=True)
            sizes = list(groups.values())
            worst = max(
                worst,
                quadrature.largest_ratio(
                    quadrature.counts_above(left, sizes, self.threshold, *scales),
                    quadrature.counts_above(right, sizes, self.threshold, *scales),
                ),
            )
        return worst
