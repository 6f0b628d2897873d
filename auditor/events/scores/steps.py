"""A table over one feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from auditor.events import features
from auditor.events.cells import Codes, cells_of
from auditor.events.codes import other_than
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Region, holds, listed, stored
from auditor.events.scores.table import Table
from auditor.events.words import feature_words, ranges, title, within

_FEW_RANGES = 2  # so many ranges or fewer are told one by one
_FEW_CHANGES = 16  # where so few edges change the score, comparing with each is quicker than a search
_FEW_EDGES = 128  # for so few edges counting below each is faster than looking every output up


@dataclass(frozen=True)
class Steps(Table):
    """A table over a feature: `values[i]` between `edges[i-1]` (included) and `edges[i]`, `bottom` for ⊥."""

    kind: ClassVar[str] = "steps"
    ordered: ClassVar[bool] = True

    feature: str
    edges: tuple[float, ...]
    values: tuple[float, ...]
    bottom: float = 0.0

    def __post_init__(self) -> None:
        features.checked_feature(self.feature)
        if len(self.values) != len(self.edges) + 1 or any(
            b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)
        ):
            raise ValueError("a table must have increasing edges and one value more than edges")

    def cells(self, outputs: Outputs) -> Codes:
        """The cell of each output: between which edges the feature lies; ⊥ has the last cell."""
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
            "kind": self.kind,
            "feature": self.feature,
            "edges": [stored(edge) for edge in self.edges],
            "values": list(self.values),
            "bottom": self.bottom,
        }

    @classmethod
    def from_dict(cls, data: Any) -> Steps:
        """The table that `to_dict` described."""
        edges, values = (tuple(float(v) for v in data[key]) for key in ("edges", "values"))
        return cls(data["feature"], edges, values, float(data["bottom"]))

    @property
    def axis(self) -> str:
        """The feature."""
        return self.feature

    def intervals(self, region: Region) -> list[tuple[float, float]]:
        """The cells whose score lies in the region; ⊥ has no place on the axis."""
        ends = (-math.inf, *self.edges, math.inf)
        inside = region.holds(np.asarray(self.values))
        return [(ends[index], ends[index + 1]) for index in np.flatnonzero(inside).tolist()]

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        inside = [holds(value, op, at) for value in self.values]
        bounds = (-math.inf, *self.edges, math.inf)
        parts: list[tuple[float, float]] = []
        for index, chosen in enumerate(inside):
            if chosen and parts and parts[-1][1] == bounds[index]:
                parts[-1] = (parts[-1][0], bounds[index + 1])
            elif chosen:
                parts.append((bounds[index], bounds[index + 1]))
        name = title(self.feature, names)
        texts = [within(self.feature, low, high, names) for low, high in parts]
        match parts:
            case [(low, last), (first, high)] if (low, high) == (-math.inf, math.inf):
                other = other_than(feature_words(self.feature, names), last) or f"{name} ≠ {last:.6g}"
                texts = [other] if first == math.nextafter(last, math.inf) else texts
        bottom = holds(self.bottom, op, at)
        if bottom and parts == [(-math.inf, math.inf)]:
            return "any output"
        if len(parts) > _FEW_RANGES and not self.feature.startswith(("bits of ", "low bit of ")) and name in texts[0]:
            texts = [ranges(name, parts)]
        texts = [*texts, *([f"{name} is ⊥ (no number)"] if bottom else [])]
        return listed([*texts[:1], *(text.removeprefix(f"{name} ") for text in texts[1:])])
