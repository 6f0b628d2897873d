"""Sets of values: a feature is cut into cells, and cells are ranked by their likelihood ratio.

Finds intervals, atoms, sets of atoms and ⊥. Values that repeat get a cell of their own. A cell's rank comes from
one half of the past and is judged on the other, so that luck in the ranking does not count as utility.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from auditor.events.outputs import Floats
from auditor.events.scores import Labels, Steps
from auditor.search.candidates import Curve, Scored, Tail
from auditor.search.merged_cells import log_ratio, merged_tables
from auditor.search.past import Past
from auditor.search.prediction import matched
from auditor.tuning import TUNING


def propose(past: Past) -> list[Scored]:
    """The cells of each feature, and the labels."""
    labels = [_labels(past)] if past.sides()[0].labels is not None and "values" in past.views else []
    features = [(feature, view) for view in past.views for feature in past.features(view)]
    return labels + _steps(past, features)


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


def _steps(past: Past, features: Sequence[tuple[str, str]]) -> list[Scored]:
    """The cells of each feature, which stands with its view; a feature that has one cell only is left out."""
    edged = [
        (feature, view, edges)
        for feature, view in features
        if len(edges := cell_edges(*past.ordered(feature), past.tuning.cells, past.tuning.most_atoms))
    ]
    counted = [_counted(past, feature, edges) for feature, _, edges in edged]
    merged = merged_tables([(_with_sum(left), _with_sum(right)) for left, right in counted])
    found = []
    for (feature, view, edges), (left, right), ratios in zip(edged, counted, merged, strict=True):
        values = tuple(ratios[-1].tolist())
        score = Steps(feature, tuple(edges.tolist()), values[:-1], values[-1])
        found.append(Scored(score, ranked_curve(left, right, ratios), view, past.judged))
    return found


def _counted(past: Past, feature: str, edges: Floats) -> tuple[Floats, Floats]:
    """Counts of each cell in the even and in the odd draws, on the left and on the right."""
    left, right = (np.stack([_in_cells(half, edges) for half in side]) for side in past.halves(feature))
    return left, right


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
    ratios = ratio(_with_sum(left), _with_sum(right))
    return ranked_curve(left, right, ratios), ratios[-1]


def _with_sum(halves: Floats) -> Floats:
    """The counts of both halves, and of the whole in a third row."""
    return np.vstack([halves, halves.sum(axis=0)])


def ranked_curve(left: Floats, right: Floats, ratios: Floats) -> Curve:
    """The curve of cells that are ranked by the ratios of the other half; the third row of ratios is of all draws."""
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
    return matched(curve, final, left.sum(axis=0) + right.sum(axis=0))
