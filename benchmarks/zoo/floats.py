"""What doubles do to noise: Laplace by inversion and its snapped repair, Gaussians in three ways."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from mechanisms.core.claims import ApproxDP
from mechanisms.core.mechanism import Outputs

_SIEGE = "; Lokna, Paradis, Dimitrov, Vechev 2023 (Delta-Siege)"


class FloatLaplace(ZooMechanism):
    """Broken: q ± ln(u) / epsilon with u a double of 53 random bits."""

    id: ClassVar[str] = "FloatLaplace"
    title: ClassVar[str] = "Laplace by inversion, on doubles"
    source: ClassVar[str] = "Mironov 2012"
    published: ClassVar[Published | None] = Published(0.252, "DP-Sniper MLP")
    trials: ClassVar[int] = 2_000_000
    views: ClassVar[tuple[str, ...]] = ("values", "bits")

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """One double."""
        magnitude = np.log1p(-rng.random(n)) / self.epsilon
        return np.asarray(answers(dataset, 1)[0] + np.where(rng.random(n) < 0.5, magnitude, -magnitude))

    def truth(self) -> Truth:
        """The supports differ."""
        return Truth(math.inf, "adding 1 rounds away low bits that 0 keeps: the supports differ")

    def reachable(self) -> float:
        """Infinite: near 0 the answer 0 leaves finer doubles than the answer 1 can."""
        return math.inf


class Snapping(ZooMechanism):
    """Correct: the noisy answer is rounded to a coarse lattice and clamped; its low bits say nothing."""

    id: ClassVar[str] = "Snapping"
    title: ClassVar[str] = "snapped Laplace"
    source: ClassVar[str] = "Mironov 2012, Theorem 1"
    trials: ClassVar[int] = 10_000_000
    views: ClassVar[tuple[str, ...]] = ("values", "bits")
    bound: ClassVar[float] = 100.0

    @property
    def scale(self) -> float:
        """(1 + 2^-49 B) / epsilon, so that the theorem gives epsilon."""
        return (1 + self.bound * 2.0**-49) / self.epsilon

    @property
    def lattice(self) -> float:
        """The smallest power of two of at least the scale."""
        return 2.0 ** math.ceil(math.log2(self.scale))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """clamp(round(clamp(q) ± scale ln(u))), u any double of (0, 1], each as likely as its width."""
        u = np.ldexp(1 + rng.random(n), -rng.geometric(0.5, n).astype(np.int32))
        noise = self.scale * np.log(u) * (2.0 * rng.integers(0, 2, n) - 1)
        noisy = np.clip(answers(dataset, 1)[0], -self.bound, self.bound) + noise
        return np.asarray(np.clip(self.lattice * np.rint(noisy / self.lattice), -self.bound, self.bound))

    def truth(self) -> Truth:
        """The theorem's epsilon, up to 2^-49."""
        return Truth(self.epsilon, "the theorem; the lattice's tails attain it")

    def reachable(self) -> float:
        """The tails of a rounded Laplace variable have the full ratio."""
        return self.epsilon


class FloatGaussian(ZooMechanism):
    """What the three share: q + sigma z with the classic sigma for (epsilon, 1e-3)."""

    delta: ClassVar[float] = 1e-3
    trials: ClassVar[int] = 4_000_000
    views: ClassVar[tuple[str, ...]] = ("values", "bits")

    @property
    def claim(self) -> ApproxDP:
        """(epsilon, delta)-DP, which is true of real numbers."""
        return ApproxDP(self.epsilon, self.delta)

    @property
    def sigma(self) -> float:
        """The classic calibration (Dwork, Roth 2014, Theorem A.1)."""
        return math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon

    def normal(self, n: int, rng: np.random.Generator) -> Outputs:
        """n standard normal doubles."""
        raise NotImplementedError

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """One double."""
        return np.asarray(answers(dataset, 1)[0] + self.sigma * self.normal(n, rng))

    def truth(self) -> Truth:
        """The supports differ with more than delta."""
        return Truth(math.inf, "doubles near 0 that the answer 1 cannot leave have more than delta")

    def reachable(self) -> float:
        """Infinite, as for Laplace."""
        return math.inf


class BoxMuller(FloatGaussian):
    """Broken: a radius and an angle."""

    id: ClassVar[str] = "BoxMuller"
    title: ClassVar[str] = "Gaussian by Box–Muller, on doubles"
    source: ClassVar[str] = "Box, Muller 1958" + _SIEGE

    def normal(self, n: int, rng: np.random.Generator) -> Outputs:
        """sqrt(-2 ln u) cos(2 pi v)."""
        return np.asarray(np.sqrt(-2 * np.log1p(-rng.random(n))) * np.cos(2 * np.pi * rng.random(n)))


class Polar(FloatGaussian):
    """Broken: a point of the unit disc, found by rejection."""

    id: ClassVar[str] = "Polar"
    title: ClassVar[str] = "Gaussian by the polar method, on doubles"
    source: ClassVar[str] = "Marsaglia, Bray 1964" + _SIEGE

    def normal(self, n: int, rng: np.random.Generator) -> Outputs:
        """x sqrt(-2 ln s / s) for a point (x, y) with s = x^2 + y^2 in (0, 1)."""
        kept: list[Outputs] = [np.empty(0)]
        missing = n
        while missing > 0:
            x, y = 2 * rng.random((2, missing + missing // 3 + 8)) - 1
            s = x * x + y * y
            inside = (s > 0) & (s < 1)
            x, s = x[inside], s[inside]
            kept.append(x * np.sqrt(-2 * np.log(s) / s))
            missing -= len(x)
        return np.concatenate(kept)[:n]


class Ziggurat(FloatGaussian):
    """Broken: numpy's own normal, which is a ziggurat of 256 layers."""

    id: ClassVar[str] = "Ziggurat"
    title: ClassVar[str] = "Gaussian by ziggurat, on doubles"
    source: ClassVar[str] = "Marsaglia, Tsang 2000" + _SIEGE

    def normal(self, n: int, rng: np.random.Generator) -> Outputs:
        """One uniform word scaled by the width of its layer, nearly always."""
        return rng.standard_normal(n)
