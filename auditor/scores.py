"""Scores: through which number an output is looked at, as plain data.

A score is a feature, a table over a feature, a table of labels or of rows, or a sum of tables or trees. Each can be
printed, stored in JSON and evaluated again.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor import features
from auditor.outputs import Floats, Outputs

Mask = npt.NDArray[np.bool_]

_FEW_EDGES = 128  # up to which counting below each is faster than looking up


@dataclass(frozen=True)
class Region:
    """Where a score is <= or >= a number."""

    op: str
    at: float

    def __post_init__(self) -> None:
        if self.op not in _SIGN or math.isnan(self.at):
            raise ValueError(f"a region must be <= or >= a number, got {self.op!r} {self.at!r}")

    def holds(self, scores: Floats) -> Mask:
        """Which scores lie in the region; NaN never does."""
        return scores <= self.at if self.op == "<=" else scores >= self.at


class Score(ABC):
    """A number for each output."""

    @abstractmethod
    def of(self, outputs: Outputs) -> Floats:
        """The score of each output; NaN where it has none."""

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """How many of the outputs have a score in each region."""
        scores = self.of(outputs)
        return tuple(int(np.count_nonzero(region.holds(scores))) if region else 0 for region in regions)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data."""

    @abstractmethod
    def words(self, op: str, at: float) -> str:
        """The region where the score is `op` (<= or >=) `at`, in words."""


@dataclass(frozen=True)
class Value(Score):
    """A feature itself."""

    feature: str

    def __post_init__(self) -> None:
        features.check(self.feature)

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        return features.column_of(outputs, self.feature)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "value", "feature": self.feature}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        return f"{self.feature} {_SIGN[op]} {at:.6g}"


@dataclass(frozen=True)
class Steps(Score):
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

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        column = features.column_of(outputs, self.feature)
        table = np.asarray(self.values)[np.searchsorted(np.asarray(self.edges), column, side="right")]
        missing = np.isnan(column)
        if missing.any():
            table = np.where(missing, self.bottom, table)
        return table

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
            for place in changes.tolist():
                below = int(np.count_nonzero(column < self.edges[place]))
                total += below if inside[place] else -below
            if region and _holds(self.bottom, region.op, region.at):
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
        inside = [_holds(value, op, at) for value in self.values]
        bounds = (-math.inf, *self.edges, math.inf)
        parts: list[tuple[float, float]] = []
        for place, chosen in enumerate(inside):
            if chosen and parts and parts[-1][1] == bounds[place]:
                parts[-1] = (parts[-1][0], bounds[place + 1])
            elif chosen:
                parts.append((bounds[place], bounds[place + 1]))
        texts = [_interval(self.feature, low, high) for low, high in parts]
        if len(parts) == 2 and parts[0][0] == -math.inf and parts[1] == (np.nextafter(parts[0][1], math.inf), math.inf):
            texts = [f"{self.feature} ≠ {parts[0][1]:.6g}"]
        if _holds(self.bottom, op, at):
            texts.append(f"{self.feature} = ⊥")
        return _listed(texts)


@dataclass(frozen=True)
class Labels(Score):
    """A table of labels; a label that is not in it has score 0."""

    table: tuple[tuple[str, float], ...]

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        table = _Table(self.table)
        return np.fromiter(map(table.__getitem__, _texts(outputs)), np.float64, len(outputs))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "labels", "table": [list(row) for row in self.table]}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        chosen = [repr(label) for label, value in self.table if _holds(value, op, at)]
        return "output in {" + _listed(chosen, ", ") + "}"


@dataclass(frozen=True)
class Rows(Score):
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
        keys = np.zeros(len(matrix), dtype=np.int64)
        known = np.ones(len(matrix), dtype=bool)
        for place, values in enumerate(atoms):
            column = matrix[:, place] if place < matrix.shape[1] else np.full(len(matrix), np.nan)
            table = np.asarray(values)
            code = (
                np.minimum(np.searchsorted(table, column), len(table) - 1) if len(table) else np.zeros(len(column), int)
            )
            missing = np.isnan(column)
            known &= missing | ((table[code] == column) if len(table) else False)
            keys = keys * (len(table) + 1) + np.where(missing, len(table), code)
        return np.where(known, keys, -1)

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        found = self.encode(self.atoms, outputs.numbers)
        keys, values = np.asarray(self.keys, dtype=np.int64), np.append(np.asarray(self.values), 0.0)
        place = np.minimum(np.searchsorted(keys, found), len(keys) - 1)
        return np.asarray(values[np.where(keys[place] == found, place, len(keys))])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        atoms = [[stored(value) for value in column] for column in self.atoms]
        return {"kind": "rows", "atoms": atoms, "keys": list(self.keys), "values": list(self.values)}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        chosen = [self._row(key) for key, value in zip(self.keys, self.values, strict=True) if _holds(value, op, at)]
        return "x in {" + _listed(chosen, ", ") + "}"

    def _row(self, key: int) -> str:
        cells = []
        for column in reversed(self.atoms):
            key, code = divmod(key, len(column) + 1)
            cells.append("⊥" if code == len(column) else f"{column[code]:.4g}")
        return "(" + ", ".join(reversed(cells)) + ")"


