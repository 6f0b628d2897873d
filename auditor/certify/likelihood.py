"""How far apart a score shows the two sides: a fitted law of its log-likelihood ratio. For statements about power."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from auditor.certify.evidence import Floats, exp_epsilon

_NEWTON = 6  # steps of Newton's method
_BINS = 256  # for the fit the draws are counted in so many bins, with about equally many draws in each
_CLEARLY = 2.0  # log-likelihood by which a score that is held constant at its ends must fit better
_ENDS = 256  # outputs at each end of a law that are looked at one by one
_MIDDLE = 512  # groups of those between them
_DRAWN_IN = 0.002, 0.05, 0.15, 0.25, 0.35  # shares of the draws at each end, beyond which a score is held constant


@dataclass(frozen=True)
class LogRatios:
    """Outputs with log-ratios l of the left side's probability to the right side's, from the largest down, and
    weights m: P is m e^(l/2) and Q is m e^(-l/2), each scaled to 1.

    For N(0, 1) against N(mu, 1) a common factor on all l is one on mu, for randomized response one on epsilon.
    """

    log_ratio: Floats
    weight: Floats

    def times(self, factor: float) -> LogRatios:
        """The law in which every log-ratio is so many times as large."""
        return LogRatios(factor * self.log_ratio, self.weight)

    def events(self) -> list[tuple[int, Floats, Floats]]:
        """Regions with the largest ratios for guessing left, right, and both about equally often: directions, and the
        probabilities of a correct and of a wrong guess, from rare events to common ones."""
        half = self.log_ratio / 2
        sides = [self.weight * np.exp(sign * half - np.max(sign * half)) for sign in (1, -1)]
        p, q = (side / side.sum() / 2 for side in sides)
        left, right = (np.cumsum(p), np.cumsum(q)), (np.cumsum(q[::-1]), np.cumsum(p[::-1]))
        partner = np.minimum(np.searchsorted(right[0], left[0]), len(p) - 1)
        apart = partner + np.arange(len(p)) + 2 <= len(p)
        both = [(one + other[partner])[apart] for one, other in zip(left, right, strict=True)]
        return [(1, *left), (1, *right), (2, both[0], both[1])]

    def excess(self, epsilon: float, delta: float) -> float:
        """The largest mean of R - e^epsilon W - delta d / 2 over its standard deviation, both for one coin flip."""
        return max(_excess(event, epsilon, delta) for event in self.events())

    def epsilon_at(self, delta: float, tested: float) -> float:
        """The epsilon that the best event at this delta attains, among those of the kind that is best against `tested`:
        the larger of two directions would be the luckier one."""
        directions, r, w = max(self.events(), key=lambda event: _excess(event, tested, delta))
        with np.errstate(divide="ignore"):
            return max(0.0, float(np.log(np.maximum(0.0, r - delta * directions / 2) / w).max()))


def _excess(event: tuple[int, Floats, Floats], epsilon: float, delta: float) -> float:
    directions, r, w = event
    ratio = exp_epsilon(epsilon)
    gain = r - ratio * w
    spread = np.sqrt(np.maximum(r + ratio**2 * w - gain**2, 1e-300))
    return float(np.max((gain - delta * directions / 2) / spread, initial=0.0))


def fitted(left: Floats, right: Floats) -> LogRatios | None:
    """The law of the log-ratio, fitted as linear in a score of which both sides' values are given; NaN is a value of
    its own. None where there is nothing to tell apart.
    """
    if not len(left) or not len(right):
        return None
    pooled, side = np.concatenate([left, right]), np.repeat([1.0, 0.0], [len(left), len(right)])
    known = ~np.isnan(pooled)
    most = math.log(2 * len(pooled))
    ratio = np.full(len(pooled), _log_ratio(side[~known], len(left), len(right)))
    if known.any():
        ratio[known] = _linear(pooled[known], side[known], math.log(len(left) / len(right)))
    ratio = np.sort(np.clip(ratio, -most, most))[::-1]
    if ratio[0] - ratio[-1] < 1e-9:
        return None
    return _thinned(LogRatios(ratio, 1 / np.cosh(ratio / 2)))


def _thinned(law: LogRatios) -> LogRatios:
    """The same law with fewer outputs: those of the same ratio are one, and where these are many, those of about the
    same ratio, but for the largest and the least ones."""
    starts = np.flatnonzero(np.diff(law.log_ratio, prepend=np.inf))
    if (many := len(starts)) > 2 * _ENDS + _MIDDLE:
        middle = np.linspace(_ENDS, many - _ENDS, _MIDDLE, endpoint=False).astype(np.int64)
        starts = np.concatenate([starts[:_ENDS], starts[middle], starts[-_ENDS:]])
    half = law.log_ratio / 2
    p, q = (np.log(np.add.reduceat(law.weight * np.exp(sign * half), starts)) for sign in (1, -1))
    return LogRatios(p - q, np.exp((p + q) / 2))


def _log_ratio(side: Floats, lefts: int, rights: int) -> float:
    return math.log((side.sum() + 0.5) / lefts) - math.log((len(side) - side.sum() + 0.5) / rights)


def _linear(score: Floats, side: Floats, offset: float) -> Floats:
    """Logistic regression of the side on the score, which is drawn in at the quantiles where that fits best: noise like
    Laplace's has ratios that are constant far out, noise like Gauss's has not. The log-ratios, by rising score."""
    order = np.argsort(score, kind="stable")
    score, side = score[order], side[order]
    best, found = -math.inf, np.full(len(score), _log_ratio(side, 1, 1) - offset)
    starts = np.unique(np.arange(_BINS) * len(score) // _BINS)
    both = np.diff(np.append(starts, len(score))).astype(np.float64)
    left = np.add.reduceat(side, starts)
    for outside in _DRAWN_IN:
        x = np.clip(score, *(score[round(share * (len(score) - 1))] for share in (outside, 1 - outside)))
        scale = float(x.std())
        if 0 < scale < math.inf:
            x = (x - x.mean()) / scale
            means = np.add.reduceat(x, starts) / both
            a, b = _logistic(means, left, both)
            fit = a + b * means
            likelihood = float(left @ fit - both @ np.logaddexp(0.0, fit))
            if likelihood > best:
                best, found = likelihood + (_CLEARLY if best == -math.inf else 0.0), a + b * x - offset
    return found


def _logistic(x: Floats, left: Floats, both: Floats) -> tuple[float, float]:
    """The a and b with the largest likelihood of the log-odds a + b x of left, a little drawn towards b = 0 so that it
    exists; Newton's steps. `left` of `both` draws at each x are of the left side."""
    a, b = 0.0, 0.0
    for _ in range(_NEWTON):
        p = expit(a + b * x)
        missed, v = left - both * p, both * (p * (1 - p) + 1e-6)
        ga, gb = float(missed.sum()), float(missed @ x) - 1e-3 * b
        vaa, vab, vbb = float(v.sum()), float(v @ x), float(v @ (x * x)) + 1e-3
        det = vaa * vbb - vab * vab
        a, b = a + (vbb * ga - vab * gb) / det, b + (vaa * gb - vab * ga) / det
    return a, b
