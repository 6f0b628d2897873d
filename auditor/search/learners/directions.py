"""Columns that together say more than each by itself: the directions in which the two sides differ most.

Where columns share noise, what tells the sides apart is a weighted sum of columns: a total that stands beside its
parts, a difference, a correlation. Two classical answers: the discriminant direction, in which the means are
furthest apart for the spread (Fisher 1936), and the directions in which one side's variance is smallest against the
other's (the generalized eigenvectors of the two covariances), where the distance from the narrow side's mean tells.
The same in logarithms finds products and ratios, and with products of columns whatever is quadratic. One half of the
past finds the directions, the other judges them. They are proposed only where they tell clearly more than the columns
do one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed
from auditor.events.words import title
from auditor.learner_tuning import Directions
from auditor.search.candidates import Scored
from auditor.search.past import Past, curve_of

_RIDGE = 1e-11  # of a column's variance, added to the covariances: sums that are exact have no variance
_NOTHING = 1e-30  # a variance that is 0, for a division


@dataclass(frozen=True)
class Direction(Score):
    """A weighted sum of features, each less its centre; `folded`: the sum's size, so that a region is a distance.

    What is no number counts as the feature's own centre.
    """

    kind: ClassVar[str] = "direction"

    inputs: tuple[str, ...]
    weights: tuple[float, ...]
    centres: tuple[float, ...]
    folded: bool

    def __post_init__(self) -> None:
        if not len(self.inputs) == len(self.weights) == len(self.centres) > 0:
            raise ValueError("a direction must have a weight and a centre for each of its features")
        for feature in self.inputs:
            features.checked_feature(feature)

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        total = np.zeros(len(outputs))
        for feature, weight, centre in zip(self.inputs, self.weights, self.centres, strict=True):
            from_centre = features.column_of(outputs, feature) - centre
            total += weight * np.where(np.isfinite(from_centre), from_centre, 0.0)
        return np.abs(total) if self.folded else total

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        numbers = {"weights": list(self.weights), "centres": list(self.centres)}
        return {"kind": self.kind, "inputs": list(self.inputs), **numbers, "folded": self.folded}

    @classmethod
    def from_dict(cls, data: Any) -> Direction:
        """The direction that `to_dict` described."""
        weights, centres = (tuple(map(float, data[key])) for key in ("weights", "centres"))
        return cls(tuple(map(str, data["inputs"])), weights, centres, bool(data["folded"]))

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region as a clause."""
        order = np.argsort(-np.abs(self.weights), kind="stable").tolist()
        shown = listed([f"{self.weights[i]:.3g} {title(self.inputs[i], names)}" for i in order], " + ")
        middle = float(np.dot(self.weights, self.centres))
        if self.folded:
            return f"{shown} lies {'within' if op == '<=' else 'at least'} {at:.3g} of {middle:.4g}"
        return f"{shown} {op} {at + middle:.4g}"


def propose(past: Past) -> list[Scored]:
    """The discriminant direction and those of small variance, where they are worth it."""
    (left, right), tuning = past.sides(), past.tuning.directions
    n = min(len(left), len(right))
    if left.scalar or "values" not in past.views or n < tuning.least:
        return []
    solved, found = past.notes.get("directions", (0, ()))
    if n >= 2 * solved and solved < tuning.draws:
        learned = left.take(slice(tuning.draws)), right.take(slice(tuning.draws))
        found = tuple(_directions(learned, tuning)) or found
        past.notes["directions"] = n, found
    sides = [side.take(slice(1, None, 2)) for side in (left, right)]
    return [Scored(d, curve_of(*(np.sort(d.of(side)) for side in sides)), "values") for d in found]


