"""Laplace noise on several counting queries at once (003 "The Laplace Mechanism", 001 Examples 1 to 3).

The query mechanisms of the notes differ in their queries alone; what they share is here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Accuracy, Mechanism, Outputs
from mechanisms.core.profiles import laplace_product_profile
from mechanisms.core.queries import CountingQueries
from mechanisms.laplace import laplace_noise


@dataclass(frozen=True)
class NoisyQueries(Mechanism):
    """Q(D) + (Y_1, ..., Y_k) with Y_i ~ Lap(Delta / (n epsilon)), Q the fractions that satisfy each query."""

    epsilon: float = 1.0

    queries: ClassVar[CountingQueries]
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP for all the answers together (003 Theorem)."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def sensitivity(self) -> int:
        """The joint l1 sensitivity of the counts under every relation of the claim (003 line 1)."""
        return max(self.queries.sensitivity(relation) for relation in self.relations)

    @property
    def covered(self) -> float:
        """The sensitivity that the noise covers: all of it (003 line 2)."""
        return self.sensitivity

    def size(self, dataset: Sequence[Hashable]) -> int:
        """n, by which the counts are divided; it is public."""
        return len(dataset)

    def answers(self, dataset: Sequence[Hashable]) -> Outputs:
        """Q(D): counts divided by n."""
        return self.queries.counts(dataset) / checks.whole("the number of records", self.size(dataset))

    def scale(self, dataset: Sequence[Hashable]) -> float:
        """Delta / (n epsilon) (001 Example 1: L(1 / n epsilon_i) for one query with Delta = 1)."""
        return self.covered / (self.size(dataset) * self.epsilon)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Q(D) + (Y_1, ..., Y_k)   (003 line 3)."""
        noise = self.noise(dataset, n, rng)
        noise += self.answers(dataset)
        return noise

    def noise(self, dataset: Sequence[Hashable], n: int, rng: np.random.Generator) -> Outputs:
        """Y_1, ..., Y_k, independent (003 line 2)."""
        return laplace_noise(self.scale(dataset), (n, len(self.queries.names)), rng)

    def exact(self) -> Profile | None:
        """Worst where as many answers as possible move: each moves by epsilon / covered of its scales."""
        return laplace_product_profile(self.epsilon / self.covered, self.sensitivity)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """P[|q(D) - r| >= scale ln(1/beta)] = beta for each answer (001 accuracy theorem)."""
        dataset, beta = self.neighbours()[0].left, 0.05
        limit = self.sensitivity / (self.size(dataset) * self.epsilon) * math.log(1 / beta)
        first = float(self.answers(dataset)[0])
        return (
            Accuracy(
                f"the first answer is off by at least {limit:.4g} with probability {beta}",
                dataset,
                beta,
                lambda outputs: np.abs(outputs[:, 0] - first) >= limit,
            ),
        )
