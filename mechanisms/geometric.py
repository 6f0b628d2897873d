"""The two-sided geometric mechanism (named in 000 Section 1; Ghosh, Roughgarden and Sundararajan 2009)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.sums import scalar_pairs
from mechanisms.laplace import flip_signs


def geometric_noise(decay: float, n: int, rng: np.random.Generator) -> Outputs:
    """P(j) = (1-a)/(1+a) a^|j| with a = e^-decay, as whole floats.

    P(|j| >= m) = 2 a^m / (1+a) for m >= 1, which is the tail of floor((E + ln(2/(1+a))) / decay) for a
    standard exponential E; the sign is a coin.
    """
    noise = rng.standard_exponential(n)
    noise += math.log(2 / (1 + math.exp(-decay)))
    noise /= decay
    np.floor(noise, out=noise)
    return flip_signs(noise, rng)


def geometric_profile(decay: float, shift: int) -> Profile:
    """Exact profile of two-sided geometric noise with ratio e^-decay under a shift of `shift` integers.

    The loss at j is decay (|j - shift| - |j|), which falls with j: the worst event is "at most some J".
    """
    ratio = math.exp(-decay)

    def at_most(j: int) -> float:
        return 1 - ratio ** (j + 1) / (1 + ratio) if j >= 0 else ratio**-j / (1 + ratio)

    def delta(epsilon: float) -> float:
        if epsilon >= decay * shift:
            return 0.0
        last = math.ceil((shift - epsilon / decay) / 2) - 1  # the last j whose loss exceeds epsilon
        return at_most(last) - math.exp(epsilon) * at_most(last - shift)

    return NumericProfile(delta)


@dataclass(frozen=True)
class Geometric(Mechanism):
    """q(D) + j with P(j) ~ e^(-epsilon |j| / Delta), for a sum of whole records in 0..Delta."""

    epsilon: float = 1.0
    sensitivity: int = 1

    id: ClassVar[str] = "geometric"
    title: ClassVar[str] = "two-sided geometric mechanism"
    source: ClassVar[str] = "000 Section 1 (Laplace/Geometric mechanisms); Ghosh et al. 2009"

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.whole("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP: a shift by Delta changes each probability by at most a^-Delta = e^epsilon."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def decay(self) -> float:
        """epsilon / Delta, so that the ratio of successive probabilities is a = e^(-epsilon/Delta)."""
        return self.epsilon / self.sensitivity

    def query(self, dataset: Sequence[int]) -> int:
        """The sum; with sensitivity 1, the number of ones."""
        return int(sum(dataset))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """q(D) + j."""
        noise = geometric_noise(self.decay, n, rng)
        noise += self.query(dataset)
        return noise.astype(np.int64)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any two datasets whose sums differ by the sensitivity are equally bad."""
        return scalar_pairs(self.sensitivity)

    def exact(self) -> Profile | None:
        """Attained on every output outside the two sums."""
        return geometric_profile(self.decay, self.sensitivity)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """P(|j| >= m) = 2 a^m / (1 + a), the geometric twin of 001's accuracy theorem."""
        dataset, ratio = (0, self.sensitivity, self.sensitivity), math.exp(-self.epsilon / self.sensitivity)
        limit = math.ceil(3 * self.sensitivity / self.epsilon)
        return (
            Accuracy(
                f"the error is at least {limit} with probability {2 * ratio**limit / (1 + ratio):.4g}",
                dataset,
                2 * ratio**limit / (1 + ratio),
                lambda outputs: np.abs(outputs - self.query(dataset)) >= limit,
            ),
        )


class GeometricSquaredRatio(Geometric):
    """Mutant: the ratio is a^2 instead of a, truly 2 epsilon."""

    id = "geometric/squared-ratio"
    of = "geometric"
    title = "geometric with the ratio squared"

    @property
    def decay(self) -> float:
        """Broken: twice epsilon / Delta."""
        return 2 * self.epsilon / self.sensitivity


class GeometricSensitivityForgotten(Geometric):
    """Mutant: for a sum of records in 0..3 the noise is that of a count, truly 3 epsilon."""

    id = "geometric/sensitivity-forgotten"
    of = "geometric"
    title = "geometric for a sum, with the noise of a count"

    @property
    def decay(self) -> float:
        """Broken: not divided by the sensitivity."""
        return self.epsilon

    @classmethod
    def examples(cls) -> tuple[Mechanism, ...]:
        """With sensitivity 1 there would be nothing wrong."""
        return (cls(sensitivity=3),)


class GeometricOneSided(Geometric):
    """Mutant: the noise is never negative, so outputs below q(D) reveal the smaller sum."""

    id = "geometric/one-sided"
    of = "geometric"
    title = "geometric with one-sided noise"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: P(j) = (1-a) a^j for j >= 0 only."""
        noise = np.floor(rng.standard_exponential(n) / self.decay)
        return (noise + self.query(dataset)).astype(np.int64)

    def exact(self) -> Profile | None:
        """The event "below the larger sum" has probability 1 - a^Delta = 1 - e^-epsilon against 0."""
        return NumericProfile(lambda e: -math.expm1(-self.epsilon))