@dataclass(frozen=True)
class Sum(Score):
    """The sum of several tables: what independent parts of an output say together."""

    parts: tuple[Steps, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("a sum must have at least one table, got none")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        total = self.parts[0].of(outputs)
        for part in self.parts[1:]:
            total = total + part.of(outputs)
        return total

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "sum", "parts": [part.to_dict() for part in self.parts]}

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        return f"log-ratio summed over {_listed([p.feature for p in self.parts], ', ')} {_SIGN[op]} {at:.4g}"


@dataclass(frozen=True)
class Trees(Score):
    """A sum of small decision trees over features.

    A tree is a list of nodes (feature index, threshold, left, right, value); a leaf has feature index -1. NaN goes
    left.
    """

    inputs: tuple[str, ...]
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]

    def __post_init__(self) -> None:
        for feature in self.inputs:
            features.check(feature)
        for tree in self.trees:
            for place, (column, _, left, right, _) in enumerate(tree):
                forward = place < min(left, right) and max(left, right) < len(tree)
                if column != -1 and not (forward and 0 <= column < len(self.inputs)):
                    raise ValueError("a tree's nodes must point forward, to nodes and features that exist")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        columns = [features.column_of(outputs, feature) for feature in self.inputs]
        total = np.zeros(len(outputs))
        for tree in self.trees:
            total += self._tree(tree, 0, columns)
        return total

    def _tree(self, tree: tuple[tuple[int, float, int, int, float], ...], node: int, columns: list[Floats]) -> Any:
        feature, threshold, left, right, value = tree[node]
        if feature == -1:
            return value
        goes_right = columns[feature] > threshold
        return np.where(goes_right, self._tree(tree, right, columns), self._tree(tree, left, columns))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": "trees",
            "inputs": list(self.inputs),
            "trees": [[list(n) for n in t] for t in self.trees],
        }

    def words(self, op: str, at: float) -> str:
        """The region in words."""
        used = sorted({node[0] for tree in self.trees for node in tree if node[0] >= 0})
        names = _listed([self.inputs[place] for place in used], ", ")
        return f"score of {len(self.trees)} trees over {names} {_SIGN[op]} {at:.4g}"


_SIGN = {"<=": "<=", ">=": ">="}


class _Table(dict[str, float]):
    """What is not in it is 0."""

    def __missing__(self, label: str) -> float:
        return 0.0


def _texts(outputs: Outputs) -> Iterable[str]:
    return outputs.labels if outputs.labels is not None else repeat("", len(outputs))


def _holds(value: float, op: str, at: float) -> bool:
    return value <= at if op == "<=" else value >= at


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


def _listed(texts: list[str], between: str = " or ", most: int = 4) -> str:
    if not texts:
        return "nothing"
    rest = f"{between}{len(texts) - most} more" if len(texts) > most else ""
    return between.join(texts[:most]) + rest


def score_from_dict(data: Any) -> Score:
    """The score that `to_dict` described; anything else is an error."""
    match data["kind"]:
        case "value":
            return Value(data["feature"])
        case "steps":
            edges, values = (tuple(float(v) for v in data[key]) for key in ("edges", "values"))
            return Steps(data["feature"], edges, values, float(data["bottom"]))
        case "labels":
            return Labels(tuple((str(label), float(value)) for label, value in data["table"]))
        case "rows":
            atoms = tuple(tuple(float(v) for v in column) for column in data["atoms"])
            return Rows(atoms, tuple(int(k) for k in data["keys"]), tuple(float(v) for v in data["values"]))
        case "sum":
            parts = tuple(score_from_dict(part) for part in data["parts"])
            return Sum(tuple(part for part in parts if isinstance(part, Steps)))
        case "trees":
            trees = tuple(
                tuple((int(f), float(t), int(lo), int(hi), float(v)) for f, t, lo, hi, v in tree)
                for tree in data["trees"]
            )
            return Trees(tuple(data["inputs"]), trees)
    raise ValueError(f"a score's kind must be value, steps, labels, rows, sum or trees, got {data['kind']!r}")


def stored(number: float) -> float | str:
    """A number for JSON, which has no infinities."""
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")
