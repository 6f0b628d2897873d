"""Scores: through which number an output is looked at, as plain data.

A score is a feature, a table over a feature, a table of labels or of rows, or a sum of tables or trees. Each can be
printed, stored in JSON and evaluated again.
"""

from __future__ import annotations

from typing import Any

from auditor.events.scores.score import Region, Score, stored
from auditor.events.scores.sums import Sum, Trees, Value
from auditor.events.scores.tables import Labels, Rows, Steps, Table

__all__ = ["Labels", "Region", "Rows", "Score", "Steps", "Sum", "Table", "Trees", "Value", "score_from_dict", "stored"]


def score_from_dict(data: Any) -> Score:
    """The score that `to_dict` described; anything else is an error."""
    match data["kind"]:
        case "value":
            return Value(data["feature"])
        case "steps":
            edges, values = (tuple(float(v) for v in data[key]) for key in ("edges", "values"))
            return Steps(data["feature"], edges, values, float(data["bottom"]))
        case "labels":
            return Labels(tuple((str(label), float(value)) for label, value in data["table"]))
        case "rows":
            atoms = tuple(tuple(float(v) for v in column) for column in data["atoms"])
            return Rows(atoms, tuple(int(k) for k in data["keys"]), tuple(float(v) for v in data["values"]))
        case "sum":
            parts = tuple(score_from_dict(part) for part in data["parts"])
            return Sum(tuple(part for part in parts if isinstance(part, Steps)))
        case "trees":
            trees = tuple(
                tuple((int(f), float(t), int(lo), int(hi), float(v)) for f, t, lo, hi, v in tree)
                for tree in data["trees"]
            )
            return Trees(tuple(data["inputs"]), trees)
    raise ValueError(f"a score's kind must be value, steps, labels, rows, sum or trees, got {data['kind']!r}")
