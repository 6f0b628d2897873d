"""What a log-ratio score predicts for its regions, and how thresholds move from a score judged on halves to the
final one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from auditor.events.outputs import Floats
from auditor.learner_tuning import Calibration
from auditor.search.candidates import Curve, Indices
from auditor.search.past import curve_of


def with_model(left: Floats, right: Floats, tuning: Calibration) -> Curve:
    """The curve of a log-ratio score with sorted values, and the log-ratio that the score itself predicts in each
    region, calibrated."""
    curve = curve_of(left, right)
    pooled = np.sort(np.concatenate([left, right]))
    starts = np.unique(np.searchsorted(pooled, pooled[len(pooled) * np.arange(tuning.bins) // tuning.bins]))
    both = np.diff(np.append(starts, len(pooled))).astype(np.float64)
    lefts = np.diff(np.append(np.searchsorted(left, pooled[starts]), len(left))).astype(np.float64)
    calibrated = _calibration(np.add.reduceat(pooled, starts) / both, lefts, both - lefts, tuning)
    below = np.searchsorted(pooled, curve.low.at, side="right")
    above = np.searchsorted(pooled, curve.high.at, side="left")
    return predicted(curve, calibrated(pooled), np.ones(len(pooled)), below, above)


def with_model_of_bins(curve: Curve, scores: Floats, left: Floats, right: Floats, tuning: Calibration) -> Curve:
    """The same for counts in bins with these scores; the curve's thresholds lie between the bins."""
    between = np.arange(1, len(scores))
    return predicted(curve, _calibration(scores, left, right, tuning)(scores), left + right, between, between)


def predicted(curve: Curve, scores: Floats, weights: Floats, below: Indices, above: Indices) -> Curve:
    """The curve with what scores in this order predict: `below` (`above`) is where each threshold ends (starts)."""
    base = np.log(curve.left_trials / curve.right_trials)
    mass, odds = (np.append(0.0, np.cumsum(part)) for part in (weights, weights * expit(base + scores)))
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.log(odds[below] / (mass[below] - odds[below])) - base
        inside = odds[-1] - odds[above]
        high = np.log(inside / (mass[-1] - mass[above] - inside)) - base
    return curve._replace(low=curve.low._replace(model=low), high=curve.high._replace(model=high))


def _calibration(scores: Floats, left: Floats, right: Floats, tuning: Calibration) -> Callable[[Floats], Floats]:
    """What scores in rising order are worth as log-ratios: a line through 0 that goes on less steeply beyond both ends.

    Both come from logistic regressions of the side on the score. Coordinates that are not independent make a score too
    sure of itself everywhere. Noise in its tables makes it too sure of itself in the tails, where few draws lie and
    where the best events of a pure claim are looked for: so a tail's slope is its own, never above the line's, and is
    taken for 0 where little is known of it.
    """
    base, weights = np.log(left.sum() / right.sum()), left + right
    mass = np.cumsum(weights) / weights.sum()
    low, high = (float(scores[np.searchsorted(mass, share)]) for share in (tuning.tail, 1 - tuning.tail))

    def tails(of: Floats) -> Floats:
        return np.stack([np.minimum(of - low, 0.0), np.maximum(of - high, 0.0)], axis=-1)

    (slope,) = _slopes(scores[:, None], left, right, np.full(len(scores), base), 1e-9, 3.0)
    line = base + slope * np.clip(scores, low, high)
    slopes = _slopes(tails(scores), left, right, line, tuning.doubt, slope)
    return lambda of: np.asarray(slope * np.clip(of, low, high) + tails(of) @ slopes)


def _slopes(columns: Floats, left: Floats, right: Floats, start: Floats, doubt: float, most: float) -> Floats:
    """The slopes of the side's log-odds on some columns, from 0 to `most`, beside what is known of them at the start
    (Newton); `doubt` is how sure it is beforehand that they are 0: one over their variance."""
    weights, slopes = left + right, np.full(columns.shape[1], min(1.0, most))
    for _ in range(12):
        odds = expit(start + columns @ slopes)
        bend = columns.T @ (columns * (weights * odds * (1 - odds))[:, None]) + doubt * np.eye(len(slopes))
        slopes = slopes + np.linalg.solve(bend, columns.T @ (left - weights * odds) - doubt * slopes)
        slopes = np.clip(slopes, 0.0, most)
    return slopes


def matched(curve: Curve, final: Floats, weights: Floats | None = None) -> Curve:
    """The same regions on another score: each threshold moves to where the final score leaves as many draws beyond
    it."""
    order = np.argsort(final, kind="stable")
    values = final[order]
    mass = np.cumsum(np.ones(len(final)) if weights is None else weights[order])
    low = np.searchsorted(mass, curve.low.left + curve.low.right - 1e-9)
    high = np.searchsorted(mass, mass[-1] - curve.high.left - curve.high.right + 1e-9, side="right")
    last = len(values) - 1
    return curve._replace(
        low=curve.low._replace(at=values[np.minimum(low, last)]),
        high=curve.high._replace(at=values[np.minimum(high, last)]),
    )
