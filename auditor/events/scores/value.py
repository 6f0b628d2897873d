"""A feature as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score
from auditor.events.words import compared


@dataclass(frozen=True)
class Value(Score):
    """A feature itself."""

    kind: ClassVar[str] = "value"

    feature: str

    def __post_init__(self) -> None:
        features.checked_feature(self.feature)

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        return features.column_of(outputs, self.feature)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "feature": self.feature}

    @classmethod
    def from_dict(cls, data: Any) -> Value:
        """The score that `to_dict` described."""
        return cls(data["feature"])

    @property
    def axis(self) -> str:
        """The feature."""
        return self.feature

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        return compared(self.feature, op, at, names)
