"""What every row of the zoo has beside a mechanism: what others certified, and what is true."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.patterns import Moves, answer_patterns
from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP
from mechanisms.core.mechanism import Mechanism
from mechanisms.core.neighbours import NeighbourPair


@dataclass(frozen=True)
class Published:
    """The largest lower bound on epsilon that a published auditor certified, at a claimed 0.1 and 90 %."""

    epsilon: float
    who: str
    note: str = ""


@dataclass(frozen=True)
class Truth:
    """The smallest epsilon for which the mechanism is private (infinite where there is none), and why."""

    epsilon: float
    why: str


@dataclass(frozen=True)
class ZooMechanism(Mechanism):
    """A mechanism by which the field measures its auditors, on vectors of query answers."""

    epsilon: float = 0.1

    published: ClassVar[Published | None] = None
    length: ClassVar[int] = 1
    moves: ClassVar[Moves] = Moves.ALL_DIFFER

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @classmethod
    def at(cls, epsilon: float) -> ZooMechanism:
        """The row of the table at this claimed epsilon."""
        return cls(epsilon=epsilon)

    @property
    def claim(self) -> ApproxDP:
        """What the authors, or those who got it wrong, promise."""
        return ApproxDP(self.epsilon)

    @abstractmethod
    def truth(self) -> Truth:
        """What is true over all neighbours and, where it matters, all numbers of queries."""

    def reachable(self) -> float | None:
        """The exact epsilon over `neighbours()`: no event on them shows more. None: not known."""
        return None

    def law(self, dataset: Any) -> list[float] | None:
        """The probabilities of cells that part all outputs, the same cells for every dataset. None: not known."""
        return None

    @property
    def correct(self) -> bool:
        """True when the claim holds, so that no audit may refute it (beyond alpha)."""
        return self.truth().epsilon <= self.claim.epsilon * (1 + 1e-9)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The published input patterns."""
        return answer_patterns(self.length, self.moves)


def answers(dataset: Any, length: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The dataset as a vector of `length` query answers."""
    vector = np.asarray(dataset, dtype=np.float64).reshape(-1)
    if len(vector) != length:
        raise ValueError(f"the dataset must be {length} query answers, got length={len(vector)}")
    return vector
