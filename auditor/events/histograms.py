"""Histograms: a score cut into cells, so that draws can be counted in them where they are made.

Worker processes import this file: numpy is all it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from auditor.events.cells import cells_of
from auditor.events.outputs import Floats, Outputs

if TYPE_CHECKING:
    from auditor.events.scores import Score, Sum, Table

CellCounts = npt.NDArray[np.int64]

_TAIL = np.unique(np.round(np.geomspace(1, 2**15, 40)).astype(np.int64))


class ScoreHistogram(ABC):
    """A score cut into cells; `score` and `view` are those of the events it is for."""

    view: str

    @property
    @abstractmethod
    def size(self) -> int:
        """How many cells."""

    @abstractmethod
    def count(self, outputs: Outputs) -> CellCounts:
        """How many of the outputs fall into each cell."""


@dataclass(frozen=True)
class CellHistogram(ScoreHistogram):
    """A table's cells."""

    table: Table
    view: str

    @property
    def size(self) -> int:
        """How many cells."""
        return len(self.table.by_cell())

    def count(self, outputs: Outputs) -> CellCounts:
        """How many of the outputs fall into each cell."""
        return np.bincount(self.table.cells(outputs), minlength=self.size)


@dataclass(frozen=True)
class BinHistogram(ScoreHistogram):
    """A score that orders outputs, cut at thresholds; the last cell is for those that have no score."""

    score: Score
    cuts: tuple[float, ...]
    view: str

    @property
    def size(self) -> int:
        """How many cells."""
        return len(self.cuts) + 2

    def count(self, outputs: Outputs) -> CellCounts:
        """How many of the outputs fall into each cell."""
        return self.in_bins(self.score.of(outputs))

    def in_bins(self, scores: Floats) -> CellCounts:
        """How many of the scores lie between each two thresholds."""
        return np.bincount(cells_of(np.asarray(self.cuts), scores), minlength=len(self.cuts) + 2)


@dataclass(frozen=True)
class SumHistogram(BinHistogram):
    """A sum of tables: the cells of each table, and then those of the sum."""

    score: Sum

    @property
    def size(self) -> int:
        """How many cells."""
        return sum(len(part.by_cell()) for part in self.score.parts) + len(self.cuts) + 2

    def count(self, outputs: Outputs) -> CellCounts:
        """How many of the outputs fall into each cell."""
        total, counts = np.zeros(len(outputs)), []
        for part in self.score.parts:
            codes, values = part.cells(outputs), part.by_cell()
            counts.append(np.bincount(codes, minlength=len(values)))
            total += values[codes]
        return np.concatenate([*counts, self.in_bins(total)])

    def split(self, counts: CellCounts) -> Iterator[CellCounts]:
        """The counts of each table, and last of the sum."""
        start = 0
        for part in self.score.parts:
            end = start + len(part.by_cell())
            yield counts[..., start:end]
            start = end
        yield counts[..., start:]


@lru_cache(maxsize=64)  # many features have as many values
def picks(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Positions in a sorted sample that are worth a threshold: even in the middle, finer towards both ends."""
    if n <= 160:
        return np.arange(n, dtype=np.int64)
    tail = _TAIL[n // 2 > _TAIL]
    return np.unique(np.concatenate([np.linspace(0, n - 1, 96).astype(np.int64), tail, n - 1 - tail]))


def cuts_of(score: Score, sides: Sequence[Outputs]) -> tuple[float, ...]:
    """Thresholds of a score that are worth a look, finer towards both ends."""
    values = np.sort(np.concatenate([score.of(side) for side in sides]))
    values = values[: np.searchsorted(values, np.nan)]
    return tuple(np.unique(values[picks(len(values))]).tolist())
