"""The columns that outputs become: laid out while a tree grows, filled when outputs are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
DEPTH = 10  # levels of containers inside each other that are taken apart
_SHOWN_CODES = 3  # codes that a column's name explains
MOST_BLOCKS = 20_000  # groups of columns, after which nothing deeper is taken apart


@dataclass
class Layout:
    """The columns of a tree while it grows: those of numbers come first, those about their form after them."""

    blocks: list[tuple[list[str], bool]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)  # attributes whose names say that they are no output
    inside: int = 0  # the number of objects around this place; inside one, what cannot be read is left out
    texts: int = 0  # places at which a text of many stands

    def add(self, names: list[str], value: bool = False) -> int:
        """Room for some columns; returns the block's number."""
        self.blocks.append((names, value))
        return len(self.blocks) - 1

    def spots(self) -> tuple[int, ...]:
        """The first column of each block."""
        starts, at = [0] * len(self.blocks), 0
        for wanted in (True, False):
            for index, (names, value) in enumerate(self.blocks):
                if value is wanted:
                    starts[index] = at
                    at += len(names)
        return tuple(starts)

    def names(self, value: bool) -> list[str]:
        """The names of the columns of numbers, or of the others."""
        return [" ".join(name.split()) for names, own in self.blocks if own is value for name in names]


@dataclass
class Page:
    """The rows that some outputs fill, and what is said of each beside its numbers."""

    matrix: Floats
    spots: tuple[int, ...]
    telling: bool
    said: dict[int, list[str]] = field(default_factory=dict)
    texts: list[list[str]] | None = None  # each output's texts of many, where an output may have several

    def put(self, block: int, rows: Places, values: Any, place: int = 0) -> None:
        """Writes a column. Rows come in their order, so as many as there are means all of them."""
        if len(rows) == len(self.matrix):
            self.matrix[:, self.spots[block] + place] = values
        else:
            self.matrix[rows, self.spots[block] + place] = values

    def put_all(self, block: int, rows: Places, values: Floats) -> None:
        """Writes several columns."""
        start = self.spots[block]
        self.matrix[rows, start : start + values.shape[1]] = values

    def remember(self, rows: Places, texts: Sequence[str]) -> None:
        """Keeps texts of many, to see which of them stand in an output twice."""
        if self.texts is not None:
            for row, text in zip(rows.tolist(), texts, strict=True):
                self.texts[row].append(text)

    def say(self, row: int, text: str) -> None:
        """Adds to a row's label."""
        self.said.setdefault(row, []).append(text)


def named(path: str) -> str:
    """What a place of the tree is called: the way to it, from the output, which is x."""
    return path[1:] if path.startswith(".") else f"x{path}"


def coded(name: str, values: Sequence[str]) -> str:
    """The name of a column of codes, with what the first codes stand for: "text of kind (0 'a', 1 'b')"."""
    shown = [f"{code} {value:.24}" for code, value in enumerate(values[:_SHOWN_CODES])]
    return f"{name} ({', '.join(shown)}{', …' if len(values) > _SHOWN_CODES else ''})"


class PartReader:
    """How one kind of object is read at a place of the tree."""

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """Writes what is in the items to their rows."""
