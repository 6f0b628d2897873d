"""Scores that order outputs: a feature itself, and what several tables or trees say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed
from auditor.events.scores.tables import Steps


@dataclass(frozen=True)
class Value(Score):
    """A feature itself."""

    feature: str

    def __post_init__(self) -> None:
        features.check(self.feature)

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        return features.column_of(outputs, self.feature)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "value", "feature": self.feature}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        return f"{self.feature} {op} {at:.6g}"


@dataclass(frozen=True)
class Sum(Score):
    """The sum of several tables: what independent parts of an output say together."""

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
        return {"kind": "sum", "parts": [part.to_dict() for part in self.parts]}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        return f"log-ratio summed over {listed([p.feature for p in self.parts], ', ')} {op} {at:.4g}"


@dataclass(frozen=True)
class Trees(Score):
    """A sum of small decision trees over features.

    A tree is a list of nodes (feature index, threshold, left, right, value); a leaf has feature index -1. NaN goes
    left.
    """

    inputs: tuple[str, ...]
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]

    def __post_init__(self) -> None:
        for feature in self.inputs:
            features.check(feature)
        for tree in self.trees:
            for index, (column, _, left, right, _) in enumerate(tree):
                forward = index < min(left, right) and max(left, right) < len(tree)
                if column != -1 and not (forward and 0 <= column < len(self.inputs)):
                    raise ValueError("a tree's nodes must point forward, to nodes and features that exist")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        columns = [features.column_of(outputs, feature) for feature in self.inputs]
        total = np.zeros(len(outputs))
        for tree in self.trees:
            total += self._tree(tree, 0, columns)
        return total

    def _tree(self, tree: tuple[tuple[int, float, int, int, float], ...], node: int, columns: list[Floats]) -> Any:
        feature, threshold, left, right, value = tree[node]
        if feature == -1:
            return value
        goes_right = columns[feature] > threshold
        return np.where(goes_right, self._tree(tree, right, columns), self._tree(tree, left, columns))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "trees",
            "inputs": list(self.inputs),
            "trees": [[list(n) for n in t] for t in self.trees],
        }

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        used = sorted({node[0] for tree in self.trees for node in tree if node[0] >= 0})
        names = listed([self.inputs[index] for index in used], ", ")
        return f"score of {len(self.trees)} trees over {names} {op} {at:.4g}"
