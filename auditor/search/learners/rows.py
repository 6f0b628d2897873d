"""Whole vectors as atoms: where each coordinate takes few values, the exact row may say more than its parts."""

from __future__ import annotations

import math

import numpy as np

from auditor.events.scores import Rows
from auditor.search.candidates import Scored
from auditor.search.learners.tables import halves, judged_curve
from auditor.search.merged_cells import log_ratio
from auditor.search.past import Past


def propose(past: Past) -> list[Scored]:
    """The table of rows."""
    left, right = past.sides()
    width = left.numbers.shape[1]
    if left.scalar or not 2 <= width <= 64 or "values" not in past.views or right.numbers.shape[1] != width:
        return []
    pooled = np.concatenate([left.numbers, right.numbers])
    atoms = []
    for index in range(width):
        values = np.unique(pooled[:, index])
        values = values[~np.isnan(values)]
        if len(values) > past.tuning.row_values:
            return []
        atoms.append(tuple(values.tolist()))
    if math.prod(len(column) + 1 for column in atoms) > 2**62:
        return []
    keys, codes = np.unique(Rows.encode(tuple(atoms), pooled), return_inverse=True)
    if len(keys) > past.tuning.most_rows:
        return []
    in_left, in_right = halves(codes[: len(left)], len(keys)), halves(codes[len(left) :], len(keys))
    curve, ratios = judged_curve(in_left, in_right, log_ratio)
    score = Rows(tuple(atoms), tuple(keys.tolist()), tuple(ratios.tolist()))
    return [Scored(score, curve, "values")]
