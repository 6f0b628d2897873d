"""The truncated Laplace mechanism (002 Thm 5.6): bounded noise, for approximate privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import ON_DOUBLES, Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.profiles import laplace_tail
from mechanisms.core.sums import scalar_pairs
from mechanisms.laplace import flip_signs, laplace_noise


def truncated_laplace_profile(shift: float, cut: float) -> Profile:
    """Exact profile of Laplace noise of scale 1, conditioned on [-cut, cut], under a shift.

    The loss falls with the output y: infinite below shift - cut, |y - shift| - |y| above. So the worst event
    is "at most some y", and its probability is a difference of two distribution functions.
    """

    def within(distance: float) -> float:
        """The probability of the lowest outputs, up to this distance from -cut."""
        if distance > cut:
            return 1 - within(2 * cut - distance)
        return max(0.0, math.expm1(distance)) / (2 * math.expm1(cut))

    def delta(epsilon: float) -> float:
        end = shift  # up to here the shifted noise never comes
        if epsilon < shift:
            end = max(end, (shift - epsilon) / 2 + cut)
        value = within(end) - math.exp(epsilon) * within(end - shift)
        return value * (1 - 1e-13)  # rounded down: where the claim is attained, it is not exceeded

    return NumericProfile(delta)


@dataclass(frozen=True)
class TruncatedLaplace(Mechanism):
    """f(D) + Lap(lambda, tau), the Laplace law conditioned on [-tau, tau], for a sum of bounded records."""

    epsilon: float = 1.5
    delta: float = 1e-2
    sensitivity: float = 1.0

    id: ClassVar[str] = "truncated-laplace"
    title: ClassVar[str] = "truncated Laplace mechanism"
    source: ClassVar[str] = "002 Thm 5.6"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)
        checks.positive("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP (002 Thm 5.6), with equality for delta <= 1/2."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        """lambda = Delta / epsilon (002 Thm 5.6)."""
        return self.sensitivity / self.epsilon

    @property
    def cut(self) -> float:
        """tau / lambda = ln(1 + (e^epsilon - 1) / (2 delta))   (002 Thm 5.6)."""
        return math.log1p(math.expm1(self.epsilon) / (2 * self.delta))

    def query(self, dataset: Sequence[float]) -> float:
        """The sum."""
        return float(sum(dataset))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """f(D) + Lap(lambda, tau)."""
        noise = self.noise(n, rng)
        noise *= self.scale
        noise += self.query(dataset)
        return noise

    def noise(self, n: int, rng: np.random.Generator) -> Outputs:
        """Lap(1, cut): an exponential forgets how often it passed the cut, so its remainder is (5.12)."""
        noise = rng.standard_exponential(n)
        np.fmod(noise, self.cut, out=noise, where=noise > self.cut)
        return flip_signs(noise, rng)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any two datasets whose sums differ by the sensitivity are equally bad."""
        return scalar_pairs(self.sensitivity)

    def exact(self) -> Profile | None:
        """At epsilon, the mass that the shifted noise cannot reach (002 Thm 5.6, Case 4)."""
        return truncated_laplace_profile(self.sensitivity / self.scale, self.cut)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """The error never exceeds tau (5.12); a part in 10^12 is left for rounding."""
        dataset, limit = (0, self.sensitivity, self.sensitivity), self.scale * self.cut
        return (
            Accuracy(
                f"the error never exceeds {limit:.4g}",
                dataset,
                0.0,
                lambda outputs: np.abs(outputs - self.query(dataset)) > limit * (1 + 1e-12),
            ),
        )


class TruncatedLaplaceClamped(TruncatedLaplace):
    """Mutant: noise beyond the cut is moved to the cut instead of drawn again, which makes two atoms."""

    id = "truncated-laplace/clamped"
    of = "truncated-laplace"
    title = "truncated Laplace that clamps"

    def noise(self, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: clamped, not conditioned."""
        return np.clip(laplace_noise(1.0, n, rng), -self.cut, self.cut)

    def exact(self) -> Profile | None:
        """Everything below shift - cut, and the upper atom, which the shifted noise hits with probability 0.

        Between them a Laplace density is compared with the shifted one.
        """
        shift, cut = self.epsilon, self.cut

        def delta(epsilon: float) -> float:
            if shift >= 2 * cut:
                return 1.0
            total = laplace_tail(cut - shift) + laplace_tail(cut)
            end = max((shift - epsilon) / 2, shift - cut)
            if epsilon < shift:
                total += laplace_tail(-end) - laplace_tail(cut - shift)
                total -= math.exp(epsilon) * (laplace_tail(shift - end) - laplace_tail(cut))
            return total

        return NumericProfile(delta)


class TruncatedLaplaceShort(TruncatedLaplace):
    """Mutant: tau = lambda ln(1/delta), too short when e^epsilon > 3."""

    id = "truncated-laplace/short-cut"
    of = "truncated-laplace"
    title = "truncated Laplace with tau = lambda ln(1/delta)"

    @property
    def cut(self) -> float:
        """Broken: the width of the slice that leaks grows with e^epsilon - 1, and this does not know it."""
        return math.log(1 / self.delta)
