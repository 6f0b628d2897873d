"""Nested events for a trade-off curve: one score, thresholds on it, and what each event is to certify.

Everything here is chosen on past draws; the future counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from auditor.certify.advantage import EventCounts
from auditor.certify.hull import concave
from auditor.events.histograms import BinHistogram, CellCounts
from auditor.events.scores import Score
from auditor.search.candidates import Scored
from auditor.search.learners import learners
from auditor.search.past import Past
from auditor.tuning import TUNING, Curves

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Nested:
    """Events {score >= cut}, or their complements where high scores speak for the right dataset.

    Each of the `facets` is one thing to certify: the index of a cut, the slope c in P(S) - c Q(S), and its share of
    alpha.
    """

    score: Score
    view: str
    cuts: tuple[float, ...]
    left_high: bool
    facets: tuple[tuple[int, float, float], ...]
    clear: bool = True  # whether the past tells the sides apart beyond luck

    @property
    def histogram(self) -> BinHistogram:
        """Where the draws are counted."""
        return BinHistogram(self.score, self.cuts, self.view)

    def counts(self, cells: CellCounts) -> EventCounts:
        """How many draws of each side fell into each facet's event, from both sides' cells of the histogram."""
        trials = cells.sum(axis=1)
        # without the last cell, which counts the outputs that have no score
        above = cells[:, 1:-1][:, ::-1].cumsum(axis=1)[:, ::-1]
        inside = above if self.left_high else trials[:, None] - above
        chosen = inside[:, [cut for cut, _, _ in self.facets]].astype(np.float64)
        return EventCounts(chosen[0], chosen[1], int(trials[0]), int(trials[1]))

    @property
    def slopes(self) -> Floats:
        """The slope of each facet."""
        return np.array([slope for _, slope, _ in self.facets], dtype=np.float64)

    @property
    def shares(self) -> Floats:
        """The share of alpha of each facet."""
        return np.array([share for _, _, share in self.facets], dtype=np.float64)

    def words(self) -> str:
        """The score in words."""
        middle = self.cuts[len(self.cuts) // 2] if self.cuts else 0.0
        return f"{len(self.cuts)} nested events such as {self.score.words('>=', middle)}"


@dataclass(frozen=True)
class _Seen:
    """The past of the events {score >= at}, or of their complements: shares of both sides, and the draws they are
    of.
    """

    scored: Scored
    left_high: bool
    at: Floats
    left: Floats
    right: Floats
    trials: tuple[float, float]


@np.errstate(all="ignore")  # outputs may be infinite or huge: what cannot be computed with them is no event
def nested(past: Past, trials: int, tuning: Curves = TUNING.curves) -> Nested | None:
    """The events to count on `trials` draws a side; None where the past tells nothing apart."""
    scores = [scored for learner in learners() for scored in learner(past)]
    seen = [one for scored in scores for one in _both_ways(scored) if len(one.at)]
    for luck in tuning.luck:
        told = [_told_apart(one, luck) for one in seen]
        if max(told, default=0.0) > 0:
            return _events(seen[int(np.argmax(told))], trials, luck == tuning.luck[0], tuning)
    return None


def _both_ways(scored: Scored) -> list[_Seen]:
    """High scores as a sign of the left dataset, and of the right one."""
    tail, trials = scored.curve.high, (scored.curve.left_trials, scored.curve.right_trials)
    left, right = tail.left / trials[0], tail.right / trials[1]
    some = np.isfinite(tail.at) & (np.maximum(left, right) > 0) & (np.minimum(left, right) < 1)
    order = np.flatnonzero(some)
    order = order[np.unique(tail.at[order], return_index=True)[1]]
    at, left, right = tail.at[order], left[order], right[order]
    return [_Seen(scored, True, at, left, right, trials), _Seen(scored, False, at, 1 - left, 1 - right, trials)]


def _told_apart(seen: _Seen, luck: float) -> float:
    """How far apart the sides are: the squared Hellinger distance of the hull of lowered points."""
    n, m = seen.trials
    least = seen.left - luck * np.sqrt(seen.left * (1 - seen.left) / n + 1 / n**2)
    most = seen.right + luck * np.sqrt(seen.right * (1 - seen.right) / m + 1 / m**2)
    some = least > most
    points = np.array(concave(list(zip(np.minimum(1, most[some]), least[some], strict=True))))
    run, rise = np.diff(points, axis=0).T
    return float(((np.sqrt(rise) - np.sqrt(np.maximum(run, 0))) ** 2).sum())


def _events(seen: _Seen, trials: int, clear: bool, tuning: Curves) -> Nested:
    spread = _spread(seen, trials, tuning)
    extremes = [_extreme(seen, trials, ahead) for ahead in (True, False)]
    chosen = np.unique(np.concatenate([spread, [index for index, _ in extremes]])).astype(np.int64)
    place = {int(index): number for number, index in enumerate(chosen)}
    each = (1 - 2 * tuning.extreme) / len(spread)
    facets = [(place[int(i)], float(c), each) for i, c in zip(spread, _slopes(seen, spread), strict=True)]
    facets += [(place[index], slope, tuning.extreme) for index, slope in extremes]
    cuts = tuple(seen.at[chosen].tolist())
    return Nested(seen.scored.score, seen.scored.view, cuts, seen.left_high, tuple(facets), clear)


def _spread(seen: _Seen, trials: int, tuning: Curves) -> Indices:
    """Thresholds spread evenly on the normal scale, between both sides' shares: common ones, and deep in both tails."""
    n, m = seen.trials
    place = (ndtri((n * seen.left + 0.5) / (n + 1)) + ndtri((m * seen.right + 0.5) / (m + 1))) / 2
    farthest = max(0.5, -float(ndtri(min(0.4, tuning.rarest / trials))) - tuning.inside)
    wanted = np.linspace(-farthest, farthest, max(3, round(tuning.events * trials**tuning.events_power)))
    order = np.argsort(place, kind="stable")
    after = np.clip(np.searchsorted(place[order], wanted), 1, max(1, len(order) - 1))
    before = np.maximum(0, after - 1)
    after = np.minimum(after, len(order) - 1)
    nearer = np.where(wanted - place[order[before]] <= place[order[after]] - wanted, before, after)
    return np.unique(order[nearer])


