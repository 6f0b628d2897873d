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

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import Outputs
from mechanisms.core.profiles import finite_profile, worst
from mechanisms.noisy_test import NoisyTest

BEYOND = "case B: beyond the threshold, where ⊥ is rare and nearly e^epsilon times as likely one step nearer"


@dataclass(frozen=True)
class StableRelease(NoisyTest):
    """f(x) when d(x) + Lap(1/epsilon) > ln(1/delta)/epsilon, else ⊥; d(x) + 1 changes can alter f(x)."""

    records: int = 15

    source: ClassVar[str] = "004 Dist2Instability"
    nothing: ClassVar[float | None] = math.nan
    spared: ClassVar[int] = 1  # the -1 of d(x) = min d(x, x'') - 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if checks.whole("records", self.records, least=5) % 2 == 0:
            raise ValueError(f"records must be odd, so that there are no ties, got records={self.records}")

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (004, cases A and B)."""
        return ApproxDP(self.epsilon, self.delta)

    @abstractmethod
    def value(self, dataset: Any) -> float | str:
        """f(x)."""

    @abstractmethod
    def changes(self, dataset: Any) -> float:
        """The least number of replaced records that gives some x'' with f(x'') != f(x)."""

    @abstractmethod
    def steadiest(self) -> Any:
        """A dataset whose value survives the most changes."""

    def distance(self, dataset: Any) -> float:
        """d(x) = min d(x, x'') - 1 over the x'' with f(x'') != f(x)."""
        return self.changes(dataset) - self.spared

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(x) where the noisy distance passes the test, ⊥ elsewhere (004 lines 1 and 2)."""
        outputs = np.full(n, self.nothing)
        outputs[self.passes(self.noisy_distance(dataset, n, rng), rng)] = self.value(dataset)
        return outputs

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
