"""A sum of small decision trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed
from auditor.events.words import title


@dataclass(frozen=True)
class Trees(Score):
    """A sum of small decision trees over features.

    A tree is a list of nodes (feature index, threshold, left, right, value); a leaf has feature index -1. NaN goes
    left.
    """

    kind: ClassVar[str] = "trees"
    slow: ClassVar[bool] = True

    inputs: tuple[str, ...]
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]

    def __post_init__(self) -> None:
        for feature in self.inputs:
            features.checked_feature(feature)
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
            "kind": self.kind,
            "inputs": list(self.inputs),
            "trees": [[list(n) for n in t] for t in self.trees],
        }

    @classmethod
    def from_dict(cls, data: Any) -> Trees:
        """The trees that `to_dict` described."""
        trees = tuple(
            tuple((int(f), float(t), int(lo), int(hi), float(v)) for f, t, lo, hi, v in tree) for tree in data["trees"]
        )
        return cls(tuple(data["inputs"]), trees)

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        used = sorted({node[0] for tree in self.trees for node in tree if node[0] >= 0})
        seen = listed([title(self.inputs[index], names) for index in used], ", ")
        trees = "a decision tree" if len(self.trees) == 1 else f"{len(self.trees)} decision trees"
        return f"{trees} over {seen} (grown on earlier draws) {self.again(op, at)}"

    def again(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words where it was said before what is looked at."""
        for_side = (at >= 0) == (op == ">=")
        side = "left" if (op == ">=") == for_side else "right"
        one = len(self.trees) == 1
        verb = ("takes" if one else "take") if for_side else ("does not take" if one else "do not take")
        return f"{verb} the output for one of the {side} input (score {op} {at:.3g})"
