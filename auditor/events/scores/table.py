"""A table: outputs fall into cells, and each cell has a score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from auditor.events.cells import Codes
from auditor.events.histograms import CellHistogram
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score


class Table(Score):
    """A score by cells. The last cell is for what belongs to no other: ⊥, or what was not seen before."""

    ordered: ClassVar[bool] = False  # cells have neighbours, with which they are merged where they do not differ

    @abstractmethod
    def cells(self, outputs: Outputs) -> Codes:
        """The cell of each output."""

    @abstractmethod
    def by_cell(self) -> Floats:
        """The score of each cell."""

    @abstractmethod
    def rescored(self, scores: Floats) -> Self:
        """The same cells with other scores; what was not seen before keeps 0."""

    def ratios(self, left: Floats, right: Floats) -> Floats | None:
        """The log-ratios of the cells from both sides' counts, where a table has a way of its own; a row for each row
        of counts."""
        return None

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        return np.asarray(self.by_cell()[self.cells(outputs)])

    def histogram(self, sides: Sequence[Outputs], view: str) -> CellHistogram:
        """The table's own cells."""
        return CellHistogram(self, view)
