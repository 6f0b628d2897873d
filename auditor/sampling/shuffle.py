"""Rows in a uniformly random order that the seed fixes, in memory that does not grow with their number.

Few rows are permuted where they are. More are dealt into piles on disk, each row onto one of them at random, and every
pile is then put into random order by itself. Given how many rows lie on each pile, every way to deal them is equally
likely; so the order of all rows is uniform (Rao 1961; Sandelius 1962). A list that was sorted is as good as any other.
"""

from __future__ import annotations

import itertools
import pickle
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from auditor.sampling.files import check_alike, joined
from auditor.sampling.formats import Rows
from auditor.sampling.streams import stream

MOST = 2**27  # bytes of rows that are held at once, about
PILES = 64  # on disk; each of them is dealt again where it has more rows than are held at once
_CELL = 64  # bytes that a Python object takes beside its text


@dataclass(frozen=True)
class Shuffled:
    """Rows in random order: how many there are, and the rows themselves, some at a time, to be gone through once."""

    length: int
    blocks: Iterator[Rows]


class Pile:
    """Rows on disk, in a temporary file of this process that has no name and goes when it is read."""

    def __init__(self) -> None:
        self.length = 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed as the next line says)
        weakref.finalize(self, self._file.close)  # an audit that refutes early reads few of its piles

    def add(self, rows: Rows) -> None:
        """Puts rows on the pile."""
        if len(rows):
            pickle.dump(rows, self._file, pickle.HIGHEST_PROTOCOL)
            self.length += len(rows)

    def taken(self) -> Iterator[Rows]:
        """The rows as they were added; afterwards the pile is gone."""
        with self._file as file:
            file.seek(0)
            remaining = self.length
            while remaining:
                rows = pickle.load(file)  # what `add` wrote: nobody else can reach the file
                remaining -= len(rows)
                yield rows


def shuffle(blocks: Iterable[Rows], name: str, seed: int, *names: object) -> Shuffled:
    """The rows of all blocks, in an order that comes from the stream with this seed and names alone.

    `name` is what an error calls the rows. The blocks are gone through at once: to know how many rows there are.
    """
    waiting = iter(blocks)
    held: list[Rows] = []
    size = rows = 0
    for block in waiting:
        held.append(block)
        size, rows = size + size_of(block), rows + len(block)
        if size > MOST and rows > PILES:
            break
    else:
        return Shuffled(rows, iter([permuted(joined(held, name), seed, *names)]))
    piles = dealt(itertools.chain(_emptied(held), waiting), name, seed, *names)
    return Shuffled(sum(pile.length for pile in piles), _in_turn(piles, name, seed, *names))


def permuted(rows: Rows, seed: int, *names: object) -> Rows:
    """The rows, all in memory, in an order fixed by the seed and names."""
    order = stream(seed, "recorded", *names).permutation(len(rows))
    return rows[order] if isinstance(rows, np.ndarray) else [rows[place] for place in order.tolist()]


def size_of(rows: Rows) -> int:
    """About how many bytes rows take in memory; a function of what they say, not of the machine."""
    if isinstance(rows, np.ndarray):
        return rows.nbytes
    return sum(_cell(row) for row in rows)


def _cell(value: object) -> int:
    if isinstance(value, (tuple, list)):
        return _CELL + sum(map(_cell, value))
    if isinstance(value, dict):
        return 2 * _CELL + sum(map(_cell, value.values()))
    return _CELL + (len(value) if isinstance(value, (str, bytes)) else 0)


def _emptied(held: list[Rows]) -> Iterator[Rows]:
    """The blocks in order; none is kept once it has been handed out."""
    held.reverse()
    while held:
        yield held.pop()


def dealt(blocks: Iterator[Rows], name: str, seed: int, *names: object) -> list[Pile]:
    """The rows of all blocks in piles, each row in a pile that is drawn by chance."""
    piles = [Pile() for _ in range(PILES)]
    first = None
    for place, block in enumerate(blocks):
        first = block[:1] if first is None else first
        check_alike(first, block, name)
        onto = stream(seed, "recorded", *names, "dealt", place).integers(PILES, size=len(block))
        order = np.argsort(onto, kind="stable")
        ends = np.cumsum(np.bincount(onto, minlength=PILES)).tolist()
        for pile, start, end in zip(piles, [0, *ends], ends, strict=False):
            chosen = order[start:end]
            pile.add(block[chosen] if isinstance(block, np.ndarray) else [block[row] for row in chosen.tolist()])
    return piles


def _in_turn(piles: list[Pile], name: str, seed: int, *names: object) -> Iterator[Rows]:
    for place, pile in enumerate(piles):
        if pile.length:
            yield from shuffle(pile.taken(), name, seed, *names, "pile", place).blocks
