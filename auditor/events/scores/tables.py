"""Tables: outputs fall into cells, over a feature, by their label or by the whole row, and each cell has a score."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Region, Score, holds, listed, stored

Codes = npt.NDArray[np.int64]

_FEW_CHANGES = 16
_GRID = 2048  # cells
_FEW_LABELS = 4  # up to which a pass for each is faster than a dictionary of all
_FEW_EDGES = 128  # up to which counting below each is faster than looking up


class Table(Score):
    """A score by cells. The last cell is for what belongs to no other: ⊥, or what was not seen before."""

    @abstractmethod
    def cells(self, outputs: Outputs) -> Codes:
        """The cell of each output."""

    @abstractmethod
    def by_cell(self) -> Floats:
        """The score of each cell."""

    @abstractmethod
    def rescored(self, scores: Floats) -> Self:
        """The same cells with other scores; what was not seen before keeps 0."""

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        return np.asarray(self.by_cell()[self.cells(outputs)])


@dataclass(frozen=True)
class Steps(Table):
    """A table over a feature: `values[i]` between `edges[i-1]` (included) and `edges[i]`, `bottom` for ⊥."""

    feature: str
    edges: tuple[float, ...]
    values: tuple[float, ...]
    bottom: float = 0.0

    def __post_init__(self) -> None:
        features.check(self.feature)
        if len(self.values) != len(self.edges) + 1 or any(
            b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)
        ):
            raise ValueError("a table must have increasing edges and one value more than edges")

    def cells(self, outputs: Outputs) -> Codes:
        """Between which edges the feature lies; ⊥ last."""
        return cells_of(np.asarray(self.edges), features.column_of(outputs, self.feature))

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output: where only a few edges change it, comparing with each is quicker than a search."""
        column = np.ascontiguousarray(features.column_of(outputs, self.feature))
        changes = [index for index, pair in enumerate(pairwise(self.values)) if pair[0] != pair[1]]
        if len(changes) > _FEW_CHANGES:
            return super().of(outputs)
        codes = np.zeros(len(column), dtype=np.int8)
        for index in changes:
            codes += column >= self.edges[index]
        codes[np.isnan(column)] = -1
        return np.array([self.values[0], *(self.values[index + 1] for index in changes), self.bottom])[codes]

    def by_cell(self) -> Floats:
        """The score of each cell."""
        return np.append(self.values, self.bottom)

    def rescored(self, scores: Floats) -> Self:
        """The same cells with other scores."""
        *values, bottom = scores.tolist()
        return replace(self, values=tuple(values), bottom=bottom)

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """Without looking each output up: how many lie below each edge at which a region starts or ends is enough."""
        column = features.column_of(outputs, self.feature)
        numbers = int(np.count_nonzero(column == column))
        found = []
        for region in regions:
            inside = region.holds(np.asarray(self.values)) if region else np.zeros(len(self.values), bool)
            changes = np.flatnonzero(inside[1:] != inside[:-1])
            if len(changes) > _FEW_EDGES:
                return super().count(outputs, regions)
            total = numbers if inside[-1] else 0
            for index in changes.tolist():
                below = int(np.count_nonzero(column < self.edges[index]))
                total += below if inside[index] else -below
            if region and holds(self.bottom, region.op, region.at):
                total += len(column) - numbers
            found.append(total)
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "steps",
            "feature": self.feature,
            "edges": [stored(edge) for edge in self.edges],
            "values": list(self.values),
            "bottom": self.bottom,
        }

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        inside = [holds(value, op, at) for value in self.values]
        bounds = (-math.inf, *self.edges, math.inf)
        parts: list[tuple[float, float]] = []
        for index, chosen in enumerate(inside):
            if chosen and parts and parts[-1][1] == bounds[index]:
                parts[-1] = (parts[-1][0], bounds[index + 1])
            elif chosen:
                parts.append((bounds[index], bounds[index + 1]))
        texts = [_interval(self.feature, low, high) for low, high in parts]
        if len(parts) == 2 and parts[0][0] == -math.inf and parts[1] == (np.nextafter(parts[0][1], math.inf), math.inf):
            texts = [f"{self.feature} ≠ {parts[0][1]:.6g}"]
        if holds(self.bottom, op, at):
            texts.append(f"{self.feature} = ⊥")
        return listed(texts)


