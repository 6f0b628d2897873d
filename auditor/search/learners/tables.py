"""Sets of values: a feature is cut into cells, and cells are ranked by their likelihood ratio.

Finds intervals, atoms, sets of atoms and ⊥. Values that repeat get a cell of their own. A cell's rank comes from
one half of the past and is judged on the other, so that luck in the ranking does not count as utility.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from auditor.events.outputs import Floats
from auditor.events.scores import Labels, Steps
from auditor.search.candidates import Curve, Scored, Tail
from auditor.search.past import Past
from auditor.search.prediction import matched
from auditor.tuning import TUNING

AT_ONCE = 2**14  # pieces whose costs are computed at once: few enough to stay in cache


def propose(past: Past) -> list[Scored]:
    """The cells of each feature, and the labels."""
    found = [_labels(past)] if past.sides()[0].labels is not None and "values" in past.views else []
    for view in past.views:
        for feature in past.features(view):
            edges = cell_edges(*past.ordered(feature), past.tuning.cells, past.tuning.most_atoms)
            if len(edges):
                found.append(_steps(past, feature, edges, view))
    return found


def cell_edges(
    left: Floats, right: Floats, most: int = TUNING.learning.cells, most_atoms: int = TUNING.learning.most_atoms
) -> Floats:
    """Edges of the cells of a feature: around every value that repeats, and at quantiles of the others.

    k draws of one value gain at most log(k + 1)^2 by being a piece of their own, whose price is log n (`pieces`). Where
    many values repeat, those with too few draws for that share cells, of half as many draws as would be enough.
    """
    pooled = np.concatenate([left, right])
    pooled.sort(kind="stable")  # a stable sort merges the two sides, each of which is sorted already
    pooled = pooled[: np.searchsorted(pooled, np.nan)]
    if len(pooled) == 0:
        return pooled
    starts = np.flatnonzero(np.concatenate([[True], pooled[1:] != pooled[:-1]]))
    counts = np.diff(np.append(starts, len(pooled)))
    heavy = np.flatnonzero(counts >= max(2, len(pooled) // 2000))
    if len(heavy) > most_atoms:
        heavy = heavy[np.argsort(-counts[heavy], kind="stable")[:most_atoms]]
    enough = np.exp(np.sqrt(np.log(len(pooled)))) - 1
    light = (counts[heavy] < enough) & (len(heavy) > most)
    atoms, few = pooled[starts[heavy[~light]]], np.sort(heavy[light])
    shared = pooled[starts[few[np.diff(np.cumsum(counts[few]) // (enough / 2), prepend=0) > 0]]]
    if len(heavy):
        counts[heavy] = 0
        pooled = np.repeat(pooled[starts], counts)
    number = min(max(len(pooled) // 64, 2), most)
    quantiles = pooled[np.linspace(0, len(pooled) - 1, number + 1).astype(np.int64)[1:-1]] if len(pooled) else pooled
    return np.unique(np.concatenate([quantiles, shared, atoms, np.nextafter(atoms, np.inf)]))


def _steps(past: Past, feature: str, edges: Floats, view: str) -> Scored:
    counts = [np.stack([_in_cells(half, edges) for half in side]) for side in past.halves(feature)]
    curve, ratios = judged_curve(counts[0], counts[1], merged_ratios)
    values = tuple(float(v) for v in ratios)
    score = Steps(feature, tuple(float(e) for e in edges), values[:-1], values[-1])
    return Scored(score, curve, view, past.judged)


def _in_cells(ordered: Floats, edges: Floats) -> Floats:
    """How many sorted values lie in each cell; ⊥ has one of its own, the last."""
    numbers = int(np.searchsorted(ordered, np.nan))
    below = np.searchsorted(ordered[:numbers], edges)
    return np.diff(np.concatenate([[0], below, [numbers, len(ordered)]])).astype(np.float64)


def _labels(past: Past) -> Scored:
    left, right = past.sides()
    texts = [label for side in (left, right) for label in side.texts()]
    names = sorted(set(texts))
    indices = {name: index for index, name in enumerate(names)}
    codes = np.fromiter(map(indices.__getitem__, texts), np.int64, len(texts))
    cut = len(left)
    curve, ratios = judged_curve(halves(codes[:cut], len(names)), halves(codes[cut:], len(names)), log_ratio)
    order = np.argsort(-np.abs(ratios), kind="stable")[: past.tuning.most_labels]
    table = tuple((names[index], float(ratios[index])) for index in sorted(order))
    return Scored(Labels(table), curve, "values")


def halves(codes: np.ndarray[tuple[int], np.dtype[np.int64]], n: int) -> Floats:
    """Counts of each cell in the even and in the odd draws."""
    return np.stack([np.bincount(codes[start::2], minlength=n) for start in (0, 1)]).astype(np.float64)


def judged_curve(left: Floats, right: Floats, ratio: Callable[[Floats, Floats], Floats]) -> tuple[Curve, Floats]:
    """The curve of a ranking made on the other half, and the final score of each cell."""
    ratios = ratio(*(np.vstack([side, side.sum(axis=0)]) for side in (left, right)))
    final = ratios[2]
    scores = ratios[1::-1].ravel()  # each half is scored by the ratios of the other half
    order = np.argsort(scores, kind="stable")
    scores, lefts, rights = scores[order], left.ravel()[order], right.ravel()[order]
    last = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    low = [np.cumsum(side)[last] for side in (lefts, rights)]
    first = np.concatenate([[0], last[:-1] + 1])
    high = [side.sum() - np.concatenate([[0.0], np.cumsum(side)])[first] for side in (lefts, rights)]
    tails = Tail("<=", scores[last], low[0], low[1]), Tail(">=", scores[last], high[0], high[1])
    curve = Curve(*tails, lefts.sum(), rights.sum())
    return matched(curve, final, left.sum(axis=0) + right.sum(axis=0)), final


def merged_ratios(left: Floats, right: Floats, price: float = 1.0) -> Floats:
    """The log-ratio of each cell after neighbouring cells that do not differ were merged; the last cell (⊥) stays
    alone.

    The partition minimises the weighted squares of the cells' log-ratios around their piece's mean plus a price for
    each piece (Potts' functional; the price is in units of Schwarz's log n), exactly, by dynamic programming; one
    partition a row. The squares around 0 are the same for every partition, and are left out.
    """
    raw = log_ratio(left, right)
    values = raw[..., :-1]
    weights = 1 / (1 / (left[..., :-1] + 1) + 1 / (right[..., :-1] + 1))
    prices = price * np.log(left.sum(axis=-1) + right.sum(axis=-1) + 2)
    rows, size = values.shape
    w, wv = np.zeros((2, rows, size + 1))
    np.cumsum(weights, axis=-1, out=w[:, 1:])
    np.cumsum(weights * values, axis=-1, out=wv[:, 1:])
    best, cut = np.zeros((rows, size + 1)), np.zeros((rows, size + 1), dtype=np.int64)
    each, at_once = np.arange(rows), max(1, AT_ONCE // (rows * size))
    for first in range(1, size + 1, at_once):
        ends = np.arange(first, min(first + at_once, size + 1))
        for end, gains in zip(ends.tolist(), _gains(w, wv, ends), strict=True):
            cost = best[:, :end] - gains[:, :end]
            chosen = cut[:, end] = cost.argmin(axis=1)
            best[:, end] = cost[each, chosen] + prices
    result = raw.copy()
    for row in range(rows):
        end = size
        while end > 0:
            start = int(cut[row, end])
            result[row, start:end] = (wv[row, end] - wv[row, start]) / (w[row, end] - w[row, start])
            end = start
    return result


def _gains(w: Floats, wv: Floats, ends: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    """By how much a piece's mean makes the weighted squares of its log-ratios smaller: by its end, by row and by its
    start; nothing of use where the start is not before the end."""
    weight, gain = (sums[:, ends].T[..., None] - sums[:, : ends[-1]] for sums in (w, wv))
    gain *= gain
    with np.errstate(invalid="ignore"):
        gain /= weight
    return gain


def log_ratio(left: Floats, right: Floats) -> Floats:
    """The smoothed log-ratio of each cell: one draw in all is added to it, shared as the draws of the two sides are."""
    lefts, rights = (np.maximum(1.0, side.sum(axis=-1, keepdims=True)) for side in (left, right))
    weight = 2 * lefts / (lefts + rights), 2 * rights / (lefts + rights)
    return np.asarray(np.log((left + weight[0]) / lefts) - np.log((right + weight[1]) / rights))
