"""Adaptive composition: the second mechanism is chosen from the first one's output (002 Lemma 5.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mechanisms.composition import Zeros, count_epsilons
from mechanisms.core.accounting import approximate, basic_composition, parallel_composition
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.grouped import columns, draw_by_code
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.pieces import Piece
from mechanisms.core.profiles import laplace_composition_profile
from mechanisms.laplace import Laplace

_ONES, _ZEROS = Laplace(0.5), Zeros(0.5)


def many(outputs: Outputs) -> Outputs:
    """1 where the first answer is at least 3/2, else 0."""
    return np.asarray(outputs >= 1.5, dtype=np.uint8)


@dataclass(frozen=True)
class AdaptiveComposition(Mechanism):
    """(y, M_j(D)) with y = M_0(D) and j = choose(y); the dearest M_j is paid for."""

    first: Mechanism = _ONES
    seconds: tuple[Mechanism, ...] = (_ZEROS, _ONES)
    choose: Callable[[Outputs], Outputs] = field(default=many, repr=False)

    id: ClassVar[str] = "adaptive-composition"
    title: ClassVar[str] = "adaptive composition"
    source: ClassVar[str] = "002 Lemma 5.3; 000 below Thm 1"

    def __post_init__(self) -> None:
        if not self.seconds or not self.shared:
            raise ValueError(
                f"composition needs parts that share a relation, got {self.first} and {self.seconds!r:.80}"
            )

    @property
    def shared(self) -> frozenset[Relation]:
        """The relations for which every part claims privacy."""
        return self.first.relations.intersection(*(second.relations for second in self.seconds))

    @property
    def claim(self) -> ApproxDP:
        """The first cost and the largest second one."""
        return basic_composition(self.first.claim, parallel_composition(*(second.claim for second in self.seconds)))

    def chosen(self, dataset: Any, first: Outputs) -> Outputs:
        """Which second mechanism each draw continues with: a function of its first output alone."""
        return self.choose(first)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The first output, and the second mechanism's for the choice that was made from it."""
        first = self.first.sample(dataset, n, rng)
        second = draw_by_code(self.chosen(dataset, first), lambda j, m: self.seconds[j].sample(dataset, m, rng))
        return columns([first, second])

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The first mechanism's pairs, where every part claims privacy for their relation."""
        return tuple(pair for pair in self.first.neighbours() if pair.relation in self.shared)

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """Known where every second mechanism moves by one with the same noise, whatever was seen: counts of one epsilon
        when a record is replaced."""
        epsilons = count_epsilons((self.first, *self.seconds))
        if len({*epsilons[1:]}) != 1 or pair.relation is not Relation.REPLACE_ONE:
            return ()
        return (Piece(self.first, pair.left, pair.right), Piece(self.seconds[0], pair.left, pair.right))

    def exact(self) -> Profile | None:
        """Known for Laplace mechanisms of one epsilon: whichever is chosen, the second loss has one law."""
        epsilons = count_epsilons((self.first, *self.seconds))
        return laplace_composition_profile(epsilons[:2]) if len({*epsilons[1:]}) == 1 else None


class AdaptiveCompositionFreeSecond(AdaptiveComposition):
    """Mutant: only the first question is paid for, as if a question that was chosen privately were free."""

    id = "adaptive-composition/free-second"
    of = "adaptive-composition"
    title = "adaptive composition that claims the first cost alone"

    @property
    def claim(self) -> ApproxDP:
        """Broken: the second cost is missing."""
        return approximate(self.first.claim)


class AdaptiveCompositionPeeks(AdaptiveComposition):
    """Mutant: the choice is made from the true answer, so one record decides which question is asked.

    On nine records with one or two ones, the second answer is then about 8 (zeros) or 2 (ones): a shift of 6.
    """

    id = "adaptive-composition/peeks"
    of = "adaptive-composition"
    title = "adaptive composition whose choice looks at the data"

    def chosen(self, dataset: Any, first: Outputs) -> Outputs:
        """Broken: the number of ones itself, not the noisy one."""
        return np.full(len(first), many(np.asarray(sum(dataset))))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """A second one changes the question."""
        few, more = (1,) + (0,) * 8, (1, 1) + (0,) * 7
        return (NeighbourPair(few, more, Relation.REPLACE_ONE, "the other question is asked"),)

    def exact(self) -> Profile | None:
        """On that pair, whose shifts are 1 and 6; longer datasets are worse without end."""
        first, second = count_epsilons((self.first, self.seconds[0]))
        return laplace_composition_profile([first, 6 * second])
