"""The Laplace mechanism for one number (001 Algorithm 2; 003 "The Laplace Mechanism" with k = 1)."""

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
from mechanisms.core.sums import scalar_pairs


def flip_signs(magnitude: Outputs, rng: np.random.Generator) -> Outputs:
    """Negates each entry in place with probability 1/2: one random bit each."""
    bits = rng.integers(0, 256, size=(magnitude.size + 7) // 8, dtype=np.uint8)
    signs = np.unpackbits(bits, count=magnitude.size).view(np.int8).reshape(magnitude.shape)
    signs *= -2  # 0 or 1 becomes +1 or -1
    signs += 1
    magnitude *= signs
    return magnitude


def laplace_noise(scale: float, size: int | tuple[int, ...], rng: np.random.Generator) -> Outputs:
    """Lap(scale): an exponential magnitude with a random sign (003 Lap(b)), faster than rng.laplace."""
    noise = rng.standard_exponential(size)
    noise *= scale
    return flip_signs(noise, rng)


def laplace_profile(epsilon: float) -> Profile:
    """Exact profile of Laplace noise under a shift of epsilon scales: 1 - e^((e - epsilon)/2)."""
    return NumericProfile(lambda e: -math.expm1(min(0.0, (e - epsilon) / 2)))


@dataclass(frozen=True)
class Laplace(Mechanism):
    """q(D) + Lap(sensitivity / epsilon) for a sum of records in [0, sensitivity] (001 Algorithm 2)."""

    epsilon: float = 1.0
    sensitivity: float = 1.0

    id: ClassVar[str] = "laplace"
    title: ClassVar[str] = "Laplace mechanism"
    source: ClassVar[str] = "001 Algorithm 2 and privacy theorem; 003 Laplace theorem"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.positive("sensitivity", self.sensitivity)

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP (001 Theorem "Privacy of the Laplace Mechanism")."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def scale(self) -> float:
        """Delta / epsilon (001 Algorithm 2, line 2)."""
        return self.sensitivity / self.epsilon

    def query(self, dataset: Sequence[float]) -> float:
        """The sum; with sensitivity 1 and records 0 or 1, the number of ones."""
        return float(sum(dataset))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """q(D) + Y with Y ~ Lap(Delta / epsilon)."""
        noise = laplace_noise(self.scale, n, rng)
        noise += self.query(dataset)
        return noise

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any two datasets whose sums differ by the sensitivity are equally bad."""
        return scalar_pairs(self.sensitivity)

    def exact(self) -> Profile | None:
        """Attained: the ratio is e^epsilon everywhere outside the two sums."""
        return laplace_profile(self.sensitivity / self.scale)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """P[|q(D) - r| >= (Delta/epsilon) ln(1/beta)] = beta (001 accuracy theorem)."""
        dataset, beta = (0, self.sensitivity, self.sensitivity), 0.05
        limit = self.sensitivity / self.epsilon * math.log(1 / beta)
        return (
            Accuracy(
                f"the error is at least {limit:.4g} with probability {beta}",
                dataset,
                beta,
                lambda outputs: np.abs(outputs - self.query(dataset)) >= limit,
            ),
        )


class LaplaceHalfScale(Laplace):
    """Mutant: scale Delta / (2 epsilon), truly 2 epsilon."""

    id = "laplace/half-scale"
    of = "laplace"
    title = "Laplace with half the noise"

    @property
    def scale(self) -> float:
        """Broken: half of Delta / epsilon."""
        return self.sensitivity / (2 * self.epsilon)


class LaplaceDeviation(Laplace):
    """Mutant: Delta / epsilon is taken for the standard deviation, truly sqrt(2) epsilon."""

    id = "laplace/deviation-for-scale"
    of = "laplace"
    title = "Laplace with standard deviation Delta / epsilon"

    @property
    def scale(self) -> float:
        """Broken: a Laplace variable of scale b has standard deviation sqrt(2) b."""
        return self.sensitivity / (math.sqrt(2) * self.epsilon)


class LaplaceOneSided(Laplace):
    """Mutant: the noise has no sign, so outputs below q(D) reveal the smaller sum."""

    id = "laplace/one-sided"
    of = "laplace"
    title = "Laplace with one-sided noise"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: an exponential instead of a Laplace variable."""
        return self.query(dataset) + self.scale * rng.standard_exponential(n)

    def exact(self) -> Profile | None:
        """The event "below the larger sum" has probability 1 - e^-epsilon against 0, at every epsilon."""
        return NumericProfile(lambda e: -math.expm1(-self.epsilon))
