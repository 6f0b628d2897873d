"""Sequential composition: several mechanisms on the same data (001 Thm 1.7; 000 below Thm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core.accounting import approximate, basic_composition
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.grouped import columns
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair
from mechanisms.core.pieces import Piece
from mechanisms.core.profiles import certain, laplace_composition_profile
from mechanisms.laplace import Laplace


@dataclass(frozen=True)
class Composition(Mechanism):
    """(M_1(D), ..., M_k(D)), each with its own randomness; the outputs stand side by side in one row."""

    parts: tuple[Mechanism, ...] = (Laplace(0.1),) * 10

    id: ClassVar[str] = "composition"
    title: ClassVar[str] = "sequential composition"
    source: ClassVar[str] = "001 Thm 1.7; 000 below Thm 1; 002 Lemma 5.3"

    def __post_init__(self) -> None:
        if not self.parts or not frozenset.intersection(*(part.relations for part in self.parts)):
            raise ValueError(f"composition needs parts that share a relation, got parts={self.parts!r:.80}")

    @property
    def claim(self) -> ApproxDP:
        """(sum of epsilons, sum of deltas) (001 Thm 1.7)."""
        return basic_composition(*(part.claim for part in self.parts))

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """M_1(D), ..., M_k(D)."""
        return columns([part.sample(dataset, n, rng) for part in self.parts])

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The first part's pairs, where every part claims privacy for their relation."""
        shared = frozenset.intersection(*(part.relations for part in self.parts))
        return tuple(pair for pair in self.parts[0].neighbours() if pair.relation in shared)

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """Each part on the same pair; equal ones together."""
        runs = {part: self.parts.count(part) for part in self.parts}
        return tuple(Piece(part, pair.left, pair.right, times) for part, times in runs.items())

    def exact(self) -> Profile | None:
        """Known where all parts are noisy counts: one pair is worst for all of them at once."""
        epsilons = count_epsilons(self.parts)
        return laplace_composition_profile(epsilons) if epsilons else None


@dataclass(frozen=True)
class Zeros(Laplace):
    """The Laplace mechanism for the number of zeros: a second question, in no catalogue of its own."""

    def query(self, dataset: Sequence[float]) -> float:
        """The number of zeros."""
        return float(len(dataset) - sum(dataset))

    @classmethod
    def examples(cls) -> tuple[Mechanism, ...]:
        """None."""
        return ()


def count_epsilons(parts: Sequence[Mechanism]) -> list[float]:
    """The epsilons of parts that are all noisy counts of records in [0, 1]; else none."""
    counts = [part for part in parts if isinstance(part, Laplace) and type(part) in (Laplace, Zeros)]
    plain = len(counts) == len(parts) and all(count.sensitivity == 1 for count in counts)
    return [count.epsilon for count in counts] if plain else []


class CompositionLargest(Composition):
    """Mutant: claims the largest epsilon, as if every question were about other people; truly the sum."""

    id = "composition/largest-claim"
    of = "composition"
    title = "sequential composition that claims the largest epsilon"

    @property
    def claim(self) -> ApproxDP:
        """Broken: the maximum is for disjoint data."""
        return max((approximate(part.claim) for part in self.parts), key=lambda claim: claim.epsilon)


@dataclass(frozen=True)
class CompositionReusedNoise(Composition):
    """Mutant: every part draws from the same stream, so that two questions share their noise."""

    parts: tuple[Mechanism, ...] = (Laplace(0.5), Zeros(0.5))

    id: ClassVar[str] = "composition/reused-noise"
    of: ClassVar[str | None] = "composition"
    title: ClassVar[str] = "sequential composition with one random stream for all parts"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: each part starts again from the same seed."""
        seed = int(rng.integers(2**63))
        return columns([part.sample(dataset, n, np.random.default_rng(seed)) for part in self.parts])

    def exact(self) -> Profile | None:
        """Ones minus zeros comes out without noise."""
        return certain("the difference of the answers carries no noise")
