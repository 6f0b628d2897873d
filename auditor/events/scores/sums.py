"""A sum of tables: what independent parts of an output say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from auditor.events.histograms import SumHistogram, cuts_of
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed, score_from_dict
from auditor.events.scores.steps import Steps
from auditor.events.words import feature_words

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
        judged = listed([feature_words(part.feature, names) for part in self.parts], ", ")
        ratio = f"{math.exp(abs(at)):.3g}" if abs(at) < _READABLE else f"e^{abs(at):.3g}"
        together = "together " if len(self.parts) > 1 else ""
        if (at >= 0) == (op == ">="):
            side = "left" if op == ">=" else "right"
            return f"{judged} {together}look at least {ratio} times as likely on the {side} input (by earlier draws)"
        side = "right" if op == ">=" else "left"
        return f"{judged} {together}look at most {ratio} times as likely on the {side} input (by earlier draws)"
