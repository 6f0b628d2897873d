"""Group privacy: what a claim about one record says about k of them (001 Prop 1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.accounting import approximate, group_privacy
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.pieces import Piece
from mechanisms.laplace import Laplace, laplace_profile


@dataclass(frozen=True)
class Chain(Mechanism):
    """Says 1 with a probability that grows with the number of ones as fast as (epsilon, delta)-DP allows.

    It starts at 0, so k ones are told from none with probability delta (e^(k epsilon) - 1)/(e^epsilon - 1),
    the bound of group privacy, attained. A yardstick that stands in no catalogue.
    """

    epsilon: float = 1.0
    delta: float = 0.005

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP."""
        return ApproxDP(self.epsilon, self.delta)

    def probability(self, count: int) -> float:
        """p(0) = 0, p(j + 1) = the largest with p(j + 1) <= e^eps p(j) + delta, and likewise for 1 - p."""
        p = 0.0
        for _ in range(count):
            p = min(math.exp(self.epsilon) * p + self.delta, 1 - math.exp(-self.epsilon) * (1 - p - self.delta), 1)
        return p

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """1 with that probability, else 0."""
        return (rng.random(n) < self.probability(sum(dataset))).view(np.int8)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The first step is the only one on which delta shows at every epsilon."""
        return (
            NeighbourPair((0, 0, 0), (1, 0, 0), Relation.REPLACE_ONE, "the first one"),
            NeighbourPair((), (1,), Relation.ADD_REMOVE, "the first one"),
        )


_CHAIN, _COUNT = Chain(), Laplace(0.5)


@dataclass(frozen=True)
class GroupPrivacy(Mechanism):
    """The same mechanism, judged on datasets of bits that differ in `size` records."""

    base: Mechanism = _COUNT
    size: int = 3

    id: ClassVar[str] = "group-privacy"
    title: ClassVar[str] = "group privacy"
    source: ClassVar[str] = "001 Prop 1.2"

    def __post_init__(self) -> None:
        checks.whole("size", self.size)

    @property
    def claim(self) -> ApproxDP:
        """(k epsilon, delta (e^(k epsilon) - 1)/(e^epsilon - 1)) (001 Prop 1.2, extended to delta > 0)."""
        return group_privacy(self.base.claim, self.size)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """M(D)."""
        return self.base.sample(dataset, n, rng)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """k ones against k zeros, or against none, for the relations of the base."""
        ones, zeros, k = (1,) * self.size, (0,) * self.size, self.size
        pairs = (
            NeighbourPair(ones, zeros, Relation.REPLACE_ONE, f"{k} records change", k),
            NeighbourPair(ones, (), Relation.ADD_REMOVE, f"{k} records are removed", k),
        )
        return tuple(pair for pair in pairs if pair.relation in self.base.relations)

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """The base itself, on datasets that differ in so many records: steps of one record do not add up from below."""
        return (Piece(self.base, pair.left, pair.right),)

    def exact(self) -> Profile | None:
        """Known for the chain, where it is the claim's delta at every epsilon, and for a noisy count."""
        match self.base:
            case Chain():
                p = self.base.probability(self.size)
                return NumericProfile(lambda e: p)
            case Laplace() if type(self.base) is Laplace and self.base.sensitivity == 1:
                return laplace_profile(self.size * self.base.epsilon)
            case _:
                return None


@dataclass(frozen=True)
class GroupPrivacyTimesDelta(GroupPrivacy):
    """Mutant: k delta, as if the steps did not amplify each other; truly .0555 against .015 by default."""

    base: Mechanism = _CHAIN

    id: ClassVar[str] = "group-privacy/k-delta"
    of: ClassVar[str | None] = "group-privacy"
    title: ClassVar[str] = "group privacy that claims k delta"

    @property
    def claim(self) -> ApproxDP:
        """Broken: the deltas of the earlier steps are multiplied by e^epsilon in each later one."""
        single = approximate(self.base.claim)
        return ApproxDP(self.size * single.epsilon, min(1.0, self.size * single.delta))


class GroupPrivacyOfOne(GroupPrivacy):
    """Mutant: the claim about one record, made about a group; truly k epsilon."""

    id = "group-privacy/claim-of-one"
    of = "group-privacy"
    title = "group privacy that claims what holds for one record"

    @property
    def claim(self) -> ApproxDP:
        """Broken: k is missing."""
        return approximate(self.base.claim)