def _slopes(seen: _Seen, chosen: Indices) -> Floats:
    """About the likelihood ratio at each of the chosen thresholds, from the cells between them, made monotone."""
    n, m = seen.trials
    order = chosen[np.argsort(seen.right[chosen] + seen.left[chosen], kind="stable")]  # the smallest event comes first
    left, right = (np.diff(np.concatenate([[0.0], side[order], [1.0]])) for side in (seen.left, seen.right))
    left, right = np.maximum(0, left) * n, np.maximum(0, right) * m
    ratios = np.log((left + 1) / n) - np.log((right + 1) / m)
    falling = _falling(ratios, 1 / (1 / (left + 1) + 1 / (right + 1)))
    between = np.exp((falling[1:] + falling[:-1]) / 2)
    return between[np.argsort(np.argsort(seen.right[chosen] + seen.left[chosen], kind="stable"), kind="stable")]


def _falling(values: Floats, weights: Floats) -> Floats:
    """The non-increasing sequence nearest to the values (pool adjacent violators)."""
    pools: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (a, v, i), (b, w, j) = pools[-2:]
            pools[-2:] = [[(a * v + b * w) / (v + w), v + w, i + j]]
    return np.repeat([pool[0] for pool in pools], [int(pool[2]) for pool in pools])


def _extreme(seen: _Seen, trials: int, ahead: bool) -> tuple[int, float]:
    """The event whose ratio is expected to be certified highest, and the slope at which that is about 0.

    `ahead`: the ratio P(S) / Q(S), which is the slope. Otherwise the ratio Q / P of the complement, with one over it
    as slope.
    """
    n, m = seen.trials
    more, less = (seen.left, seen.right) if ahead else (1 - seen.right, 1 - seen.left)
    more, less = (more * n + 0.5) / (n + 1), (less * m + 1) / (m + 1)
    error = np.sqrt((1 - more) / more + (1 - less) / less)
    certain = np.log(more / less) - 2.5 * error / np.sqrt(trials)
    best = int(np.argmax(certain - 2.0 * error / np.sqrt(min(n, m))))
    slope = float(np.exp(np.clip(certain[best], 1e-6, 50.0)))
    return best, slope if ahead else 1 / slope
