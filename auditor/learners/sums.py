"""Vectors whose parts carry independent noise: log-ratios of each coordinate, added up.

With independent noise the sum of the coordinates' log-likelihood ratios is the best score there is, and it needs few draws.
A draw is scored by tables made from the other half of the past, so that noise in the tables does not count as promise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from auditor.events import Steps, Sum
from auditor.learners.past import Past, curve_of
from auditor.learners.tables import cells, halves, pieces
from auditor.outputs import Floats
from auditor.promise import Curve, Scored

_CELLS = 32
_LEAST = 200  # draws of both sides, below which tables of several coordinates are mostly noise
_MOST_COLUMNS = 64

Codes = npt.NDArray[np.int64]


def propose(past: Past) -> list[Scored]:
    """The sum over coordinates, and over the steps from one to the next."""
    left, _ = past.sides()
    if left.scalar or past.trials < _LEAST:
        return []
    chosen = []
    for view in past.views:
        names = [n for n in past.features(view) if n.startswith(("x[", "low bit of x[")) and "-" not in n]
        chosen.append((names[:_MOST_COLUMNS], view))
    width = left.numbers.shape[1]
    if "values" in past.views and left.labels is None and width <= _MOST_COLUMNS:
        # partial sums: the steps between them carry the independent noise
        chosen.append((["x[0]"] + [f"x[{j + 1}]-x[{j}]" for j in range(width - 1)], "values"))
    return [_sum(past, names, view) for names, view in chosen if len(names) > 1]


def _sum(past: Past, names: list[str], view: str) -> Scored:
    totals = [np.zeros(len(side)) for side in past.sides()]
    parts = []
    for name in names:
        edges = cells(*past.ordered(name), most=_CELLS)
        codes = [_codes(column, edges) for column in past.column(name)]
        counts = [halves(code, len(edges) + 2) for code in codes]
        tables = [pieces(counts[0][half], counts[1][half]) for half in (0, 1)]
        for total, code in zip(totals, codes, strict=True):
            total[0::2] += tables[1][code[0::2]]
            total[1::2] += tables[0][code[1::2]]
        final = pieces(counts[0].sum(axis=0), counts[1].sum(axis=0))
        parts.append(Steps(name, tuple(edges.tolist()), tuple(final[:-1].tolist()), float(final[-1])))
    curve = with_model(np.sort(totals[0]), np.sort(totals[1]))
    return Scored(Sum(tuple(parts)), curve, view)


def _codes(column: Floats, edges: Floats) -> Codes:
    codes: Codes = np.searchsorted(edges, column, side="right")
    codes[np.isnan(column)] = len(edges) + 1
    return codes


def with_model(left: Floats, right: Floats) -> Curve:
    """The curve of a log-ratio score, with the ratio that the score itself predicts in each region.

    The score is first rescaled by the slope of a logistic regression of the side on it, so that one that is too sure of
    itself (coordinates that are not independent) does not promise too much.
    """
    curve = curve_of(left, right)
    slope = _slope(left, right)
    sums = []
    for ordered, sign in (
        (left, -1.0),
        (right, 1.0),
    ):  # E_right[e^s] = left / right, E_left[e^-s] = right / left
        grown = np.concatenate([[0.0], np.cumsum(np.exp(np.clip(sign * slope * ordered, -50, 50)))])
        low = np.searchsorted(ordered, curve.thresholds, side="right")
        high = np.searchsorted(ordered, curve.thresholds, side="left")
        sums.append((grown[low], grown[-1] - grown[high]))
    with np.errstate(divide="ignore", invalid="ignore"):
        low_model = np.log((sums[1][0] / len(right) + curve.left_low / len(left)) / 2)
        low_model -= np.log((sums[0][0] / len(left) + curve.right_low / len(right)) / 2)
        high_model = np.log((sums[1][1] / len(right) + curve.left_high / len(left)) / 2)
        high_model -= np.log((sums[0][1] / len(left) + curve.right_high / len(right)) / 2)
    return replace(curve, model_low=low_model, model_high=high_model)


def _slope(left: Floats, right: Floats) -> float:
    """The slope of the side's log-odds on the score, by Newton's method."""
    scores = np.concatenate([left[:: 1 + len(left) // 20_000], right[:: 1 + len(right) // 20_000]])
    sides = np.zeros(len(scores))
    sides[: len(left[:: 1 + len(left) // 20_000])] = 1
    slope = 1.0
    for _ in range(12):
        odds = expit(slope * scores)
        bend = float((odds * (1 - odds) * scores**2).sum()) + 1e-9
        slope += float(((sides - odds) * scores).sum()) / bend
        slope = min(max(slope, 0.0), 3.0)
    return slope
