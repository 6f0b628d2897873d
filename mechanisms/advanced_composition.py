"""Advanced composition of k runs with the same parameters (000 Thm 2.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from mechanisms.composition import Composition
from mechanisms.core import checks
from mechanisms.core.accounting import advanced_composition, approximate
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import Mechanism
from mechanisms.laplace import Laplace
from mechanisms.leaky import LeakyResponse, leaky_composition_profile


@dataclass(frozen=True)
class AdvancedComposition(Composition):
    """(M_1(D), ..., M_k(D)) with epsilon growing like sqrt(k), for a slack in delta."""

    parts: tuple[Mechanism, ...] = (Laplace(0.1),) * 20
    slack: float = 0.01

    id: ClassVar[str] = "advanced-composition"
    title: ClassVar[str] = "advanced composition"
    source: ClassVar[str] = "000 Thm 2.1"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.open_probability("slack", self.slack)
        if len({part.claim for part in self.parts}) > 1:
            raise ValueError(f"advanced composition needs parts with one claim, got parts={self.parts!r:.80}")

    @property
    def single(self) -> ApproxDP:
        """What each part claims."""
        return approximate(self.parts[0].claim)

    @property
    def claim(self) -> ApproxDP:
        """(sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon - 1), k delta + slack) (000 Thm 2.1)."""
        return advanced_composition(self.single, len(self.parts), self.slack)


class AdvancedCompositionNoLogarithm(AdvancedComposition):
    """Mutant: epsilon sqrt(k), the theorem as it is remembered, without its logarithm and its second term."""

    id = "advanced-composition/no-logarithm"
    of = "advanced-composition"
    title = "advanced composition that claims sqrt(k) epsilon"

    @property
    def claim(self) -> ApproxDP:
        """Broken: 2 ln(1/slack) and k epsilon (e^epsilon - 1) are missing."""
        return ApproxDP(math.sqrt(len(self.parts)) * self.single.epsilon, self.slack)


@dataclass(frozen=True)
class AdvancedCompositionDeltaOnce(AdvancedComposition):
    """Mutant: the delta of one part stands for all k; truly 1 - (1 - delta)^k and more."""

    parts: tuple[Mechanism, ...] = (LeakyResponse(0.1, 0.01),) * 10

    id: ClassVar[str] = "advanced-composition/delta-once"
    of: ClassVar[str | None] = "advanced-composition"
    title: ClassVar[str] = "advanced composition that counts delta once"

    @property
    def claim(self) -> ApproxDP:
        """Broken: delta instead of k delta."""
        return ApproxDP(super().claim.epsilon, self.single.delta + self.slack)

    def exact(self) -> Profile | None:
        """The worst parts that (epsilon, delta) allows."""
        return leaky_composition_profile(self.single.epsilon, self.single.delta, len(self.parts))
