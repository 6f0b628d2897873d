"""In which cell each number of a column lies."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats

Codes = npt.NDArray[np.int64]

FEW_EDGES = 16  # with fewer edges numpy looks numbers up as fast as a grid does
_GRID = 2048  # cells of the grid


def cells_of(edges: Floats, column: Floats) -> Codes:
    """The cell of each number: the index of the edges between which it lies; ⊥ has the last cell."""
    codes = indices(edges, column)
    codes[np.isnan(column)] = len(edges) + 1
    return codes


def indices(edges: Floats, column: Floats) -> Codes:
    """np.searchsorted(edges, column, side="right"), but quicker for many numbers, because a grid knows most indices.

    Rounding keeps order, so a number whose grid cell comes after an edge's lies above that edge; only those in a cell
    with an edge are searched for. For 65,536 numbers that takes 5.9 ms instead of 9.9 with 64 edges, 8.4 ms instead of
    17.2 with 400, and no less with 16.
    """
    if len(edges) < FEW_EDGES or len(column) < _GRID // 2:
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
