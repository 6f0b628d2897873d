"""Post-processing: what is done to an output without the data costs nothing (001 Prop 1.1; 002 Lemma 5.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mechanisms.core.claims import Claim, NumericProfile, Profile
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import finite_profile, laplace_tail
from mechanisms.laplace import Laplace

_COUNT = Laplace(1.0)


def whole_count(outputs: Outputs) -> Outputs:
    """Rounded to a whole number, and not below zero."""
    return np.maximum(np.rint(outputs), 0.0)


@dataclass(frozen=True)
class PostProcessing(Mechanism):
    """f(M(D)) for a function f of outputs alone: it gets all n of them at once and returns n."""

    base: Mechanism = _COUNT
    function: Callable[[Outputs], Outputs] = field(default=whole_count, repr=False)

    id: ClassVar[str] = "post-processing"
    title: ClassVar[str] = "post-processing of a noisy count"
    source: ClassVar[str] = "001 Prop 1.1; 002 Lemma 5.3"

    @property
    def claim(self) -> Claim:
        """What the base claims (001 Prop 1.1)."""
        return self.base.claim

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(M(D))."""
        return self.function(self.base.sample(dataset, n, rng))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The base's."""
        return self.base.neighbours()

    def exact(self) -> Profile | None:
        """Known for a rounded count: below, at and above the two counts, the ratio is constant."""
        if type(self.base) is not Laplace or self.function is not whole_count or self.base.sensitivity != 1:
            return None
        cuts = (-math.inf, -0.5, 0.5, 1.5, math.inf)  # around a count of 0, and one of 1
        tails = [[laplace_tail(self.base.epsilon * (cut - count)) for cut in cuts] for count in (0, 1)]
        left, right = -np.diff(tails)
        return finite_profile(left.tolist(), right.tolist())


class PostProcessingSnaps(PostProcessing):
    """Mutant: an answer within 1/2 of the truth is replaced by the truth, which only the data knows."""

    id = "post-processing/snaps-to-truth"
    of = "post-processing"
    title = "post-processing that snaps to the true count"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: the true count again."""
        outputs, truth = self.base.sample(dataset, n, rng), float(sum(dataset))
        return np.where(np.abs(outputs - truth) < 0.5, truth, outputs)

    def exact(self) -> Profile | None:
        """The truth itself, the empty surroundings of the other one, and a Laplace tail beyond the first."""
        if not isinstance(self.base, Laplace) or self.base.sensitivity != 1:
            return None
        eps = self.base.epsilon
        alone = -math.expm1(-eps / 2) + (math.exp(-eps / 2) - math.exp(-1.5 * eps)) / 2
        return NumericProfile(lambda e: alone + math.exp(-eps / 2) / 2 * -math.expm1(min(0.0, e - eps)))


class PostProcessingClips(PostProcessing):
    """Mutant: counts are clipped to the number of records, which is not public under add/remove."""

    id = "post-processing/clips-to-size"
    of = "post-processing"
    title = "post-processing that clips to the number of records"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: the size of the dataset."""
        return np.clip(self.base.sample(dataset, n, rng), 0.0, float(len(dataset)))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """All records count, and one is removed: the larger dataset answers above the smaller one's size."""
        return tuple(pair for pair in self.base.neighbours() if pair.relation is Relation.ADD_REMOVE)

    def exact(self) -> Profile | None:
        """Above the smaller size: P[Lap > -epsilon] against 0."""
        if not isinstance(self.base, Laplace) or self.base.sensitivity != 1:
            return None
        beyond = laplace_tail(-self.base.epsilon)
        return NumericProfile(lambda e: beyond)
