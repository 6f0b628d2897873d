"""The Laplace mechanism for k numbers (003 "The Laplace Mechanism")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.pieces import Coordinate, Piece
from mechanisms.core.profiles import certain, laplace_product_profile
from mechanisms.core.sums import vector_pairs, vector_sum
from mechanisms.laplace import laplace_noise


@dataclass(frozen=True)
class VectorLaplace(Mechanism):
    """Q(D) + (Y_1, ..., Y_k), Y_i ~ Lap(k / epsilon), for the k attribute counts of records in {0,1}^k."""

    epsilon: float = 1.0
    k: int = 3

    id: ClassVar[str] = "vector-laplace"
    title: ClassVar[str] = "Laplace mechanism for a vector"
    source: ClassVar[str] = "003 Laplace(D, Q, epsilon) and its theorem"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.whole("k", self.k)

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP (003 Theorem)."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def sensitivity(self) -> float:
        """The l1 sensitivity: one record counts in all k coordinates (003 line 1, Delta = GS(Q))."""
        return float(self.k)

    @property
    def scale(self) -> float:
        """Delta / epsilon (003 line 2)."""
        return self.sensitivity / self.epsilon

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Q(D) + (Y_1, ..., Y_k)   (003 line 3)."""
        noise = self.noise(n, rng)
        noise += vector_sum(dataset, self.k)
        return noise

    def noise(self, n: int, rng: np.random.Generator) -> Outputs:
        """Independent Lap(Delta / epsilon) in each coordinate (003 line 2)."""
        return laplace_noise(self.scale, (n, self.k), rng)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The ratio reaches e^epsilon where all coordinates lie beyond both counts."""
        return vector_pairs(self.k)

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """k coordinates alike, where all of them move by the same."""
        moved = np.abs(vector_sum(pair.left, self.k) - vector_sum(pair.right, self.k))
        if len({*moved.tolist()}) != 1:
            return ()
        return (Piece(Coordinate(self), pair.left, pair.right, times=self.k),)

    def exact(self) -> Profile | None:
        """Worst where every coordinate moves by one, which is 1/scale of its scales."""
        return laplace_product_profile(1 / self.scale, self.k)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """P[|Y_i| >= t b] = e^-t for each coordinate (003 "The Laplace Distribution")."""
        dataset, t = ((1,) * self.k, (0,) * self.k), 3.0
        limit = t * self.k / self.epsilon
        first = float(vector_sum(dataset, self.k)[0])
        return (
            Accuracy(
                f"the first answer is off by at least {limit:.4g} with probability e^-{t:g}",
                dataset,
                math.exp(-t),
                lambda outputs: np.abs(outputs[:, 0] - first) >= limit,
            ),
        )


class VectorLaplacePerCoordinate(VectorLaplace):
    """Mutant: the noise covers the sensitivity of one coordinate, truly k epsilon."""

    id = "vector-laplace/per-coordinate"
    of = "vector-laplace"
    title = "vector Laplace with the sensitivity of one coordinate"

    @property
    def scale(self) -> float:
        """Broken: one coordinate moves by 1, all of them by k."""
        return 1 / self.epsilon


class VectorLaplaceReusedNoise(VectorLaplace):
    """Mutant: one draw is added to all coordinates, so their differences are published as they are."""

    id = "vector-laplace/reused-noise"
    of = "vector-laplace"
    worst = 2
    title = "vector Laplace with the same noise in every coordinate"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("k", self.k, least=2)

    def noise(self, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: one Y instead of Y_1, ..., Y_k."""
        return np.repeat(laplace_noise(self.scale, (n, 1), rng), self.k, axis=1)

    def exact(self) -> Profile | None:
        """A record that counts in one coordinate alone changes a difference that carries no noise."""
        return certain("the differences of coordinates carry no noise")