def _directions(sides: tuple[Outputs, Outputs], tuning: Directions) -> list[Direction]:
    """Directions of the columns; where these show none, of their logarithms, and of columns and products."""
    width = sides[0].numbers.shape[1]
    names = [f"x[{place}]" for place in range(width)]
    found = _among(names, sides, tuning.better, tuning)
    if not found and width <= tuning.most_logs:
        found = _among([f"log of {name}" for name in names], sides, tuning.much_better, tuning)
    if not found and width <= tuning.most_squared:
        products = [f"{b}*{a}" for a, b in combinations_with_replacement(names, 2)]
        found = _among([*names, *products], sides, tuning.much_better, tuning)
    return found


def _among(names: list[str], sides: tuple[Outputs, Outputs], better: float, tuning: Directions) -> list[Direction]:
    """The directions of some features that tell so many times as much as these one by one."""
    left, right = (np.column_stack([features.column_of(side, name) for name in names]) for side in sides)
    both = np.concatenate([left, right])
    spread = np.where(np.isfinite(both).all(axis=0), both.std(axis=0), 0.0)
    columns = np.flatnonzero((spread > 0) & np.isfinite(spread))
    if not 2 <= len(columns) <= min(tuning.most, len(left) // 4, len(right) // 4):
        return []
    centre, scale = both[:, columns].mean(axis=0), spread[columns]
    scaled = [(side[:, columns] - centre) / scale for side in (left, right)]
    learned, judged = ([side[start::2] for side in scaled] for start in (0, 1))
    found = []
    for vector, narrow in _vectors(learned, tuning.kept):
        middle = np.zeros(len(columns)) if narrow is None else learned[narrow].mean(axis=0)
        if _ratio(vector, middle, narrow, judged) > better:
            vector = vector / np.abs(vector).max()
            kept = np.flatnonzero(np.abs(vector) > _RIDGE)
            inputs = tuple(names[index] for index in columns[kept].tolist())
            weights, centres = (vector / scale)[kept], (centre + scale * middle)[kept]
            found.append(Direction(inputs, tuple(weights.tolist()), tuple(centres.tolist()), narrow is not None))
    return found


def _vectors(sides: Sequence[Floats], kept: int) -> list[tuple[Floats, int | None]]:
    """Directions, each with the side (0 is the left one) that is narrow in it; None for the discriminant."""
    ridge = _RIDGE * np.eye(sides[0].shape[1])
    covariances = [np.cov(side, rowvar=False) + ridge for side in sides]
    means = [side.mean(axis=0) for side in sides]
    try:
        found: list[tuple[Floats, int | None]] = [
            (np.linalg.solve(covariances[0] + covariances[1], means[0] - means[1]), None)
        ]
        for narrow in (0, 1):
            _, vectors = scipy.linalg.eigh(covariances[narrow], covariances[1 - narrow])
            found += [(vector, narrow) for vector in vectors.T[:kept]]  # the smallest ratios of variances
    except np.linalg.LinAlgError:
        return []
    return [(vector, narrow) for vector, narrow in found if np.isfinite(vector).all() and np.any(vector)]


def _ratio(vector: Floats, middle: Floats, narrow: int | None, sides: Sequence[Floats]) -> float:
    """How many times as much a direction tells as the features one by one, on draws that did not find it."""
    along = [((side - middle) @ vector)[:, None] for side in sides]
    if narrow is None:
        return float(_apart(along).sum() / (_apart(sides).sum() + 1 / len(along[0])))
    apiece = [side - middle for side in sides]
    ratios = [_size(part[1 - narrow]) / np.maximum(_size(part[narrow]), _NOTHING) for part in (along, apiece)]
    return float(ratios[0].max() / max(float(ratios[1].max()), _NOTHING))


def _apart(sides: Sequence[Floats]) -> Floats:
    """How far apart the means of each column are: the square, in units of the variances."""
    left, right = sides
    apart = (left.mean(axis=0) - right.mean(axis=0)) ** 2
    return np.asarray(apart / np.maximum(left.var(axis=0) + right.var(axis=0), _NOTHING))


def _size(numbers: Floats) -> Floats:
    return np.asarray((numbers**2).mean(axis=0))
