"""Numbers whose log-likelihood ratio is a straight line, as Gaussian noise makes it: few draws tell the line well.

Where delta > 0 the best threshold lies in a tail, and few draws lie beyond it. A line that is fitted to all draws says
how the ratio goes on there. It is used where neither a cubic nor any tail by itself fits clearly better, and only at
delta > 0 (`Seen.at`): with delta = 0 the best event would lie as far out as the line is believed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, rel_entr

from auditor.learner_tuning import Lines
from auditor.search.candidates import Curve
from auditor.search.prediction import predicted

Floats = npt.NDArray[np.float64]

_CLOSE = 1e-9  # a step of Newton's method after which the next would be below rounding


def with_line(curve: Curve, left: Floats, right: Floats, tuning: Lines) -> Curve:
    """The curve of these sorted numbers with the log-ratios of a fitted line; as it was where a line does not fit."""
    left, right = (side[np.isfinite(side)] for side in (left, right))
    if min(len(left), len(right)) < tuning.least:
        return curve
    pooled = np.sort(np.concatenate([left, right]))
    spread = float(pooled.std())
    if not 0 < spread < np.inf:
        return curve
    scaled = np.clip((pooled - pooled.mean()) / spread, -tuning.reach, tuning.reach)
    line = _line(pooled, scaled, left, tuning)
    if line is None:
        return curve
    scores = line[0] + line[1] * scaled - np.log(len(left) / len(right))
    below = np.searchsorted(pooled, curve.low.at, side="right")
    above = np.searchsorted(pooled, curve.high.at, side="left")
    lined = predicted(curve, scores, np.ones(len(pooled)), below, above)
    return lined._replace(straight=True) if _departure(lined) < tuning.departed else curve


def _departure(curve: Curve) -> float:
    """Twice the log-likelihood by which the tail that fits worst would rather have a ratio of its own: a rare leak is a
    tail that no line of the other draws foresees."""
    base, found = np.log(curve.left_trials / curve.right_trials), 0.0
    for tail in (curve.low, curve.high):
        assert tail.model is not None
        draws, share = tail.left + tail.right, expit(tail.model + base)
        seen = tail.left / np.maximum(draws, 1)
        apart = 2 * draws * (rel_entr(seen, share) + rel_entr(1 - seen, 1 - share))
        found = max(found, float(np.nanmax(apart, initial=0.0)))
    return found


def _line(pooled: Floats, scaled: Floats, left: Floats, tuning: Lines) -> Floats | None:
    """The log-odds of left as a line of the scaled numbers: where it starts and how it rises; None where it does not
    fit."""
    edges = np.unique(pooled[len(pooled) * np.arange(1, tuning.cells) // tuning.cells])
    edges = edges[edges > pooled[0]]
    if len(edges) < tuning.fewest:
        return None
    starts = np.append(0, np.searchsorted(pooled, edges))
    both = np.diff(np.append(starts, len(pooled))).astype(np.float64)
    lefts = np.diff(np.concatenate([[0], np.searchsorted(left, edges), [len(left)]])).astype(np.float64)
    places = np.add.reduceat(scaled, starts) / both
    line, likely = _fitted(places, lefts, both - lefts, np.zeros(2))
    _, likelier = _fitted(places, lefts, both - lefts, np.append(line, [0.0, 0.0]))
    return line if 2 * (likelier - likely) < tuning.curved else None


def _fitted(places: Floats, left: Floats, right: Floats, found: Floats) -> tuple[Floats, float]:
    """The polynomial of the log-odds of left on the places that is likeliest, and its log-likelihood; Newton's method
    from a first guess on."""
    powers, both = np.vander(places, len(found), increasing=True), left + right
    ridge = 1e-9 * np.eye(len(found))
    for _ in range(8):
        odds = expit(powers @ found)
        bend = powers.T @ (powers * (both * odds * (1 - odds))[:, None])
        step = np.linalg.solve(bend + ridge, powers.T @ (left - both * odds))
        found = found + step
        if np.abs(step).max() < _CLOSE:
            break
    log_odds = powers @ found
    return found, float(left @ log_expit(log_odds) + right @ log_expit(-log_odds))
