"""The shape that every mechanism of the notes has: what it draws, what it claims, where it is weakest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mechanisms.core.claims import Claim, Profile
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.pieces import Piece

Outputs = np.ndarray[Any, np.dtype[Any]]

ON_DOUBLES = (
    "The theorem is about real numbers. On doubles the noisy value leaks through its low bits: "
    "asked for the bits view, this mechanism is refuted. Its lattice twin is not."
)


@dataclass(frozen=True)
class Accuracy:
    """An accuracy statement of the notes about one dataset: P[failed] <= probability.

    `failed` takes the outputs of `sample(dataset, n, rng)` and says of each whether the error was too large.
    """

    statement: str
    dataset: Any
    probability: float
    failed: Callable[[Outputs], Outputs] = field(repr=False)


class Mechanism(ABC):
    """A mechanism that carries its own claim, its worst neighbours and what is exactly true of it.

    A subclass is a frozen dataclass whose fields are the parameters, all with defaults, so that `cls()` is
    the instance that stands in the catalogue. A mutant is a subclass of the mechanism that overrides the one
    line it breaks, sets `of` to the mechanism's id, and states its own `exact()`. It breaks "privacy" unless
    it says `breaks = "accuracy"`: then its claim still holds and one of its accuracy statements does not.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    of: ClassVar[str | None] = None
    breaks: ClassVar[str] = "privacy"
    views: ClassVar[tuple[str, ...]] = ("values",)
    trials: ClassVar[int] = 1_000_000
    note: ClassVar[str] = ""
    worst: ClassVar[int] = 0  # the place in neighbours() of the pair on which a mutant is broken worst

    @property
    @abstractmethod
    def claim(self) -> Claim:
        """What the theorem promises."""

    @abstractmethod
    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """n independent outputs on `dataset`; the first axis is n."""

    @abstractmethod
    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Pairs of neighbouring datasets, the one on which the claim is tightest first."""

    @property
    def relations(self) -> frozenset[Relation]:
        """The relations for which the claim is made: those of its neighbours."""
        return frozenset(pair.relation for pair in self.neighbours())

    def exact(self) -> Profile | None:
        """The exact privacy profile over all neighbours, or None where it is not known."""
        return None

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """What it is composed of on this pair, where that is independent; empty where it is not, or not known."""
        return ()

    def accuracy(self) -> tuple[Accuracy, ...]:
        """The accuracy statements of the notes about this mechanism."""
        return ()

    @classmethod
    def examples(cls) -> tuple[Mechanism, ...]:
        """The instances that stand in the catalogue."""
        return (cls(),)
