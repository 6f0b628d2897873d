"""Releasing stable values without noise on them: the distance to instability (004 Section 15.1.4).

The value itself is published when it would survive many changes of records, and ⊥ otherwise; only the test is
noisy. ⊥ is NaN where values are numbers and None where they are labels.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from mechanisms import checks
from mechanisms.claims import ApproxDP, Profile
from mechanisms.laplace import laplace_noise
from mechanisms.mechanism import Mechanism, Outputs
from mechanisms.profiles import finite_profile, laplace_tail, worst


@dataclass(frozen=True)
class StableRelease(Mechanism):
    """f(x) when d(x) + Lap(1/epsilon) > ln(1/delta)/epsilon, else ⊥; d(x) + 1 changes can alter f(x)."""

    epsilon: float = 1.0
    delta: float = 0.01
    records: int = 15

    source: ClassVar[str] = "004 Dist2Instability"
    nothing: ClassVar[float | None] = math.nan
    spared: ClassVar[int] = 1  # the -1 of d(x) = min d(x, x'') - 1

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)
        if checks.whole("records", self.records, least=5) % 2 == 0:
            raise ValueError(f"records must be odd, so that there are no ties, got records={self.records}")

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (004, cases A and B)."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        """1 / epsilon: d has global sensitivity 1 (004 line 1)."""
        return 1 / self.epsilon

    @property
    def threshold(self) -> float:
        """ln(1/delta) / epsilon (004 line 2)."""
        return math.log(1 / self.delta) / self.epsilon

    @abstractmethod
    def value(self, dataset: Any) -> float | str:
        """f(x)."""

    @abstractmethod
    def changes(self, dataset: Any) -> float:
        """The least number of replaced records that gives some x'' with f(x'') != f(x)."""

    def distance(self, dataset: Any) -> float:
        """d(x) = min d(x, x'') - 1 over the x'' with f(x'') != f(x)."""
        return self.changes(dataset) - self.spared

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(x) where the noisy distance passes the test, ⊥ elsewhere (004 line 2)."""
        outputs = np.full(n, self.nothing)
        outputs[self.passes(self.noisy_distance(dataset, n, rng), rng)] = self.value(dataset)
        return outputs

    def noisy_distance(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """d(x) + Lap(1/epsilon) (004 line 1)."""
        noisy = laplace_noise(self.scale, n, rng)
        noisy += self.distance(dataset)
        return noisy

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """d + Lap(1/epsilon) > ln(1/delta)/epsilon (004 line 2)."""
        return np.asarray(noisy > self.threshold)

    def release_probability(self, d: float) -> float:
        """P[d + Lap(1/epsilon) > ln(1/delta)/epsilon]."""
        return laplace_tail((self.threshold - d) / self.scale)

    def exact(self) -> Profile | None:
        """Two values one change apart (case A), or one value and distances one apart (case B).

        Case A gives delta/2 at every epsilon, case B epsilon with delta = 0: exactly (epsilon, delta/2)-DP.
        Walking from the steadiest dataset to an unsteady one passes every pair of consecutive distances.
        """
        most = int(self.changes(self.steadiest()))
        p = [self.release_probability(changes - self.spared) for changes in range(1, most + 1)]
        case_a = finite_profile((p[0], 0, 1 - p[0]), (0, p[0], 1 - p[0]))
        case_b = [finite_profile((a, 1 - a), (b, 1 - b)) for a, b in pairwise(p)]
        return worst((case_a, *case_b), "enumeration")

    @abstractmethod
    def steadiest(self) -> Any:
        """A dataset whose value survives the most changes."""


@dataclass(frozen=True)
class ReversedTest(StableRelease):
    """Broken: the inequalities of case B as 004 prints them, ⊥ above the threshold and f(x) below."""

    def passes(self, noisy: Outputs, rng: np.random.Generator) -> Outputs:
        """Broken: the unstable values are the ones released."""
        return np.asarray(noisy < self.threshold)

    def release_probability(self, d: float) -> float:
        """1 - delta/2 where the value is about to change."""
        return 1 - super().release_probability(d)
