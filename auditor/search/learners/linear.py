"""Very wide outputs in which all columns leak a little: a weighted sum of the columns.

Each column's weight is the difference of its means over its variance, which is the best linear score where columns are
independent with one variance each. The weights come from one half of the past and are judged on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from auditor.events.outputs import Floats, Outputs
from auditor.events.scores import Score
from auditor.search import screening
from auditor.search.candidates import Scored
from auditor.search.past import Past, curve_of


@dataclass(frozen=True)
class Linear(Score):
    """A weighted sum of all columns, each taken from its mean; ⊥ counts as the mean."""

    kind: ClassVar[str] = "linear"

    weights: tuple[float, ...]
    means: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.means) or not self.weights:
            raise ValueError("a linear score must have a weight and a mean for each column")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        matrix = outputs.numbers[:, : len(self.weights)]
        if matrix.shape[1] < len(self.weights):
            return np.full(len(outputs), np.nan)
        from_mean = np.nan_to_num(matrix - np.asarray(self.means), nan=0.0, posinf=0.0, neginf=0.0)
        return np.asarray((from_mean * np.asarray(self.weights)).sum(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "weights": list(self.weights), "means": list(self.means)}

    @classmethod
    def from_dict(cls, data: Any) -> Linear:
        """The score that `to_dict` described."""
        return cls(tuple(float(w) for w in data["weights"]), tuple(float(m) for m in data["means"]))

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region as a clause."""
        return f"the weighted sum of all {len(self.weights)} numbers is {op} {at:.4g}"


def propose(past: Past) -> list[Scored]:
    """The weighted sum, for outputs that are too wide for every column to be looked at."""
    (left, right), tuning = past.sides(), past.tuning
    few = min(len(left), len(right)) < tuning.least_for_linear
    if few or "values" not in past.views or not screening.wide((left, right), tuning.screening):
        return []
    score = _fitted(left.numbers[::2], right.numbers[::2], left.form.values)
    if score is None:
        return []
    scores = [np.sort(score.of(side.take(slice(1, None, 2)))) for side in (left, right)]
    return [Scored(score, curve_of(scores[0], scores[1]), "values")]


def _fitted(left: Floats, right: Floats, values: int) -> Linear | None:
    sides = [np.where(np.isfinite(side[:, :values]), side[:, :values], np.nan) for side in (left, right)]
    seen = [np.maximum(1, (~np.isnan(side)).sum(axis=0)) for side in sides]
    means = [np.nansum(side, axis=0) / n for side, n in zip(sides, seen, strict=True)]
    spread = sum(np.nansum((side - mean) ** 2, axis=0) for side, mean in zip(sides, means, strict=True))
    variance = np.asarray(spread) / (seen[0] + seen[1])
    weights = np.where(variance > 0, (means[0] - means[1]) / np.where(variance > 0, variance, 1.0), 0.0)
    if not values or not np.any(weights):
        return None
    middle = (means[0] + means[1]) / 2
    return Linear(tuple(weights.tolist()), tuple(middle.tolist()))
