"""What the adapters of all libraries share: a mechanism with a claim, and sentences for what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.sampling.built import BuiltInWorker, built_in_worker
from mechanisms.core.claims import ApproxDP, Claim

Sample = Callable[[Any, int, np.random.Generator], Any]


@dataclass(frozen=True)
class Adapted:
    """A library's object as a mechanism: `draw(dataset, n, rng)` gives n outputs, `claim` is what the library says."""

    id: str
    claim: Claim
    draw: Sample

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n outputs."""
        return self.draw(dataset, n, rng)


@dataclass(frozen=True)
class Factory:
    """Makes the library's object, and a mechanism of it, in the process that calls it."""

    id: str
    make: Callable[[], Any]
    adapt: Callable[[Any], Adapted]

    def __call__(self) -> Adapted:
        """The mechanism, made here."""
        return self.adapt(self.make())


def in_workers(make: Callable[[], Any], adapt: Callable[[Any], Adapted]) -> BuiltInWorker:
    """A mechanism of what `make()` returns, which cannot be sent to another process and is made there."""
    return built_in_worker(Factory(getattr(make, "__name__", type(make).__name__), make, adapt))


def missing(package: str, error: ImportError, beside: str = "") -> UsageError:
    """The sentence for a library that cannot be imported; `beside` is what must be installed with it."""
    return UsageError(f"{package} must be importable to be audited, got: {error}; run: pip install {package}{beside}")


def approx_dp(epsilon: Any, delta: Any = 0.0) -> ApproxDP:
    """The claim; a UsageError where the library's numbers promise nothing that can be tested."""
    try:
        return ApproxDP(float(epsilon), float(delta))
    except (TypeError, ValueError) as error:
        raise UsageError(f"a library's claim must be testable: {error}") from error
