"""Vectors that are partly answers and partly numbers: which coordinates hold a number, and how large it is there.

A sparse vector says "below", "below", 7.3, ⊥, ⊥: neither the place of the number nor the number alone shows what the
two show together. The shape of an output says for each coordinate whether it is ⊥, one of a few repeating values, or
any other number. Within each shape the last such number, or the sum of all, is cut into cells, and cells are ranked by
their likelihood ratio, smoothed over places and numbers. A cell's rank comes from one half of the past and is judged
on the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from auditor.events.cells import Codes
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores import Table
from auditor.learner_tuning import ShapeTables
from auditor.search.candidates import Scored
from auditor.search.learners.tables import halves
from auditor.search.past import Past
from auditor.search.prediction import matched, with_model

_KNOTS = (0.02, 0.1, 0.3, 0.7, 0.9, 0.98)  # quantiles of the numbers at which the log-ratio may bend
_READABLE = 7.0  # a log-ratio up to which the ratio itself is easier to read


@dataclass(frozen=True)
class Shapes(Table):
    """A table over the shape of an output and one number in it; a shape that is not in the table has the last cell.

    `answers` are the repeating values of each column. A shape is kept as one whole number: for each column its answer's
    place, one more for another number and one more for ⊥, as digits of a mixed-radix number.
    """

    kind: ClassVar[str] = "shapes"
    improves: ClassVar[bool] = True

    number: str  # "last" or "sum"
    answers: tuple[tuple[float, ...], ...]
    keys: tuple[int, ...]
    edges: tuple[tuple[float, ...], ...]  # of each shape
    values: tuple[float, ...]  # of all shapes' cells, one after the other, and last of what is not in the table

    def __post_init__(self) -> None:
        if self.number not in ("last", "sum"):
            raise ValueError(f"the number of a shape must be 'last' or 'sum', got {self.number!r:.60}")
        if len(self.keys) != len(self.edges) or list(self.keys) != sorted(set(self.keys)):
            raise ValueError("a table of shapes must have increasing keys, and edges for each")
        if len(self.values) != sum(len(one) + 1 for one in self.edges) + 1:
            raise ValueError("a table of shapes must have a value for each cell, and one for other shapes")

    def cells(self, outputs: Outputs) -> Codes:
        """The cell of each output."""
        found, numbers = _read(self.answers, outputs.numbers, self.number)
        keys = np.asarray(self.keys, dtype=np.int64)
        index = np.minimum(np.searchsorted(keys, found), len(keys) - 1)
        codes = np.full(len(found), len(self.values) - 1)
        start = 0
        for place, edges in enumerate(self.edges):
            mine = np.flatnonzero((index == place) & (found == keys[place]))
            codes[mine] = start + np.searchsorted(np.asarray(edges), numbers[mine], side="right")
            start += len(edges) + 1
        return codes

    def by_cell(self) -> Floats:
        """The score of each cell."""
        return np.asarray(self.values)

    def ratios(self, left: Floats, right: Floats) -> Floats:
        """The log-ratios of the cells, one row for each row of counts, smoothed: cells are small, and what is true of
        one place and number is nearly true of the next. A logistic regression of the side on the places and the number,
        with prior variances (Gauss)."""
        design, doubt = self._design()
        return np.stack([_fitted(design, doubt, *both) for both in zip(left, right, strict=True)])

    def _design(self) -> tuple[Floats, Floats]:
        """What is known of each cell, in columns, and one over the prior variance of each column's coefficient."""
        sizes = [len(one) + 1 for one in self.edges]
        shape = np.append(np.repeat(np.arange(len(sizes)), sizes), len(sizes))
        radix = [len(column) + 2 for column in self.answers]
        keys = np.asarray(self.keys)
        states = np.stack([keys // math.prod(radix[index + 1 :]) % radix[index] for index in range(len(radix))])
        free = states == np.array([[len(column)] for column in self.answers])
        last = np.where(free.any(axis=0), len(radix) - free[::-1].argmax(axis=0), 0) / len(radix)
        place = np.append(last, 0.0)[shape] - 0.5
        own = (shape[:, None] == np.arange(len(sizes) + 1)).astype(np.float64)
        bends = _bends([np.asarray(one) for one in self.edges])
        several = np.append(free.sum(axis=0), 0)[shape, None] == np.arange(1, len(radix))
        columns = [np.ones((len(shape), 1)), place[:, None], several, bends, bends * place[:, None], own]
        doubts = [1e-3, 0.1, *[1.0] * several.shape[1], *[0.5] * 2 * bends.shape[1], *[30.0] * own.shape[1]]
        return np.hstack(columns).astype(np.float64), np.asarray(doubts)

    def rescored(self, scores: Floats) -> Self:
        """The same cells with other scores."""
        return replace(self, values=tuple(scores.tolist()))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "number": self.number,
            "answers": [list(column) for column in self.answers],
            "keys": list(self.keys),
            "edges": [list(one) for one in self.edges],
            "values": list(self.values),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Shapes:
        """The table that `to_dict` described."""
        answers, edges = (tuple(tuple(map(float, one)) for one in data[key]) for key in ("answers", "edges"))
        values = tuple(map(float, data["values"]))
        return cls(str(data["number"]), answers, tuple(map(int, data["keys"])), edges, values)

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        which = "the last number" if self.number == "last" else "the sum of the numbers"
        ratio = f"{math.exp(abs(at)):.3g}" if abs(at) < _READABLE else f"e^{abs(at):.3g}"
        inside = (at >= 0) == (op == ">=")
        side = "left" if inside == (op == ">=") else "right"
        compared = "at least" if inside else "at most"
        places = "which places hold a number"
        return f"{places} and {which} look {compared} {ratio} times as likely on the {side} input (by earlier draws)"


def propose(past: Past) -> list[Scored]:
    """The table of shapes with the last number, and with the sum where an output holds several."""
    (left, right), tuning = past.sides(), past.tuning.shapes
    width = left.numbers.shape[1]
    if left.scalar or "values" not in past.views or not 2 <= width <= tuning.widest or past.trials < tuning.least:
        return []
    pooled = np.concatenate([left.numbers, right.numbers])
    answers = _answers(pooled[:: 1 + len(pooled) // tuning.sample], tuning)
    if answers is None:
        return []
    keys, last = _read(answers, pooled, "last")
    shapes, counts = np.unique(keys, return_counts=True)
    shapes = np.sort(shapes[np.argsort(-counts, kind="stable")[: tuning.most_shapes]])
    if len(shapes) < 2 or np.isnan(last).all():
        return []
    several = (_number_places(answers, pooled[: tuning.sample]).sum(axis=1) > 1).any()
    return [_scored(past, answers, pooled, shapes, number) for number in ("last", *(("sum",) if several else ()))]


def _scored(past: Past, answers: tuple[tuple[float, ...], ...], pooled: Floats, shapes: Codes, number: str) -> Scored:
    tuning = past.tuning.shapes
    keys, numbers = _read(answers, pooled, number)
    most = max(2, min(tuning.most_cells_each, tuning.most_cells // len(shapes) - 2 * len(tuning.finer)))
    edges = tuple(tuple(_edges(numbers[keys == shape], most, tuning).tolist()) for shape in shapes)
    cells = sum(len(one) + 1 for one in edges) + 1
    table = Shapes(number, answers, tuple(shapes.tolist()), edges, (0.0,) * cells)
    codes = [table.cells(side) for side in past.sides()]
    left, right = (np.vstack([count, count.sum(axis=0)]) for count in (halves(code, cells) for code in codes))
    even, odd, final = table.ratios(left, right)
    scores = [np.sort(np.concatenate([odd[code[0::2]], even[code[1::2]]])) for code in codes]  # by the other half
    curve = matched(with_model(scores[0], scores[1], past.tuning.calibration), final, left[2] + right[2])
    return Scored(table.rescored(final), curve._replace(scale=past.tuning.sum_scale), "values")


def _bends(edges: Sequence[Floats]) -> Floats:
    """The number in each cell of all shapes, and last 0: as it is, and bent at quantiles of all, on a scale that tails
    do not dominate."""
    middles = [(one[1:] + one[:-1]) / 2 if len(one) else np.zeros(1) for one in edges]
    inner = [
        np.concatenate([one[:1], middle, one[-1:]]) if len(one) else middle
        for one, middle in zip(edges, middles, strict=True)
    ]
    numbers = np.append(np.concatenate(inner), 0.0)
    every = np.concatenate([one for one in edges if len(one)] or [np.zeros(1)])
    centre, spread = np.median(every), np.subtract(*np.quantile(every, [0.75, 0.25]))
    scaled, knots = (
        np.arcsinh((part - centre) / max(spread, 1e-300)) for part in (numbers, np.quantile(every, _KNOTS))
    )
    return np.column_stack([scaled, *(np.maximum(scaled - knot, 0.0) for knot in np.unique(knots))])


def _fitted(design: Floats, doubt: Floats, left: Floats, right: Floats) -> Floats:
    """The log-ratios that the regression gives the cells (Newton)."""
    base, weights, found = np.log((left.sum() + 1) / (right.sum() + 1)), left + right, np.zeros(design.shape[1])
    seen = weights > 0
    known, counts, lefts = design[seen], weights[seen], left[seen]
    for _ in range(8):
        odds = expit(base + known @ found)
        bend = known.T @ (known * (counts * odds * (1 - odds))[:, None]) + np.diag(doubt)
        found = found + np.linalg.solve(bend, known.T @ (lefts - counts * odds) - doubt * found)
    return np.asarray(design @ found)


def _answers(sample: Floats, tuning: ShapeTables) -> tuple[tuple[float, ...], ...] | None:
    """The values of each column that repeat; None where all numbers are answers, or all coordinates are numbers."""
    found, some_number, some_answer = [], False, bool(np.isnan(sample).any())
    for column in sample.T:
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        often = np.flatnonzero(counts >= max(2, tuning.repeats * len(column)))
        often = often[np.argsort(-counts[often], kind="stable")[: tuning.most_answers]]
        some_number |= len(often) < len(values)
        some_answer |= len(often) > 0
        found.append(tuple(np.sort(values[often]).tolist()))
    few_shapes = math.prod(len(column) + 2 for column in found) < 2**62
    return tuple(found) if some_number and some_answer and few_shapes else None


def _number_places(answers: Sequence[tuple[float, ...]], matrix: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where an output holds a number that is neither ⊥ nor one of its column's answers."""
    free = ~np.isnan(matrix[:, : len(answers)])
    for index, values in enumerate(answers):
        for value in values:
            free[:, index] &= matrix[:, index] != value
    return free


def _read(answers: Sequence[tuple[float, ...]], matrix: Floats, number: str) -> tuple[Codes, Floats]:
    """The shape of each output, and its last number or the sum of its numbers: NaN where it has none."""
    if matrix.shape[1] < len(answers):
        return np.full(len(matrix), -1), np.full(len(matrix), np.nan)
    keys, numbers = np.zeros(len(matrix), dtype=np.int64), np.full(len(matrix), np.nan)
    for index, values in enumerate(answers):
        column = matrix[:, index]
        code = np.where(np.isnan(column), len(values) + 1, len(values))
        for place, value in enumerate(values):
            code[column == value] = place
        keys = keys * (len(values) + 2) + code
        free = code == len(values)
        added = np.where(np.isnan(numbers), 0.0, numbers) + column if number == "sum" else column
        numbers = np.where(free, added, numbers)
    return keys, numbers


def _edges(numbers: Floats, most: int, tuning: ShapeTables) -> Floats:
    """Where the numbers of one shape are cut into so many cells at most: at quantiles, and more finely at both ends."""
    numbers = np.sort(numbers[~np.isnan(numbers)])
    each = max(tuning.fewest, len(numbers) // most)
    usual = np.arange(each, len(numbers) - each + 1, each)
    finer = [int(share * each) for share in tuning.finer if share * each >= tuning.fewest]
    places = np.concatenate([usual, finer, len(numbers) - np.asarray(finer, dtype=np.int64)]).astype(np.int64)
    return np.unique(numbers[places[(places > 0) & (places < len(numbers))]])
