"""Vectors whose parts depend on each other: extremely randomized trees over the features, kept as plain trees.

The forest is grown on the first half of the past and judged on the second, and grown again each time the past is
four times as long. It is for what no single feature and no sum of them shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.events.outputs import Floats
from auditor.events.scores import Trees
from auditor.search.candidates import Scored
from auditor.search.past import Past
from auditor.search.prediction import with_model

_BOTTOM = -1e30  # where ⊥ stands for the forest: below every number, as NaN does for Trees


def propose(past: Past) -> list[Scored]:
    """The forest's score."""
    left, right = past.sides()
    if left.scalar or past.trials < past.tuning.least_for_trees or len(past.features("values")) < 2:
        return []
    grown, score = past.notes.get("trees", (0, None))
    if past.trials >= 4 * grown:
        grown, score = past.trials, _grow(past)
        past.notes["trees"] = grown, score
    if score is None:
        return []
    fresh = [side.take(slice(_half(grown, past, index), None)) for index, side in enumerate((left, right))]
    left_scores, right_scores = (np.sort(score.of(side)) for side in fresh)
    curve = with_model(left_scores, right_scores, past.tuning.calibration)._replace(scale=past.tuning.trees_scale)
    return [Scored(score, curve, "values")]


def _half(grown: int, past: Past, index: int) -> int:
    """How many of a side's draws the forest was grown on: half of those that were there then."""
    return int(len(past.sides()[index]) * grown / past.trials / 2)


def _grow(past: Past) -> Trees | None:
    # takes a tenth of a random forest's time, and its events are as good here
    from sklearn.ensemble import ExtraTreesClassifier

    names = past.features("values")
    parts = []
    for index in (0, 1):
        columns = np.stack([past.column(name)[index] for name in names], axis=1)
        columns = columns[: _half(past.trials, past, index)][: past.tuning.grown_on]
        parts.append(np.clip(np.nan_to_num(columns, nan=_BOTTOM, posinf=1e30, neginf=-1e30), -1e30, 1e30))
    sides = np.repeat([1, 0], [len(part) for part in parts])
    forest = ExtraTreesClassifier(
        n_estimators=16, max_leaf_nodes=16, min_samples_leaf=16, max_features=0.5, random_state=0, n_jobs=1
    )
    forest.fit(np.concatenate(parts), sides)
    trees = tuple(_nodes(tree.tree_, len(forest.estimators_)) for tree in forest.estimators_)
    return Trees(tuple(names), trees)


def _nodes(tree: Any, trees: int) -> tuple[tuple[int, float, int, int, float], ...]:
    """A fitted tree as plain nodes; a leaf's value is its share of the forest's mean log-odds."""
    counts: Floats = tree.value[:, 0, :] * tree.n_node_samples[:, None] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
    odds = np.log((counts[:, 1] + 2) / (counts[:, 0] + 2)) / trees
    rows = []
    for index in range(tree.node_count):
        leaf = tree.children_left[index] == -1
        feature = -1 if leaf else int(tree.feature[index])
        left, right = (0, 0) if leaf else (int(tree.children_left[index]), int(tree.children_right[index]))
        rows.append(
            (
                feature,
                0.0 if leaf else float(tree.threshold[index]),
                left,
                right,
                float(odds[index]) if leaf else 0.0,
            )
        )
    return tuple(rows)
