"""Propose-test-release (004 Section 15.2, Prop 15.5).

Propose a bound on the local sensitivity, test whether it holds far around the dataset, and release with noise
for the bound when it does. ⊥ is NaN.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Outputs
from mechanisms.core.profiles import laplace_hockey, laplace_tail
from mechanisms.laplace import laplace_noise
from mechanisms.noisy_test import NoisyTest


class State(NamedTuple):
    """All that the output depends on: the distance d(x, {x' : LS(x') > bound}) and q(x)."""

    distance: float
    value: float


@dataclass(frozen=True)
class ProposeTestRelease(NoisyTest):
    """q(x) + Lap(bound/epsilon) when d(x) + Lap(1/epsilon) > ln(1/delta)/epsilon, else ⊥."""

    bound: float = 1.0

    source: ClassVar[str] = "004 Section 15.2, Prop 15.5"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.positive("bound", self.bound)

    @property
    def claim(self) -> ApproxDP:
        """(2 epsilon, delta)-DP (004 Prop 15.5)."""
        return ApproxDP(2 * self.epsilon, self.delta)

    @property
    def spread(self) -> float:
        """beta / epsilon, the scale of the released value's noise."""
        return self.bound / self.epsilon

    @abstractmethod
    def query(self, dataset: Any) -> float:
        """q(x)."""

    @abstractmethod
    def distance(self, dataset: Any) -> float:
        """d(x, {x' : LS_q(x') > bound})."""

    @abstractmethod
    def states(self) -> Iterable[tuple[State, State]]:
        """The states of all neighbours, up to those that cannot be worst."""

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The noisy value where the noisy distance passes the test, ⊥ elsewhere."""
        passed = self.passes(self.noisy_distance(dataset, n, rng), rng)
        outputs = np.full(n, math.nan)
        outputs[passed] = self.query(dataset) + laplace_noise(self.spread, int(passed.sum()), rng)
        return outputs

    def exact(self) -> Profile | None:
        """The worst of all neighbours; (2 epsilon, delta/2)-DP where q can move far while d = 0."""
        pairs = set(self.states())
        pairs |= {(right, left) for left, right in pairs}
        return NumericProfile(lambda e: max(self.hockey(left, right, e) for left, right in pairs))

    def hockey(self, left: State, right: State, epsilon: float) -> float:
        """⊥ on its own, and two Laplace densities weighted with the probabilities of a release."""
        p, q = self.release_probability(left.distance), self.release_probability(right.distance)
        silent = max(0.0, (1 - p) - math.exp(epsilon) * (1 - q))
        if p == 0 or q == 0:
            return silent + p
        shift = (left.value - right.value) / self.spread
        return silent + p * laplace_hockey(shift, epsilon + math.log(q / p))


class OneNoise(ProposeTestRelease):
    """Broken: the noise of the test is used again, stretched, for the release.

    A release at y shows the noise (y - q)/beta, so values below q + beta (threshold - d) never occur: where
    that edge moves with the dataset, outputs between the edges tell the neighbours apart.
    """

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: one draw instead of two."""
        noisy = self.noisy_distance(dataset, n, rng)
        released = self.query(dataset) + self.bound * (noisy - self.distance(dataset))
        return np.where(self.passes(noisy, rng), released, math.nan)

    def hockey(self, left: State, right: State, epsilon: float) -> float:
        """In units of beta/epsilon: Lap(1) around a centre, cut off below an edge, and an atom at ⊥."""
        (here, edge), (there, other) = self._cut(left), self._cut(right)
        p, q = self.release_probability(left.distance), self.release_probability(right.distance)
        factor, shift = math.exp(epsilon), abs(here - there)
        silent = max(0.0, (1 - p) - factor * (1 - q))
        if math.isinf(shift):
            return silent + p
        start = max(edge, other)
        alone = p - laplace_tail(start - here)  # between the edges: only on the left
        if epsilon >= shift:
            return silent + alone
        # Beyond both edges the ratio exceeds e^epsilon on the side of the left centre, up to this point.
        point = max(start, (here + there - math.copysign(epsilon, there - here)) / 2)
        beyond = laplace_tail(point - here) - factor * laplace_tail(point - there)
        if here < there:
            beyond = laplace_tail(start - here) - factor * laplace_tail(start - there) - beyond
        return silent + alone + beyond

    def _cut(self, state: State) -> tuple[float, float]:
        """The centre q and the edge q + beta (threshold - d)."""
        centre = state.value / self.spread
        return centre, centre + (self.threshold - state.distance) / self.scale
