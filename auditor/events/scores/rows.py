"""A table of whole vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from auditor.events.cells import Codes
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.row_words import told
from auditor.events.scores.score import stored
from auditor.events.scores.table import Table

_DENSE = 128  # with at most so many possible keys for each output, a list of all keys is quicker than a search


@dataclass(frozen=True)
class Rows(Table):
    """A table of whole vectors. `atoms` are each column's values; a row that is not in the table has score 0.

    A row is kept as one whole number: its places in `atoms` (⊥ last) as digits of a mixed-radix number.
    """

    kind: ClassVar[str] = "rows"
    improves: ClassVar[bool] = True

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
        """The index of each row in the table."""
        found, keys = self.encode(self.atoms, outputs.numbers), np.asarray(self.keys, dtype=np.int64)
        if keys[-1] < len(found) * _DENSE:  # a list of all keys up to the largest is quicker than a search
            indices = np.full(keys[-1] + 2, len(keys))
            indices[keys] = np.arange(len(keys))
            return indices[np.where(found > keys[-1], keys[-1] + 1, found)]  # -1 is the last index as well
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
        return {"kind": self.kind, "atoms": atoms, "keys": list(self.keys), "values": list(self.values)}

    @classmethod
    def from_dict(cls, data: Any) -> Rows:
        """The table that `to_dict` described."""
        atoms = tuple(tuple(float(v) for v in column) for column in data["atoms"])
        return cls(atoms, tuple(int(k) for k in data["keys"]), tuple(float(v) for v in data["values"]))

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        return told(self, op, at, names)

    def row(self, key: int) -> tuple[float | None, ...]:
        """The values of one row; None is ⊥."""
        cells: list[float | None] = []
        for column in reversed(self.atoms):
            key, code = divmod(key, len(column) + 1)
            cells.append(None if code == len(column) else column[code])
        return tuple(reversed(cells))


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
