"""Elements of a list that are known by a value in them, wherever they stand: the record of user 42, the row "total".

A list of records in any order has no fixed place at which to look. But a value that stands in exactly one record of
nearly every output names that record, and what is in it is then a tree like any other.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.events.kinds import MISSING, UnreadableError, kind_of

Steps = tuple[Any, ...]  # the keys and places that lead from an element to a value in it
_MOST = 8  # most elements of a list that are known by a value
_NEARLY_EVERY = 0.9  # share of the pilot's outputs in which the value must stand in exactly one element
_LONGEST = 64  # characters of a text that can be such a value
_DEEPEST = 2  # containers inside each other in which such a value may stand
_NAMES = (str, bytes, int)  # what can name a record; two equal fractions are a coincidence


@dataclass(frozen=True)
class Picked:
    """The first element in which this value stands at this place."""

    steps: Steps
    value: Any

    def __str__(self) -> str:
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step!s:.30}" for step in self.steps)
        return f"{where.removeprefix('.')} = {self.value!r:.30}"

    def of(self, elements: Sequence[Any]) -> Any:
        """The element, or what stands for a missing one."""
        return next((element for element in elements if self._fits(element)), MISSING)

    def _fits(self, element: Any) -> bool:
        for step in self.steps:
            held = _opened(element)
            if isinstance(held, Mapping):
                element = held.get(step, MISSING)
            elif held is not None and isinstance(step, int) and step < len(held):
                element = held[step]
            else:
                return False
        return type(element) is type(self.value) and bool(element == self.value)


def picks(held: Sequence[Sequence[Any]]) -> list[Picked]:
    """The values that name an element in lists like these, where it does not always stand at one place."""
    once: Counter[tuple[Steps, type, Any]] = Counter()
    places: dict[tuple[Steps, type, Any], set[int]] = {}
    for elements in held:
        named: dict[tuple[Steps, type, Any], list[int]] = {}
        for place, element in enumerate(elements):
            for found in set(_values(element, ())):
                named.setdefault(found, []).append(place)
        for found, at in named.items():
            if len(at) == 1:
                once[found] += 1
                places.setdefault(found, set()).add(at[0])
    least = max(2.0, _NEARLY_EVERY * len(held))
    chosen = sorted(
        (f for f, n in once.items() if n >= least and len(places[f]) > 1), key=lambda f: (-once[f], repr(f))
    )
    return [Picked(steps, value) for steps, _, value in chosen[:_MOST]]


def _values(element: Any, steps: Steps) -> Iterator[tuple[Steps, type, Any]]:
    """The names in an element, each with the way to it and its type."""
    if steps and isinstance(element, _NAMES):
        if isinstance(element, int) or len(element) <= _LONGEST:
            yield steps, type(element), element
    elif len(steps) < _DEEPEST and (held := _opened(element)) is not None:
        for step, inner in held.items() if isinstance(held, Mapping) else enumerate(held):
            yield from _values(inner, (*steps, step))


def _opened(element: Any) -> Mapping[Any, Any] | Sequence[Any] | None:
    """What a record holds: one that is a mapping, a row, or an object with attributes; None for anything else."""
    kind, take = kind_of(type(element))
    if kind not in ("mapping", "sequence", "object") or hasattr(element, "__array__"):
        return None
    with contextlib.suppress(UnreadableError):
        held: Mapping[Any, Any] | Sequence[Any] = take(element)
        return held
    return None
