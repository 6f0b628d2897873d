"""OpenDP's transformations against their stability maps: a deterministic check, without any draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from auditor.errors import UsageError
from auditor.libraries.adapted import missing
from auditor.libraries.opendp.distances import distance
from auditor.search.pairs.sensitivity import EXAMPLES, sensitivity
from mechanisms.core.neighbours import NeighbourPair


@dataclass(frozen=True, eq=False)
class Stability:
    """The pair whose answers are furthest apart, beside what the stability map allows.

    `refuted` is exact: the answers of two members of the input domain within `d_in` are further apart than
    `t.map(d_in)`. Not refuted is not proof: other pairs may be worse.
    """

    refuted: bool
    # the distance of the answers: a float, or three numbers in L01InfDistance and L02InfDistance; inf where one raises
    distance: Any
    allowed: Any  # what the stability map allows: t.map(d_in)
    d_in: Any
    pair: NeighbourPair
    answers: tuple[Any, Any]
    metric: str
    tried: int

    def __str__(self) -> str:
        left, right = (f"{answer!r:.60}" for answer in self.answers)
        said = f"the map says {self.allowed} at d_in={self.d_in} ({self.metric})"
        where = f"on {self.pair} the answers {left} and {right} are {self.distance} apart"
        tried = "1 pair was tried" if self.tried == 1 else f"{self.tried} pairs were tried"
        if self.refuted:
            return f"REFUTED: {said}, but {where}; {tried}."
        return f"NOT REFUTED: {said}, and at worst, {where}; {tried}, others may be worse."


def stability(transformation: Any, d_in: Any, pairs: Any, *, examples: int = EXAMPLES, seed: int = 0) -> Stability:
    """Whether the answers of an OpenDP transformation stay within `transformation.map(d_in)` on pairs of neighbours.

    Distances are computed exactly in the transformation's own metrics. Pairs of a strategy that are further apart than
    `d_in`, or that are no members of the input domain, are passed over. An answer on one side where the other side
    raises is infinitely far. The transformation must be deterministic.

    Args:
        transformation: The Transformation.
        d_in: The largest distance of neighbours, as `transformation.map` takes it.
        pairs: A list of pairs, or a strategy from `neighbouring`, which is searched for the worst pair.
        examples: How many pairs of a strategy are looked at.
        seed: The same seed looks at the same pairs.
    """
    if not isinstance(transformation, _transformation_class()):
        raise UsageError(f"stability takes an OpenDP Transformation, got a {type(transformation).__name__}")
    try:
        allowed = transformation.map(d_in)
    except Exception as error:  # OpenDP's own, and those of a map that a user wrote
        raise UsageError(f"d_in must be a distance that the map takes, got d_in={d_in!r:.60}: {error}") from error
    check = _Check(transformation, d_in, allowed)
    if isinstance(pairs, (list, tuple)):
        pairs = [pair if isinstance(pair, NeighbourPair) else NeighbourPair(*pair) for pair in pairs]
        for pair in pairs:
            if not check.fits(pair.left, pair.right):
                raise UsageError(f"a pair must be of members of {check.domain} within d_in={d_in!r:.60}, got {pair}")
    found = sensitivity(lambda data: (data, check.answer(data)), pairs, check.norm, examples=examples, seed=seed)
    return check.result(found.pair, found.tried)


def _transformation_class() -> Any:
    try:
        from opendp.mod import Transformation
    except ImportError as error:
        raise missing("opendp", error) from error
    return Transformation


@dataclass(frozen=True)
class _Raised:
    """What stands for an answer where there is none."""

    kind: str

    def __repr__(self) -> str:
        return f"(raised {self.kind})"


class _Check:
    """One transformation at one `d_in`."""

    def __init__(self, transformation: Any, d_in: Any, allowed: Any) -> None:
        self.transformation, self.d_in, self.allowed = transformation, d_in, allowed
        self.domain = transformation.input_domain
        self.into, self.out = distance(transformation.input_metric), distance(transformation.output_metric)

    def fits(self, left: Any, right: Any) -> bool:
        """Whether both datasets are members of the input domain, at most `d_in` apart."""
        try:
            members = self.domain.member(left) and self.domain.member(right)
        except Exception:  # the domain does not know the dataset's type
            return False
        return members and not self.into.exceeds(left, right, self.d_in)

    def norm(self, left: tuple[Any, Any], right: tuple[Any, Any]) -> float | None:
        """The ratio of the answers that stand beside two datasets; None where these do not fit."""
        return self.ratio(left[1], right[1]) if self.fits(left[0], right[0]) else None

    def answer(self, dataset: Any) -> Any:
        """The transformation's answer, or that it raised."""
        try:
            return self.transformation(dataset)
        except Exception as error:  # OpenDP's own, and those of a function that a user wrote
            return _Raised(type(error).__name__)

    def ratio(self, left: Any, right: Any) -> float:
        """How far the answers are apart, in units of what is allowed."""
        raised = [isinstance(answer, _Raised) for answer in (left, right)]
        if any(raised):
            return 0.0 if all(raised) else math.inf
        return self.out.ratio(left, right, self.allowed)

    def result(self, pair: NeighbourPair, tried: int) -> Stability:
        """What is said of the worst pair; a UsageError where answers differ from call to call."""
        answers = self.answer(pair.left), self.answer(pair.right)
        if repr(answers) != repr((self.answer(pair.left), self.answer(pair.right))):
            raise UsageError(f"stability takes a deterministic transformation, got other answers each time on {pair}")
        ratio = self.ratio(*answers)
        raised = any(isinstance(answer, _Raised) for answer in answers)
        apart = ratio if raised else self.out(*answers)
        return Stability(ratio > 1, apart, self.allowed, self.d_in, pair, answers, self.out.name, tried)
