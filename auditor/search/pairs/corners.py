"""Corners first: a hypothesis backend that makes every strategy draw its extreme values.

Hypothesis asks a backend for booleans, integers, floats, texts and bytes, and builds lists, frames and pairs out of
them. This one answers with the ends of a range, zeros, NaN and infinities where they are allowed, odd texts,
repetitions, and constants of the mechanism's own code; lists are as short or as long as they may be. It needs to know
nothing of the strategy. When its plan is done, hypothesis goes on by itself.
"""

from __future__ import annotations

import calendar
import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hypothesis.errors import BackendCannotProceed
from hypothesis.internal.conjecture.choice import choice_permitted
from hypothesis.internal.conjecture.providers import HypothesisProvider

_FAR = (0.0, 1.0, -1.0, 0.5, 2.0, 10.0, 100.0, 1e6, -1e6, 1e15, 1e300, -1e300, 5e-324)
_FAR_WHOLE = tuple(int(x) for x in _FAR if x.is_integer() and abs(x) < 1e16)
_ODD = (math.nan, math.inf, -math.inf, -0.0)
# Nothing, separators, what looks like a number, and letters whose number changes with their case or form.
_ODD_TEXTS = ("", "\0", "\n", " ", ",", '"', "0", "-1", "nan", "ß", "\ufb03", "\u0130", "e\u0301", "\U0001f600")
_LENGTHS = (1, None, 2, 3, 0)  # numbers of records in a list; None: as many as the strategy allows
_LONGEST = 64
_VALUES = ("high", "low", "falling", "rising", "odd", "ends", "repeat", "far", "own", "calendar")


@dataclass(frozen=True)
class Corner:
    """How one dataset is drawn: how often its lists go on, and which values they get."""

    length: int | None
    values: str


def corner_plan(number: int, lengths: Sequence[int | None] = _LENGTHS) -> list[Corner]:
    """The corners in the order in which they are tried: each length with each kind of value, then random mixtures."""
    first = [Corner(length, values) for length in lengths for values in _VALUES]
    more = (None, 2, 1, 3, 4, 6) if None in lengths else lengths
    remaining = [Corner(length, values) for length in more for values in ("mixed", "mixed", "mostly own")]
    return [*first, *(remaining[place % len(remaining)] for place in range(max(0, number - len(first))))][:number]


class Corners(HypothesisProvider):
    """Draws one dataset of the plan; `of` makes the backend for a plan."""

    todo: ClassVar[list[Corner]] = []
    own: ClassVar[Sequence[object]] = ()

    def __init__(self, data: Any, /) -> None:
        super().__init__(data)
        self._corner = self.todo.pop(0) if self.todo else None
        self._records = 0
        self._drawn: dict[object, list[Any]] = {}

    @classmethod
    def of(cls, corners: Sequence[Corner], own: Sequence[object]) -> type[Corners]:
        """A backend for these corners, with the numbers and texts of the mechanism's own source."""
        return type("PlannedCorners", (cls,), {"todo": list(corners), "own": tuple(own)})

    def draw_boolean(self, p: float = 0.5) -> bool:
        """Whether a list goes on, which hypothesis makes likelier than not; any other boolean is drawn as ever."""
        corner = self._needed()
        if not 0.5 < p < 1:
            return super().draw_boolean(p)
        goes_on = self._records < (_LONGEST if corner.length is None else corner.length)
        self._records = self._records + 1 if goes_on else 0
        return goes_on

    def draw_integer(self, min_value: int | None = None, max_value: int | None = None, **remaining: Any) -> int:
        """A whole number."""
        limits = {"min_value": min_value, "max_value": max_value, "weights": None, "shrink_towards": 0, **remaining}
        low = -(2**63) if min_value is None else min_value
        high = 2**63 - 1 if max_value is None else max_value
        pools = {
            "low": [low],
            "high": [high],
            "odd": [low + 1, high - 1],
            "far": _FAR_WHOLE,
            "calendar": _leap_day(low, high),
        }
        found = self._chosen("integer", pools, limits)
        return int(self._kept(super().draw_integer(min_value, max_value, **remaining) if found is None else found))

    def draw_float(self, **limits: Any) -> float:
        """A float."""
        low, high = limits.get("min_value", -math.inf), limits.get("max_value", math.inf)
        middle = [low / 2 + high / 2] if math.isfinite(low) and math.isfinite(high) else []
        pools = {"low": [low], "high": [high], "odd": _ODD, "far": [*middle, *_FAR]}
        found = self._chosen("float", pools, limits)
        return float(self._kept(super().draw_float(**limits) if found is None else found))

    def draw_string(self, intervals: Any, *, min_size: int = 0, max_size: int = 2**31) -> str:
        """A text: empty, odd, long, repeated, of the mechanism's own source, or hypothesis's."""
        limits = {"intervals": intervals, "min_size": min_size, "max_size": max_size}
        long = [intervals.char_in_shrink_order(0) * min(max_size, _LONGEST)] if len(intervals) else []
        pools = {"low": [""], "high": long, "odd": _ODD_TEXTS, "far": _ODD_TEXTS}
        found = self._chosen("string", pools, limits)
        natural = super().draw_string
        return str(self._kept(natural(intervals, min_size=min_size, max_size=max_size) if found is None else found))

    def _needed(self) -> Corner:
        if self._corner is None:
            raise BackendCannotProceed("exhausted")
        return self._corner

    def _chosen(self, kind: str, pools: dict[str, Sequence[Any]], limits: Any) -> Any:
        """The value that the corner asks for, where the strategy permits one; None for hypothesis's own."""
        assert self._random is not None
        self._before = self._drawn.setdefault((kind, str(limits)), [])
        low, high = pools.get("low", ()), pools.get("high", ())
        ends = [low, high] if len(self._before) % 2 == 0 else [high, low]
        pools = {
            **pools,
            "rising": ends[0],
            "falling": ends[1],
            "ends": [*low, *high],
            "repeat": self._before[:1],
            "own": [value for value in self.own if isinstance(value, _KINDS[kind])],
        }
        name = self._needed().values
        if name == "mostly own":
            name = self._random.choice(["own", "own", "mixed"])
        if name == "mixed":
            name = self._random.choice([*_VALUES, "natural", "natural"])
        values = [float(v) if kind == "float" else v for v in pools.get(name, ())]
        permitted = [value for value in values if choice_permitted(value, limits)]
        return self._random.choice(permitted) if permitted else None

    def _kept(self, value: Any) -> Any:
        self._before.append(value)
        return value


def _leap_day(low: int, high: int) -> list[int]:
    """The part of 29 February that hypothesis asks for with this range: a year, a month or a day; none for others."""
    if low == 1 and high in (12, 28, 29, 30, 31):
        return [2 if high == 12 else high]
    years = [year for year in range(min(high, datetime.MAXYEAR), max(low, 1) - 1, -1)[:8] if calendar.isleap(year)]
    return years[:1]


_KINDS: dict[str, tuple[type, ...]] = {"integer": (int,), "float": (float, int), "string": (str,)}
