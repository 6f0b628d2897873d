"""What a leak is: a function of a secret bit and a generator that puts the bit where it may be overlooked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator
KEEP = math.e / (1 + math.e)  # randomized response for epsilon 1


@dataclass(frozen=True)
class Leak:
    """A mechanism that gives its bit away. `one` makes one output a call, `many` an array of them for many bits."""

    name: str
    kind: str
    one: Callable[[int, Rng], Any] | None = None
    many: Callable[[Any, Rng], Any] | None = None

    def outputs(self, bits: Any, rng: Rng) -> Any:
        """An output for each bit."""
        if self.many is not None:
            return self.many(bits, rng)
        assert self.one is not None
        return [self.one(bit, rng) for bit in bits.tolist()]

    def leak(self, dataset: int, n: int, rng: Rng) -> Any:
        """The bit is the dataset."""
        return self.outputs(np.full(n, dataset), rng)

    def twin(self, dataset: int, n: int, rng: Rng) -> Any:
        """The bit is the dataset's with probability e / (1 + e), else the other one: 1-DP, tight."""
        return self.outputs(np.where(rng.random(n) < KEEP, dataset, 1 - dataset), rng)


def letters(n: int, rng: Rng) -> str:
    """Random small letters."""
    return bytes(rng.integers(97, 123, n, dtype=np.uint8)).decode()


def noise(n: int, rng: Rng) -> list[float]:
    """Random numbers as plain floats."""
    return list(rng.normal(size=n).tolist())
