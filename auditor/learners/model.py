"""What a log-ratio score predicts for its regions, and how thresholds move from a score judged on halves to the
final one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from auditor.learners.past import curve_of
from auditor.outputs import Floats
from auditor.promise import Curve

_MOST_FITTED = 20_000


def with_model(left: Floats, right: Floats) -> Curve:
    """The curve of a log-ratio score with sorted values, and the log-ratio that the score itself predicts in each
    region.

    The score is first rescaled by the slope of a logistic regression of the side on it, so that one that is too sure of
    itself (coordinates that are not independent) does not promise too much.
    """
    curve = curve_of(left, right)
    pooled = np.sort(np.concatenate([left, right]))
    odds = expit(np.log(len(left) / len(right)) + _slope(left, right) * pooled)
    grown = np.concatenate([[0.0], np.cumsum(odds)])
    below = np.searchsorted(pooled, curve.low.at, side="right")
    above = np.searchsorted(pooled, curve.high.at, side="left")
    base = np.log(len(left) / len(right))
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.log(grown[below] / (below - grown[below])) - base
        inside = grown[-1] - grown[above]
        high = np.log(inside / (len(pooled) - above - inside)) - base
    return replace(curve, low=replace(curve.low, model=low), high=replace(curve.high, model=high))


def _slope(left: Floats, right: Floats) -> float:
    """The slope of the side's log-odds on the score, by Newton's method."""
    parts = [side[:: 1 + len(side) // _MOST_FITTED] for side in (left, right)]
    scores = np.concatenate(parts)
    sides = np.repeat([1.0, 0.0], [len(part) for part in parts])
    base = np.log(len(left) / len(right))
    slope = 1.0
    for _ in range(12):
        odds = expit(base + slope * scores)
        bend = float((odds * (1 - odds) * scores**2).sum()) + 1e-9
        slope = float(np.clip(slope + ((sides - odds) * scores).sum() / bend, 0.0, 3.0))
    return slope


def matched(curve: Curve, final: Floats, weights: Floats | None = None) -> Curve:
    """The same regions on another score: each threshold moves to where the final score leaves as many draws beyond
    it."""
    order = np.argsort(final, kind="stable")
    values = final[order]
    mass = np.cumsum(np.ones(len(final)) if weights is None else weights[order])
    low = np.searchsorted(mass, curve.low.left + curve.low.right - 1e-9)
    high = np.searchsorted(mass, mass[-1] - curve.high.left - curve.high.right + 1e-9, side="right")
    last = len(values) - 1
    return replace(
        curve,
        low=replace(curve.low, at=values[np.minimum(low, last)]),
        high=replace(curve.high, at=values[np.minimum(high, last)]),
    )
