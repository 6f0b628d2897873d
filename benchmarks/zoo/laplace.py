"""Laplace noise on one count, and twenty of them at a twentieth of the budget."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise


class Laplace(ZooMechanism):
    """q + Lap(1/epsilon)."""

    id: ClassVar[str] = "Laplace"
    title: ClassVar[str] = "Laplace mechanism"
    source: ClassVar[str] = "Dwork, McSherry, Nissim, Smith 2006"
    published: ClassVar[Published | None] = Published(0.0998, "StatDP-Fixed")
    trials: ClassVar[int] = 600_000_000

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """One number."""
        return np.asarray(answers(dataset, 1)[0] + laplace_noise(1 / self.epsilon, n, rng))

    def truth(self) -> Truth:
        """Attained outside the two answers."""
        return Truth(self.epsilon, "the density ratio is e^epsilon outside the two answers")

    def reachable(self) -> float:
        """Every pair is equally bad."""
        return self.epsilon


class LaplaceParallel(ZooMechanism):
    """Twenty Laplace mechanisms of epsilon/20 each on the same count."""

    id: ClassVar[str] = "LaplaceParallel"
    title: ClassVar[str] = "20 Laplace mechanisms in parallel"
    source: ClassVar[str] = "Bichsel, Steffen, Bogunovic, Vechev 2021 (DP-Sniper)"
    published: ClassVar[Published | None] = Published(0.035, "DP-Sniper LR")
    trials: ClassVar[int] = 15_000_000
    copies: ClassVar[int] = 20

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Twenty numbers."""
        return np.asarray(answers(dataset, 1)[0] + laplace_noise(self.copies / self.epsilon, (n, self.copies), rng))

    def truth(self) -> Truth:
        """Attained, on a rare event."""
        return Truth(self.epsilon, "basic composition, attained where all twenty outputs lie on one side")

    def reachable(self) -> float:
        """Every pair is equally bad; the event has probability about 2^-20."""
        return self.epsilon
