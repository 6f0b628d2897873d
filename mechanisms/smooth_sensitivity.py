"""The median with noise fitted to its smooth sensitivity (004 Section 15.1.1, Prop 15.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ZCDP, NumericProfile, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.laplace_log_normal import hockey, log_normal_noise
from mechanisms.median import Sorted, in_order, median, sensitivity_at_distance, smooth_sensitivity


@dataclass(frozen=True)
class SmoothMedian(Mechanism):
    """f(x) + S_f^t(x)/s LLN(sigma), f the median of an odd number of records from a short list of values."""

    sigma: float = 0.5
    t: float = 0.1
    s: float = 0.2
    records: int = 5
    values: tuple[float, ...] = (0.0, 1.0, 2.0, 3.0, 4.0)

    id: ClassVar[str] = "smooth-sensitivity"
    title: ClassVar[str] = "median with noise for its smooth sensitivity"
    source: ClassVar[str] = "004 Prop 15.1"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("sigma", self.sigma)
        checks.positive("t", self.t)
        checks.positive("s", self.s)
        checks.whole("records", self.records, least=3)
        self.ordered(self.values[:1] * self.records)

    @property
    def claim(self) -> ZCDP:
        """epsilon^2/2-CDP for epsilon = t/sigma + e^(3 sigma^2 / 2) s (004 Prop 15.1)."""
        epsilon = self.t / self.sigma + math.exp(1.5 * self.sigma**2) * self.s
        return ZCDP(epsilon**2 / 2)

    def ordered(self, dataset: Sequence[float]) -> Sorted:
        """The records in order, checked."""
        return in_order(dataset, min(self.values), max(self.values))

    def sensitivity(self, x: Sorted) -> float:
        """S_f^t(x), exact."""
        return smooth_sensitivity(x, self.t)

    def spread(self, x: Sorted) -> float:
        """S_f^t(x) / s, by which the noise is stretched."""
        return self.sensitivity(x) / self.s

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(x) + (1/s) S_f^t(x) Z."""
        x = self.ordered(dataset)
        noise = log_normal_noise(self.sigma, n, rng)
        noise *= self.spread(x)
        noise += median(x)
        return noise

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The median moves by its smooth sensitivity; the spread moves by e^t; an ordinary pair."""
        half, values = self.records // 2, sorted(self.values)
        low, middle, near, high = values[0], values[len(values) // 2], values[-2], values[-1]
        return (
            NeighbourPair(
                (low,) * (half + 1) + (high,) * half,
                (low,) * half + (high,) * (half + 1),
                Relation.REPLACE_ONE,
                "the median moves by its smooth sensitivity, which stays",
            ),
            NeighbourPair(
                (low,) * half + (near,) * (half + 1),
                (low,) * (half + 1) + (near,) * half,
                Relation.REPLACE_ONE,
                "the median moves by its smooth sensitivity, which grows",
            ),
            NeighbourPair(
                (low,) * (half + 2) + (high,) * (half - 1),
                (low,) * (half + 1) + (high,) * half,
                Relation.REPLACE_ONE,
                "the spread grows by e^t, the local sensitivity from nothing",
            ),
            NeighbourPair(
                (low,) * (half + 1) + (high,) * half,
                (low,) * half + (middle,) + (high,) * half,
                Relation.REPLACE_ONE,
                "the median moves part of the way",
            ),
        )

    def exact(self) -> Profile | None:
        """The worst of all neighbours: Z against a shifted and stretched Z (004 Section 15.1.1)."""
        state: dict[tuple[float, ...], tuple[float, float]] = {}
        for records in combinations_with_replacement(sorted(self.values), self.records):
            x = self.ordered(records)
            state[records] = median(x), self.spread(x)
        moves = set()
        for records, (here, spread) in state.items():
            for old, new in ((old, new) for old in {*records} for new in self.values if new != old):
                rest = list(records)
                rest[rest.index(old)] = new
                there, other = state[tuple(sorted(rest))]
                moves.add((round(abs(there - here) / spread, 12), round(other / spread, 12)))
        shift, ratio = np.array(sorted(moves)).T
        return NumericProfile(lambda e: hockey(self.sigma, shift, ratio, e).max(), "quadrature")


class SmoothMedianUnscaled(SmoothMedian):
    """Mutant: S_f^t(x) Z without its 1/s; the shift is then 1 instead of s."""

    id = "smooth-sensitivity/unscaled"
    of = "smooth-sensitivity"
    title = "smooth sensitivity without the factor 1/s"

    def spread(self, x: Sorted) -> float:
        """Broken: 1/s is missing."""
        return self.sensitivity(x)


class SmoothMedianLocal(SmoothMedian):
    """Mutant: the local sensitivity in place of the smooth one; where it is 0 there is no noise."""

    id = "smooth-sensitivity/local"
    of = "smooth-sensitivity"
    worst = 2
    title = "median with noise for its local sensitivity"

    def sensitivity(self, x: Sorted) -> float:
        """Broken: the local sensitivity jumps from 0 between neighbours."""
        return sensitivity_at_distance(x, 0)

    def exact(self) -> Profile | None:
        """No noise at all against some noise."""
        return certain("where the local sensitivity is 0 there is no noise")


class SmoothMedianSteep(SmoothMedian):
    """Mutant: the sensitivity at distance k is discounted by e^-k, not e^(-t k); the spread jumps by e."""

    id = "smooth-sensitivity/steep"
    of = "smooth-sensitivity"
    worst = 2
    title = "smooth sensitivity that is not as smooth as claimed"

    def sensitivity(self, x: Sorted) -> float:
        """Broken: 1-smooth, where t-smooth was claimed."""
        return smooth_sensitivity(x, 1.0)
