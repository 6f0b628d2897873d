"""The worst (epsilon, delta)-DP mechanism on one bit, by which composition bounds are judged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation


@dataclass(frozen=True)
class LeakyResponse(Mechanism):
    """Randomized response that shows the bit outright, as 2 + bit, with probability delta.

    No (epsilon, delta)-DP mechanism is worse at any epsilon (Kairouz, Oh and Viswanath 2015, Thm 3.4). It is
    a yardstick for the combinators, not a mechanism of the notes, and stands in no catalogue.
    """

    epsilon: float = 1.0
    delta: float = 0.01

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.probability("delta", self.delta)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP, attained everywhere."""
        return ApproxDP(self.epsilon, self.delta)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """bit or its opposite; with probability delta, 2 + bit."""
        (bit,) = dataset
        uniform = rng.random(n)
        lie = (1 - self.delta) / (1 + math.exp(self.epsilon))
        outputs: Outputs = np.where(uniform < lie, 1 - bit, bit)
        outputs[uniform >= 1 - self.delta] = 2 + bit
        return outputs

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The two datasets that there are."""
        return (NeighbourPair((0,), (1,), Relation.REPLACE_ONE, "the only bit changes"),)

    def exact(self) -> Profile | None:
        """The claim itself."""
        return self.claim


def leaky_composition_profile(epsilon: float, delta: float, k: int) -> Profile:
    """k runs of LeakyResponse: no leak with probability (1 - delta)^k, and then a binomial number of lies."""
    keep = 1 / (1 + math.exp(-epsilon))
    silent = (1 - delta) ** k

    def delta_at(e: float) -> float:
        inside = math.fsum(
            math.comb(k, lies) * keep ** (k - lies) * (1 - keep) ** lies * max(0.0, -math.expm1(e - loss))
            for lies, loss in ((lies, (k - 2 * lies) * epsilon) for lies in range(k + 1))
        )
        return 1 - silent * (1 - inside)

    return NumericProfile(delta_at, "binomial sum")
