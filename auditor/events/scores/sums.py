"""A sum of tables: what independent parts of an output say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from auditor.events.histograms import SumHistogram, cuts_of
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, score_from_dict
from auditor.events.scores.steps import Steps
from auditor.events.words import title

_FEW, _SHOWN = 4, 3  # up to so many features are all named, and of more than that so many
_READABLE = 7.0  # up to this log-ratio the ratio itself is easier to read


@dataclass(frozen=True)
class Sum(Score):
    """The sum of several tables: what independent parts of an output say together."""

    kind: ClassVar[str] = "sum"
    improves: ClassVar[bool] = True
    predicts: ClassVar[bool] = True

    parts: tuple[Steps, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a sum must have at least one table, got none")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        total = self.parts[0].of(outputs)
        for part in self.parts[1:]:
            total = total + part.of(outputs)
        return total

    @property
    def one_table(self) -> bool:
        """True where every feature is looked up in the same table."""
        first = self.parts[0]
        return len(self.parts) > 1 and all(replace(part, feature=first.feature) == first for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "parts": [part.to_dict() for part in self.parts]}

    @classmethod
    def from_dict(cls, data: Any) -> Sum:
        """The sum that `to_dict` described."""
        parts = tuple(score_from_dict(part) for part in data["parts"])
        return cls(tuple(part for part in parts if isinstance(part, Steps)))

    def histogram(self, sides: Sequence[Outputs], view: str) -> SumHistogram:
        """The cells of each table, and those of the sum."""
        return SumHistogram(self, cuts_of(self, sides), view)

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        verb = "speak" if " together" in (judged := self._judged(names)) else "speaks"
        return f"{judged} {verb} {self.again(op, at)} (by earlier draws)"

    def again(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words where it was said before what is looked at."""
        ratio = f"{math.exp(abs(at)):.3g}" if abs(at) < _READABLE else f"e^{abs(at):.3g}"
        for_side = (at >= 0) == (op == ">=")
        side = "left" if (op == ">=") == for_side else "right"
        return f"for the {side} by {'at least' if for_side else 'at most'} {ratio} to 1"

    def _judged(self, names: Sequence[str]) -> str:
        """What is looked at: a few by name, many of an array as all of them."""
        seen = list(dict.fromkeys(title(part.feature, names) for part in self.parts))
        if len(seen) == 1:
            return seen[0]
        if len(seen) > _FEW:
            return f"{', '.join(seen[:_SHOWN])} and {len(seen) - _SHOWN} others together"
        return f"{', '.join(seen[:-1])} and {seen[-1]} together"