@dataclass(frozen=True)
class Labels(Table):
    """A table of labels; a label that is not in it has score 0."""

    table: tuple[tuple[str, float], ...]

    def cells(self, outputs: Outputs) -> Codes:
        """The place of each label in the table."""
        indices = _Indices({label: index for index, (label, _) in enumerate(self.table)})
        indices.unknown = len(self.table)
        return np.fromiter(map(indices.__getitem__, outputs.texts()), np.int64, len(outputs))

    def by_cell(self) -> Floats:
        """The score of each cell."""
        return np.array([*(value for _, value in self.table), 0.0])

    def rescored(self, scores: Floats) -> Self:
        """The same labels with other scores."""
        pairs = zip(self.table, scores.tolist(), strict=False)
        return replace(self, table=tuple((label, score) for (label, _), score in pairs))

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """By counting each label of the table once; what is left is not in it."""
        texts = outputs.texts()
        few = len(self.table) <= _FEW_LABELS
        seen = {label: texts.count(label) for label, _ in self.table} if few else Counter(texts)
        known = [(score, seen[label]) for label, score in self.table]
        scored = [*known, (0.0, len(texts) - sum(n for _, n in known))]
        return tuple(
            sum(n for score, n in scored if region and holds(score, region.op, region.at)) for region in regions
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "labels", "table": [list(row) for row in self.table]}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        chosen = [repr(label) for label, value in self.table if holds(value, op, at)]
        return "output in {" + listed(chosen, ", ") + "}"


@dataclass(frozen=True)
class Rows(Table):
    """A table of whole vectors. `atoms` are each column's values; a row that is not in the table has score 0.

    A row is kept as one whole number: its places in `atoms` (⊥ last) as digits of a mixed-radix number.
    """

    atoms: tuple[tuple[float, ...], ...]
    keys: tuple[int, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.keys) != len(self.values) or list(self.keys) != sorted(set(self.keys)):
            raise ValueError("a table of rows must have increasing keys and a value for each")
        if math.prod(len(column) + 1 for column in self.atoms) > 2**62:
            raise ValueError("a table of rows must fit its keys into 62 bits")

    @staticmethod
    def encode(atoms: tuple[tuple[float, ...], ...], matrix: Floats) -> npt.NDArray[np.int64]:
        """Each row's key, or -1 where a column has a value that is not among its atoms."""
        whole = _whole_rows(atoms, matrix)
        if whole is not None:
            return whole
        keys = np.zeros(len(matrix), dtype=np.int64)
        known = np.ones(len(matrix), dtype=bool)
        for index, values in enumerate(atoms):
            column = matrix[:, index] if index < matrix.shape[1] else np.full(len(matrix), np.nan)
            table = np.asarray(values)
            code = (
                np.minimum(np.searchsorted(table, column), len(table) - 1) if len(table) else np.zeros(len(column), int)
            )
            missing = np.isnan(column)
            known &= missing | ((table[code] == column) if len(table) else False)
            keys = keys * (len(table) + 1) + np.where(missing, len(table), code)
        return np.where(known, keys, -1)

    def cells(self, outputs: Outputs) -> Codes:
        """The place of each row in the table."""
        found, keys = self.encode(self.atoms, outputs.numbers), np.asarray(self.keys, dtype=np.int64)
        if keys[-1] < len(found) * _FEW_EDGES:  # a list of all keys up to the largest is quicker than a search
            indices = np.full(keys[-1] + 2, len(keys))
            indices[keys] = np.arange(len(keys))
            return indices[np.where(found > keys[-1], keys[-1] + 1, found)]  # -1 is the last place too
        index = np.minimum(np.searchsorted(keys, found), len(keys) - 1)
        return np.where(keys[index] == found, index, len(keys))

    def by_cell(self) -> Floats:
        """The score of each cell."""
        return np.append(self.values, 0.0)

    def rescored(self, scores: Floats) -> Self:
        """The same rows with other scores."""
        return replace(self, values=tuple(scores[:-1].tolist()))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        atoms = [[stored(value) for value in column] for column in self.atoms]
        return {"kind": "rows", "atoms": atoms, "keys": list(self.keys), "values": list(self.values)}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        chosen = [self._row(key) for key, value in zip(self.keys, self.values, strict=True) if holds(value, op, at)]
        return "x in {" + listed(chosen, ", ") + "}"

    def _row(self, key: int) -> str:
        cells = []
        for column in reversed(self.atoms):
            key, code = divmod(key, len(column) + 1)
            cells.append("⊥" if code == len(column) else f"{column[code]:.4g}")
        return "(" + ", ".join(reversed(cells)) + ")"


