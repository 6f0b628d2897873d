"""Parallel composition: each mechanism on its own part of the data (000 below Thm 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.composition import count_epsilons
from mechanisms.core.accounting import approximate, parallel_composition
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.grouped import columns
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.pieces import Piece
from mechanisms.core.profiles import laplace_composition_profile, worst
from mechanisms.laplace import Laplace

Tagged = tuple[int, Any]


@dataclass(frozen=True)
class ParallelComposition(Mechanism):
    """Records are (part, value); mechanism i sees the values of part i alone, and all outputs are published.

    A record that is added or removed touches one part, so the largest claim holds. A record that is replaced
    may leave one part for another and touch both: under replace-one this refuses, unless parts are fixed.
    """

    parts: tuple[Mechanism, ...] = (Laplace(1.0),) * 3
    relation: Relation = Relation.ADD_REMOVE
    parts_are_fixed: bool = False

    id: ClassVar[str] = "parallel-composition"
    title: ClassVar[str] = "parallel composition"
    source: ClassVar[str] = "000 below Thm 1"

    def __post_init__(self) -> None:
        if not self.parts or any(self.relation not in part.relations for part in self.parts):
            raise ValueError(f"every part must claim privacy for {self.relation}, got parts={self.parts!r:.80}")
        if self.relation is not Relation.ADD_REMOVE and not self.parts_are_fixed:
            raise ValueError(
                f"parallel composition is for add/remove, where a record touches one part, got relation="
                f"{self.relation}; say parts_are_fixed=True when no record can move between parts"
            )

    @property
    def claim(self) -> ApproxDP:
        """The largest epsilon and delta of the parts (000 below Thm 1)."""
        return parallel_composition(*(part.claim for part in self.parts))

    def values(self, dataset: Sequence[Tagged], index: int) -> tuple[Any, ...]:
        """What mechanism `index` sees."""
        return tuple(value for part, value in dataset if part == index)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Every mechanism on its own part."""
        stray = [part for part, _ in dataset if part not in range(len(self.parts))]
        if stray:
            raise ValueError(f"a record's part must be one of {len(self.parts)}, got part={stray[0]!r}")
        return columns([part.sample(self.values(dataset, i), n, rng) for i, part in enumerate(self.parts)])

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The pairs of each part, beside the unchanged data of the others."""
        order = sorted(range(len(self.parts)), key=lambda i: -approximate(self.parts[i].claim).epsilon)
        return tuple(pair for i in order for pair in self._pairs(i))

    def _pairs(self, index: int) -> Iterator[NeighbourPair]:
        mine = [[p for p in part.neighbours() if p.relation is self.relation] for part in self.parts]
        rest = tuple((i, value) for i, pairs in enumerate(mine) if i != index for value in pairs[0].left)
        for pair in mine[index]:
            left, right = (tuple((index, value) for value in side) + rest for side in (pair.left, pair.right))
            yield NeighbourPair(left, right, self.relation, f"part {index}: {pair.why}")

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """The parts whose values differ; the others say nothing."""
        seen = [(part, self.values(pair.left, i), self.values(pair.right, i)) for i, part in enumerate(self.parts)]
        return tuple(Piece(part, left, right) for part, left, right in seen if left != right)

    def exact(self) -> Profile | None:
        """The other parts are the same on both sides: the worst part decides."""
        profiles = [profile for part in self.parts if (profile := part.exact()) is not None]
        return worst(profiles) if len(profiles) == len(self.parts) else None


class ParallelCompositionOverlap(ParallelComposition):
    """Mutant: the parts overlap, and each record is seen by the next mechanism too; truly the sum of two."""

    id = "parallel-composition/overlap"
    of = "parallel-composition"
    title = "parallel composition with a record in two parts"

    def values(self, dataset: Sequence[Tagged], index: int) -> tuple[Any, ...]:
        """Broken: the values of the part before this one as well."""
        here = (index, (index - 1) % len(self.parts))
        return tuple(value for part, value in dataset if part in here)

    def exact(self) -> Profile | None:
        """Two noisy counts move."""
        epsilons = count_epsilons(self.parts)
        return laplace_composition_profile(epsilons[:2]) if len({*epsilons}) == 1 else None


class ParallelCompositionReplace(ParallelComposition):
    """Mutant: the same claim under replace-one, where a record moves between parts; truly the sum of two."""

    id = "parallel-composition/replace-one"
    of = "parallel-composition"
    title = "parallel composition under replace-one"

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Broken: for this relation the largest epsilon is not enough."""
        left, right = ((0, 1), (1, 0), (2, 1)), ((1, 1), (1, 0), (2, 1))
        return (NeighbourPair(left, right, Relation.REPLACE_ONE, "a record moves from part 0 to part 1"),)

    def exact(self) -> Profile | None:
        """One noisy count falls and another rises."""
        epsilons = count_epsilons(self.parts)
        return laplace_composition_profile(epsilons[:2]) if len({*epsilons}) == 1 else None
