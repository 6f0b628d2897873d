"""Scores: through which number an output is looked at, as plain data. One kind a file.

A score is a feature, a table over a feature, a table of labels or of rows, outputs seen on one side alone, or a
sum of tables or trees. Each can be
printed, stored in JSON and evaluated again.
"""

from auditor.events.scores.labels import Labels
from auditor.events.scores.lone import Lone
from auditor.events.scores.rows import Rows
from auditor.events.scores.score import Region, Score, score_from_dict, stored
from auditor.events.scores.steps import Steps
from auditor.events.scores.sums import Sum
from auditor.events.scores.table import Table
from auditor.events.scores.trees import Trees
from auditor.events.scores.value import Value

__all__ = [
    "Labels",
    "Lone",
    "Region",
    "Rows",
    "Score",
    "Steps",
    "Sum",
    "Table",
    "Trees",
    "Value",
    "score_from_dict",
    "stored",
]
