"""Scores that order outputs: a feature itself, and what several tables or trees say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed
from auditor.events.scores.tables import Steps
from auditor.events.words import compared, feature_words

_READABLE = 7.0  # a log-ratio up to which the ratio itself is easier to read


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

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        return compared(self.feature, op, at, names)


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

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        judged = listed([feature_words(part.feature, names) for part in self.parts], ", ")
        most = "at least" if op == ">=" else "at most"
        ratio = f"{math.exp(at):.3g}" if abs(at) < _READABLE else f"e^{at:.3g}"
        return f"{judged} are together {most} {ratio} times as likely on the left as on the right, by earlier draws,"


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

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        used = sorted({node[0] for tree in self.trees for node in tree if node[0] >= 0})
        seen = listed([feature_words(self.inputs[index], names) for index in used], ", ")
        trees = "a decision tree" if len(self.trees) == 1 else f"{len(self.trees)} decision trees"
        return f"the score of {trees} over {seen}, grown on earlier draws, is {op} {at:.4g}"
