"""Recorded outputs in place of a mechanism: each is used once, in an order that the seed fixes.

The coins are flipped by the audit as always; where a coin asks for an output of a side, the next unused one is taken.
Proof that this is as good as drawing: docs/method.md, "Recorded outputs".
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from auditor.errors import AuditError, UsageError
from auditor.events.names import short
from auditor.events.outputs import Outputs
from auditor.sampling.files import Recording, check_alike, joined
from auditor.sampling.formats import Rows
from auditor.sampling.own_state import Habits
from auditor.sampling.shuffle import permuted, shuffle
from auditor.sampling.source import Source, Timed

_SHORT = 1e-6  # probability with which the coins may ask for more outputs of a side than there are


class Tape:
    """One side's outputs: the first few fix the form in which all are read, the others are handed out once each."""

    def __init__(self, name: str, blocks: Iterator[Rows], length: int, columns: tuple[str, ...] = ()) -> None:
        self.name, self.length, self.columns = name, length, columns
        self._blocks = blocks
        self._rows: Rows = next(blocks)
        self._at = 0

    def __repr__(self) -> str:
        return f"{self.length:,} outputs of {self.name}"

    @property
    def kind(self) -> str:
        """Numbers with how many columns, or other values."""
        if not isinstance(self._rows, np.ndarray):
            return "values that are not all numbers"
        return "one number a row" if self._rows.ndim == 1 else f"{self._rows.shape[1]} numbers a row"

    def first(self, n: int) -> Rows:
        """The first n outputs; they are not handed out again."""
        while len(self._rows) < min(n, self.length):
            self._rows = joined([self._rows, next(self._blocks)], self.name)
        self._at = max(self._at, n)
        return self._rows[:n]

    def take(self, n: int) -> Rows:
        """The next n outputs."""
        parts = []
        while n:
            if self._at == len(self._rows):
                self._next_block()
            part = self._rows[self._at : self._at + n]
            self._at += len(part)
            n -= len(part)
            parts.append(part)
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else [row for part in parts for row in part]

    def _next_block(self) -> None:
        following = next(self._blocks, None)
        if following is None:
            raise UsageError(
                f"the coins of this seed ask for more than the {self.length:,} outputs of {self.name}, "
                f"which happens once in {1 / _SHORT:,.0f} seeds; use another seed"
            )
        check_alike(self._rows, following, self.name)
        self._rows, self._at = following, 0


@dataclass(frozen=True)
class RecordedSource(Source):
    """A source whose datasets are tapes; one audit reads them once, in one process."""

    live: ClassVar[bool] = False

    def piloted(self, n: int, replayed: int = 0, timed: Timed | None = None) -> tuple[Source, Habits]:
        """The form of the outputs; there is no mechanism whose habits could be seen."""
        source, habits = super().piloted(n)
        if source.form is None or len(self.left.columns) != source.form.width:
            return source, habits
        names = tuple(short(name) for name in self.left.columns)
        return replace(source, form=replace(source.form, names=names)), habits

    def _twice(self, left: Any, n: int, replayed: int) -> tuple[Any, Any, bool]:
        return left, left, False

    def seeds_itself(self) -> bool:
        """False: recorded outputs draw nothing."""
        return False

    def raw(self, side: str, n: int, *names: object) -> Any:
        """The first outputs for the pilot, the next unused ones for everything else."""
        tape: Tape = self.left if side == "left" else self.right
        return tape.first(n) if names[0] == "pilot" else tape.take(n)

    def twos(self, pairs: int) -> tuple[Outputs, Outputs]:
        """Nothing was drawn in calls."""
        raise AuditError("recorded outputs were not drawn two at a time")


def tape_of_rows(rows: Rows, name: str, seed: int, side: str, columns: tuple[str, ...] = ()) -> Tape:
    """A tape of outputs in memory."""
    return Tape(name, iter([permuted(rows, seed, side)]), len(rows), columns)


def tape_of_file(recording: Recording, seed: int, side: str) -> Tape:
    """A tape of a file in random order, which goes through temporary files where it is too large for memory."""
    name = recording.path.name
    try:
        found = shuffle(recording.blocks(), name, seed, side)
    except OSError as error:
        raise UsageError(
            f"{name} is too large to be held in memory and needs room for a copy in {tempfile.gettempdir()} (TMPDIR "
            f"names another place), got {error.strerror or error}"
        ) from error
    return Tape(name, found.blocks, found.length, recording.names())


def trials_for(left: int, right: int) -> int:
    """Half the coin flips for which neither side runs out, but with probability 1e-6.

    Of F flips, F/2 + z sqrt(F)/2 or more fall on one side with probability about 1 - Phi(z).
    """
    z, most = -float(ndtri(_SHORT / 2)), min(left, right)
    root = (-z + math.sqrt(z * z + 8 * most)) / 2  # F + z sqrt(F) = 2 most
    return max(0, int(root * root / 2))