def cells_of(edges: Floats, column: Floats) -> Codes:
    """Between which edges each number lies; ⊥ last."""
    codes = indices(edges, column)
    codes[np.isnan(column)] = len(edges) + 1
    return codes


def indices(edges: Floats, column: Floats) -> Codes:
    """np.searchsorted(edges, column, side="right"), quicker for many: a grid knows the place where no edge is near.

    Rounding keeps order, so a number whose grid cell comes after an edge's lies above that edge; only those in a cell
    with an edge are searched for.
    """
    if len(edges) < _FEW_CHANGES or len(column) < _GRID // 2:
        return np.searchsorted(edges, column, side="right")
    low, high = edges[len(edges) // 32], edges[-1 - len(edges) // 32]
    scale = _GRID / (high - low)
    if not 0 < scale < math.inf:
        return np.searchsorted(edges, column, side="right")
    with np.errstate(over="ignore", invalid="ignore"):
        of_edges, of_column = (
            (np.fmin(np.fmax((numbers - low) * scale, -1.0), _GRID) + 1).astype(np.int64) for numbers in (edges, column)
        )
    below = np.concatenate([[0], np.cumsum(np.bincount(of_edges, minlength=_GRID + 2))])
    codes: Codes = below[of_column]
    unsure = np.flatnonzero((below[1:] > below[:-1])[of_column])
    codes[unsure] = np.searchsorted(edges, column[unsure], side="right")
    return codes


def _whole_rows(atoms: tuple[tuple[float, ...], ...], matrix: Floats) -> Codes | None:
    """The keys where all columns hold small neighbouring whole numbers, which needs no search; None elsewhere."""
    if matrix.shape[1] != len(atoms) or len(matrix) == 0 or not all(map(_neighbouring, atoms)):
        return None
    lowest, highest = (np.array([column[end] for column in atoms]) for end in (0, -1))
    all_alike = matrix.min() >= lowest.max() and matrix.max() <= highest.min()
    if not all_alike and not ((matrix >= lowest) & (matrix <= highest)).all():
        return None  # one of them is not among the atoms, or ⊥
    radix = np.cumprod([1, *(len(column) + 1 for column in atoms[:0:-1])], dtype=np.float64)[::-1]
    if radix[0] > 2**32 or (np.floor(matrix) != matrix).any():
        return None
    return (matrix @ radix - lowest @ radix).astype(np.int64)


def _neighbouring(column: tuple[float, ...]) -> bool:
    return bool(column) and all(
        abs(value) < 2**10 and value == math.floor(column[0]) + index for index, value in enumerate(column)
    )


class _Indices(dict[str, int]):
    """What is not in it has the place `unknown`."""

    unknown: int

    def __missing__(self, label: str) -> int:
        return self.unknown


def _interval(name: str, low: float, high: float) -> str:
    at_most, above = np.nextafter(high, -math.inf), np.nextafter(low, -math.inf)
    if low == -math.inf and len(repr(float(at_most))) < len(repr(float(high))):  # an edge just above a plain number
        return f"{name} <= {at_most:.6g}"
    if high == math.inf and len(repr(float(above))) < len(repr(float(low))):
        return f"{name} > {above:.6g}"
    if np.nextafter(low, math.inf) == high:
        return f"{name} = {low:.6g}"
    if low == -math.inf:
        return f"{name} < {high:.6g}" if high < math.inf else f"any {name}"
    return f"{name} >= {low:.6g}" if high == math.inf else f"{low:.6g} <= {name} < {high:.6g}"
