"""Certified advantages of events: a lower bound on P(S) - c Q(S) from two independent counts. Proof: docs/method.md.

X of n draws on one side fell into S, Y of m on the other: X is binomial (n, p), Y binomial (m, q). Bounding p from
below and q from above separately pays for two worst cases at once; here their difference is tested as one number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtri

from auditor.certify.proportions import interval

Floats = npt.NDArray[np.float64]

NUISANCE = 0.08  # share of a level that is spent on the interval of Q(S)
_CELLS = 192  # parts of the interval of q; more cost time, fewer cost a little of the bound
_HALVINGS = 9  # times that the interval of the bound is halved; it starts about two standard errors wide
_FARTHEST = 30.0  # an advantage is looked for within so many standard errors of the observed one
_BERRY_ESSEEN = 0.56  # for independent summands that need not be alike (Shevtsova 2010): soundness rests on it
_NEWTON = 2  # steps towards the best exponent; any exponent gives a valid bound


@dataclass(frozen=True)
class EventCounts:
    """How many of the draws of each side fell into each of some events."""

    left: Floats
    right: Floats
    left_trials: int
    right_trials: int


@dataclass(frozen=True)
class Advantage:
    """For each event: P(S) - slope Q(S) is at least `least`, and Q(S) lies between `low` and `high`."""

    slope: Floats
    least: Floats
    low: Floats
    high: Floats


def advantages(counts: EventCounts, slopes: Floats, levels: Floats) -> Advantage:
    """Advantages of events fixed beforehand, all of which hold together with probability at least 1 - sum(levels).

    `slopes` and `levels`, the probability of error that each event may have, are fixed beforehand too. The events may
    overlap in any way (Bonferroni). A share of each level is for the interval of Q(S).
    """
    low, high = interval(counts.right, counts.right_trials, NUISANCE * levels)
    least = _largest_rejected(counts, slopes, low, high, (1 - NUISANCE) * levels)
    return Advantage(slopes, least, low, high)


def _largest_rejected(counts: EventCounts, slopes: Floats, low: Floats, high: Floats, levels: Floats) -> Floats:
    """The largest h for which "P(S) - slope Q(S) <= h" is rejected at its level, whatever q in [low, high] is."""
    n, m = counts.left_trials, counts.right_trials
    seen = counts.left / n - slopes * counts.right / m
    p, q = (counts.left + 1) / (n + 2), (counts.right + 1) / (m + 2)
    error = np.sqrt(p * (1 - p) / n + slopes**2 * q * (1 - q) / m)
    edges = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, _CELLS + 1)
    slope = slopes[:, None]
    usual = -ndtri(levels)  # standard errors, were the counts normal and the truth known
    near, far = np.maximum(0.0, usual - 0.5), usual + 1.5

    def rejected(errors: Floats) -> npt.NDArray[np.bool_]:
        h = (seen - errors * error)[:, None]
        # X / n - slope Y / m rises with p and falls with q: on a cell of q, the largest p and the smallest q.
        most = np.clip(h + slope * edges[:, 1:], 0.0, 1.0)
        return np.asarray(log_tail(n, most, m, edges[:, :-1], slope, seen[:, None]).max(axis=1) <= np.log(levels))

    yes = rejected(far)
    near, far = np.where(yes, near, far), np.where(yes, far, _FARTHEST)
    possible = yes | rejected(far) if not yes.all() else yes
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        yes = rejected(middle)
        near, far = np.where(yes, near, middle), np.where(yes, middle, far)
    return np.where(possible, seen - far * error, -slopes)  # P(S) - slope Q(S) >= -slope always


@np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore")
def log_tail(n: int, p: Floats, m: int, q: Floats, slope: Floats, least: Floats) -> Floats:
    """An upper bound on log P[X / n - slope Y / m >= least] for independent X ~ Bin(n, p) and Y ~ Bin(m, q).

    With T = X / n - slope Y / m and t > 0, P[T >= least] = E[e^(tT)] e^(-t least) E'[e^(-t (T - least)); T >= least],
    where E' is under the tilted law, in which X and Y are binomial again. The last factor is at most the least of two.
    Mode / (1 - e^(-t/n)): given Y, the values of T from `least` on are at least 0, 1/n, 2/n, … above it, and none has a
    probability larger than X's mode; and the same with X given and steps of slope / m. Or its value for a normal T plus
    2 C L, where L is Lyapunov's ratio and C = 0.56 (Berry and Esseen; Shevtsova 2010).
    """
    t = np.maximum(0.0, (least - p + slope * q) / (p * (1 - p) / n + slope**2 * q * (1 - q) / m + 1e-300))
    for _ in range(_NEWTON):
        up, down = _tilted(p, t / n), _tilted(q, -slope * t / m)
        spread = up * (1 - up) / n + slope**2 * down * (1 - down) / m
        t = np.clip(t - (up - slope * down - least) / (spread + 1e-300), 0.0, 500.0 * n)
    up, down = _tilted(p, t / n), _tilted(q, -slope * t / m)
    chernoff = n * _log_moment(p, t / n) + m * _log_moment(q, -slope * t / m) - t * least
    lattice = np.fmin(_mode(n, up) / -np.expm1(-t / n), _mode(m, down) / -np.expm1(-slope * t / m))
    normal = _normal_factor(n, up, m, down, slope, least, t)
    bound = chernoff + np.log(np.fmin(np.fmin(lattice, normal), 1.0))
    return np.where(np.isnan(bound), 0.0, np.minimum(bound, 0.0))


def _normal_factor(n: int, p: Floats, m: int, q: Floats, slope: Floats, least: Floats, t: Floats) -> Floats:
    """E[e^(-t (T - least)); T >= least] at most, by integrating P[least <= T <= least + u] over t e^(-tu) du."""
    variance = p * (1 - p) / n + slope**2 * q * (1 - q) / m
    third = p * (1 - p) * (1 - 2 * p * (1 - p)) / n**2 + slope**3 * q * (1 - q) * (1 - 2 * q * (1 - q)) / m**2
    above, steep = (least - p + slope * q) / np.sqrt(variance), t * np.sqrt(variance)
    mills = np.exp(steep * above + steep**2 / 2 + log_ndtr(-above - steep))
    return np.asarray(mills + 2 * _BERRY_ESSEEN * third / variance**1.5)


def _log_moment(p: Floats, t: Floats) -> Floats:
    """log E[e^(tB)] of a Bernoulli number B, without cancellation for a large |t|."""
    far = np.logaddexp(np.log1p(-p), np.log(p) + t)
    return np.where(np.abs(t) < 1, np.log1p(p * np.expm1(np.clip(t, -1, 1))), far)


def _tilted(p: Floats, t: Floats) -> Floats:
    """The success probability of a binomial tilted by e^t."""
    return np.asarray(p / (p + (1 - p) * np.exp(-t)))


def _mode(n: int, p: Floats) -> Floats:
    """An upper bound on the largest probability of Bin(n, p): Stirling at its mode k (Ash 1965, Lemma 4.7.1)."""
    k = np.floor((n + 1) * p)
    inside = (k > 0) & (k < n)
    return np.where(inside, np.sqrt(n / (2 * math.pi * np.maximum(k, 1) * np.maximum(n - k, 1))), 1.0)
