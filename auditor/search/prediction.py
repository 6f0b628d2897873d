"""What a log-ratio score predicts for its regions, and how thresholds move from a score judged on halves to the
final one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from auditor.events.outputs import Floats
from auditor.search.candidates import Curve, Indices
from auditor.search.past import curve_of
from auditor.tuning import TUNING


def with_model(left: Floats, right: Floats, fitted_on: int = TUNING.learning.fitted_on) -> Curve:
    """The curve of a log-ratio score with sorted values, and the log-ratio that the score itself predicts in each
    region.

    The score is first rescaled by the slope of a logistic regression of the side on it, so that one that is too sure of
    itself (coordinates that are not independent) does not promise too much.
    """
    curve = curve_of(left, right)
    pooled = np.sort(np.concatenate([left, right]))
    parts = [side[:: 1 + len(side) // fitted_on] for side in (left, right)]
    ones = [np.ones(len(part)) for part in parts]
    slope = _slope(np.concatenate(parts), np.append(ones[0], 0 * ones[1]), np.append(0 * ones[0], ones[1]))
    below = np.searchsorted(pooled, curve.low.at, side="right")
    above = np.searchsorted(pooled, curve.high.at, side="left")
    return predicted(curve, slope * pooled, np.ones(len(pooled)), below, above)


def with_model_of_bins(curve: Curve, scores: Floats, left: Floats, right: Floats) -> Curve:
    """The same for counts in bins with these scores; the curve's thresholds lie between the bins."""
    between = np.arange(1, len(scores))
    return predicted(curve, _slope(scores, left, right) * scores, left + right, between, between)


def predicted(curve: Curve, scores: Floats, weights: Floats, below: Indices, above: Indices) -> Curve:
    """The curve with what scores in this order predict: `below` (`above`) is where each threshold ends (starts)."""
    base = np.log(curve.left_trials / curve.right_trials)
    mass, odds = (np.append(0.0, np.cumsum(part)) for part in (weights, weights * expit(base + scores)))
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.log(odds[below] / (mass[below] - odds[below])) - base
        inside = odds[-1] - odds[above]
        high = np.log(inside / (mass[-1] - mass[above] - inside)) - base
    return replace(curve, low=replace(curve.low, model=low), high=replace(curve.high, model=high))


def _slope(scores: Floats, left: Floats, right: Floats) -> float:
    """The slope of the side's log-odds on the score, by Newton's method."""
    base, weights = np.log(left.sum() / right.sum()), left + right
    slope = 1.0
    for _ in range(12):
        odds = expit(base + slope * scores)
        bend = float((weights * odds * (1 - odds) * scores**2).sum()) + 1e-9
        slope = float(np.clip(slope + ((left - weights * odds) * scores).sum() / bend, 0.0, 3.0))
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
