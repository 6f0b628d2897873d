"""Distances between datasets or answers, in OpenDP's metrics, computed in exact fractions.

A distance has one part in most metrics, and three in L01InfDistance and L02InfDistance: how many groups differ, by how
much in all, and by how much the worst. `infinite` stands where the metric gives no finite distance: other lengths where
lengths must agree, a number on one side only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from auditor.errors import UsageError

Exact = Fraction | float  # a float only for an infinite distance
Parts = tuple[Exact, ...]


@dataclass(frozen=True)
class Distance:
    """A metric: `distance(left, right)` as it is read, `exceeds(left, right, bound)` exactly.

    `powers`: a part is kept to this power, so that a root need not be taken.
    """

    name: str
    parts: Callable[[Any, Any], Parts]
    powers: tuple[int, ...] = (1,)

    def __call__(self, left: Any, right: Any) -> Any:
        """The distance as a float, or a tuple of three."""
        found = tuple(
            float(part) ** (1 / power) for part, power in zip(self.parts(left, right), self.powers, strict=True)
        )
        return found[0] if len(found) == 1 else found

    def exceeds(self, left: Any, right: Any, bound: Any) -> bool:
        """Whether some part of the distance is larger than the bound's."""
        return any(part > most for part, most in self._beside(left, right, bound))

    def ratio(self, left: Any, right: Any, bound: Any) -> float:
        """The largest part of the distance in units of the bound's: above 1 exactly where it exceeds the bound."""
        found = [
            _divided(part, most, power)
            for (part, most), power in zip(self._beside(left, right, bound), self.powers, strict=True)
        ]
        more = self.exceeds(left, right, bound)
        return max(max(found), math.nextafter(1.0, 2.0)) if more else min(max(found), 1.0)

    def _beside(self, left: Any, right: Any, bound: Any) -> list[tuple[Exact, Exact]]:
        bounds = bound if isinstance(bound, tuple) else (bound,)
        most = [_exact(part) ** power for part, power in zip(bounds, self.powers, strict=True)]
        return list(zip(self.parts(left, right), most, strict=True))


def distance(metric: Any) -> Distance:
    """The distance of an OpenDP metric; a UsageError for one that is not known here."""
    name = str(metric)
    if name in _RECORDS:
        return Distance(name, _RECORDS[name])
    kind = re.match(r"(\w+)\(", name)
    if kind is not None and kind[1] in _NUMBERS and "IdDistance" not in name:
        if kind[1].startswith("L0") and "AbsoluteDistance" not in name:
            raise _unknown(name)
        parts, powers = _NUMBERS[kind[1]]
        return Distance(name, _monotonic if "monotonic" in name else parts, powers)
    raise _unknown(name)


def _unknown(name: str) -> UsageError:
    known = ", ".join([*_RECORDS, *_NUMBERS])
    return UsageError(
        f"the metric must be one of {known}, got {name}; use sensitivity(function, pairs, norm=…) instead"
    )


def _divided(part: Exact, most: Exact, power: int) -> float:
    if part == 0:
        return 0.0
    return math.inf if not most or part == math.inf else float(Fraction(part) / Fraction(most)) ** (1 / power)


def _exact(number: Any) -> Exact:
    """A number as a fraction; NaN and infinities have none, and stay."""
    value = number.item() if hasattr(number, "item") else number
    return Fraction(value) if math.isfinite(value) else float(value)


def _gap(left: Any, right: Any) -> Exact:
    a, b = (math.nan if item is None else _exact(item) for item in (left, right))
    if a == b or (a != a and b != b):
        return Fraction(0)
    return abs(a - b) if isinstance(a, Fraction) and isinstance(b, Fraction) else math.inf


def _gaps(left: Any, right: Any) -> list[Exact]:
    """The difference in each entry of two vectors, or under each key of two dicts, which has 0 where it lacks one."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return [_gap(left.get(key, 0), right.get(key, 0)) for key in {*left, *right}]
    if len(left) != len(right):
        return [math.inf]
    return [_gap(a, b) for a, b in zip(left, right, strict=True)]


def _sum(gaps: Sequence[Exact], power: int = 1) -> Exact:
    return math.inf if math.inf in gaps else sum((gap**power for gap in gaps), Fraction(0))


def _grouped(power: int) -> Callable[[Any, Any], Parts]:
    def parts(left: Any, right: Any) -> Parts:
        gaps = [gap for gap in _gaps(left, right) if gap]
        return Fraction(len(gaps)), _sum(gaps, power), max(gaps, default=Fraction(0))

    return parts


def _monotonic(left: Any, right: Any) -> Parts:
    """The largest difference, infinite where some go up and others down."""
    signs = {_exact(a) > _exact(b) for a, b in zip(left, right, strict=False) if a != b}
    return (math.inf if len(signs) > 1 else max(_gaps(left, right), default=Fraction(0)),)


def _key(record: Any) -> Any:
    """What two records have in common when they are the same; NaN is the same as NaN."""
    return "NaN" if record != record else record


def _symmetric(left: Any, right: Any) -> Parts:
    a, b = Counter(map(_key, left)), Counter(map(_key, right))
    return (Fraction(((a - b) + (b - a)).total()),)


def _insert_delete(left: Any, right: Any) -> Parts:
    """Both lengths, less twice that of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for a in map(_key, left):
        before, row = row, [0]
        for index, b in enumerate(map(_key, right)):
            row.append(before[index] + 1 if a == b else max(row[index], before[index + 1]))
    return (Fraction(len(left) + len(right) - 2 * row[-1]),)


def _hamming(left: Any, right: Any) -> Parts:
    if len(left) != len(right):
        return (math.inf,)
    return (Fraction(sum(_key(a) != _key(b) for a, b in zip(left, right, strict=True))),)


_RECORDS: dict[str, Callable[[Any, Any], Parts]] = {
    "SymmetricDistance()": _symmetric,
    "InsertDeleteDistance()": _insert_delete,
    "ChangeOneDistance()": lambda a, b: (_symmetric(a, b)[0] / 2,) if len(a) == len(b) else (math.inf,),
    "HammingDistance()": _hamming,
    "DiscreteDistance()": lambda a, b: (Fraction(_key(a) != _key(b)),),
}
_NUMBERS: dict[str, tuple[Callable[[Any, Any], Parts], tuple[int, ...]]] = {
    "AbsoluteDistance": (lambda a, b: (_gap(a, b),), (1,)),
    "L1Distance": (lambda a, b: (_sum(_gaps(a, b)),), (1,)),
    "L2Distance": (lambda a, b: (_sum(_gaps(a, b), 2),), (2,)),
    "LInfDistance": (lambda a, b: (max(_gaps(a, b), default=Fraction(0)),), (1,)),
    "L01InfDistance": (_grouped(1), (1, 1, 1)),
    "L02InfDistance": (_grouped(2), (1, 2, 1)),
}
