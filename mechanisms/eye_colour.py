"""The most common eye colour in the room, chosen by the exponential mechanism (003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import NumericProfile, Profile
from mechanisms.core.mechanism import Accuracy, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.exponential import Exponential, logistic_profile

COLOURS = ("Red", "Blue", "Green", "Brown", "Purple")
_LEVEL = ("Brown",) * 12 + ("Blue",) * 12


def only_seen(votes: Outputs) -> Outputs:
    """The votes with colours that nobody has struck out: the mistake of taking the range from the data."""
    return np.where(votes > 0, votes, -np.inf) if votes.any() else votes


@dataclass(frozen=True)
class EyeColour(Exponential):
    """A colour with probability ~ exp(epsilon (number of people who have it) / 2); Delta = 1.

    When a record is replaced, one count rises and another falls: the log-odds of two colours far ahead of the
    others move by the whole epsilon. When one is added or removed, they move by epsilon/2.
    """

    epsilon: float = 1.0

    id: ClassVar[str] = "eye-colour"
    title: ClassVar[str] = "exponential mechanism: the most common eye colour"
    source: ClassVar[str] = "000 Thm 4; 003 Exponential(D, R, q, epsilon) and its example"

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @property
    def outcomes(self) -> Outputs:
        """R = {Red, Blue, Green, Brown, Purple} (003)."""
        return np.array(COLOURS)

    @property
    def sensitivity(self) -> float:
        """One record changes a count by at most 1."""
        return 1.0

    def scores(self, dataset: Sequence[str]) -> Outputs:
        """How many people have each colour."""
        return np.array([float(list(dataset).count(colour)) for colour in COLOURS])

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The ratio is largest for a colour that rarely wins; two level colours; one vote in all."""
        ahead, closer = ("Brown",) * 6 + _LEVEL, ("Brown",) * 5 + _LEVEL + ("Blue",)
        return (
            NeighbourPair(ahead, closer, Relation.REPLACE_ONE, "a vote goes from the leader to the second"),
            NeighbourPair(_LEVEL, (*_LEVEL[:-1], "Brown"), Relation.REPLACE_ONE, "two colours were level"),
            NeighbourPair(_LEVEL, _LEVEL[:-1], Relation.ADD_REMOVE, "two level colours, one vote leaves"),
            NeighbourPair(("Blue",), ("Brown",), Relation.REPLACE_ONE, "the only vote changes"),
        )

    def exact(self) -> Profile | None:
        """Two colours decide, and the log-odds between them are a multiple of the rate."""
        return logistic_profile(2 * self.rate, self.rate)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """000 Lemma 3.2 on a room of a hundred."""
        room = ("Brown",) * 45 + ("Blue",) * 30 + ("Green",) * 15 + ("Red",) * 10
        return self._utility(room)


class EyeColourNoHalf(EyeColour):
    """Mutant: exp(epsilon q / Delta), truly 2 epsilon."""

    id = "eye-colour/no-half"
    of = "eye-colour"
    title = "eye colour without the factor 1/2"

    @property
    def rate(self) -> float:
        """Broken: epsilon / Delta."""
        return self.epsilon / self.sensitivity


class EyeColourOnlySeen(EyeColour):
    """Mutant: only colours that occur can be chosen, so choosing one proves that somebody has it."""

    id = "eye-colour/only-seen"
    of = "eye-colour"
    worst = 3
    title = "eye colour among the colours that occur"

    def scores(self, dataset: Sequence[str]) -> Outputs:
        """Broken: the range depends on the data."""
        return only_seen(super().scores(dataset))

    def exact(self) -> Profile | None:
        """In a room of one person the answer is that person's colour."""
        return certain("with one record the output is the record")


@dataclass(frozen=True)
class EyeColourMonotone(EyeColour):
    """A colour with probability ~ exp(epsilon (number of people who have it)), for add/remove neighbours.

    An added record raises scores and lowers none (a monotone score), so numerator and normaliser of 003's
    proof do not move against each other and the factor 1/2 is not needed.
    """

    id: ClassVar[str] = "eye-colour-monotone"
    title: ClassVar[str] = "exponential mechanism for a monotone score"
    source: ClassVar[str] = "000 Lemma 3.1 with a score that one record only raises"

    @property
    def rate(self) -> float:
        """epsilon / Delta: monotone scores spare the 1/2."""
        return self.epsilon / self.sensitivity

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The ratio is largest for a colour that rarely wins; two level colours; an empty room."""
        ahead = ("Brown",) * 3 + _LEVEL
        return (
            NeighbourPair(ahead, ahead[:-1], Relation.ADD_REMOVE, "the second loses a vote"),
            NeighbourPair(_LEVEL, _LEVEL[:-1], Relation.ADD_REMOVE, "two level colours, one vote leaves"),
            NeighbourPair(("Blue",), (), Relation.ADD_REMOVE, "the only vote is removed"),
        )

    def exact(self) -> Profile | None:
        """One colour against all the others together."""
        return logistic_profile(self.rate, self.rate, one_against_the_rest(self.rate))


class EyeColourMonotoneReplaced(EyeColourMonotone):
    """Mutant: the rate that is right for add/remove, claimed for replaced records; truly 2 epsilon."""

    id = "eye-colour-monotone/replace-one"
    of = "eye-colour-monotone"
    title = "monotone exponential mechanism under replace-one"

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Broken: under replace-one the score is not monotone."""
        return EyeColour.neighbours(self)

    def exact(self) -> Profile | None:
        """One score rises while another falls."""
        return EyeColour.exact(self)


class EyeColourMonotoneOnlySeen(EyeColourMonotone):
    """Mutant: only colours that occur can be chosen."""

    id = "eye-colour-monotone/only-seen"
    of = "eye-colour-monotone"
    worst = 2
    title = "monotone exponential mechanism among the colours that occur"

    def scores(self, dataset: Sequence[str]) -> Outputs:
        """Broken: the range depends on the data."""
        return only_seen(super().scores(dataset))

    def exact(self) -> Profile | None:
        """An empty room allows all colours, four of which a room of one person never gives."""
        return NumericProfile(lambda e: 1 - 1 / len(COLOURS), "the empty room against one person")


@cache
def one_against_the_rest(rate: float) -> tuple[float, ...]:
    """All log-odds, modulo the rate, of one colour against the other four, and of those against it.

    The four weigh e^(rate c) for counts c; up to a common factor that is 1 + three more terms of at most 1.
    Counts that are further behind than e^-40, or than 60 votes, are left out.
    """
    behind = np.append(np.exp(-rate * np.arange(min(60, 1 + int(40 / rate)))), 0.0)
    rest = sum(np.array(list(combinations_with_replacement(behind, len(COLOURS) - 2))).T)
    logarithms = np.unique(np.round(np.log1p(rest), 12))
    return (*logarithms, *-logarithms)
