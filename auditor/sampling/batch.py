"""Batches of trials: each flips a fair coin for its side, and calls the mechanism in chunks that stay in cache.

A batch flips all its coins at once (a binomial number for each chunk), then draws that many outputs on the left
dataset and the rest on the right one, from streams named after what they are for. `workers` says where calls run.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from auditor.events.event import Event
from auditor.events.histograms import ScoreHistogram
from auditor.events.outputs import Outputs, join
from auditor.sampling.noted import Noted, noted_warnings
from auditor.sampling.repeats import FirstOutputs, first_outputs
from auditor.sampling.source import SIDES, Sample, Source
from auditor.sampling.streams import stream

Call = tuple[int, int, int]  # chunk of its batch, side (0 left, 1 right), number of outputs
GuessesBySide = tuple[int, int, int, int]  # on the left dataset left and right, and on the right one left and right
NO_GUESSES: GuessesBySide = (0, 0, 0, 0)


@dataclass(frozen=True)
class Batch:
    """Trials of one source: the event tested on them, whether outputs are kept, the name of their streams.

    `lone` is a second event, of outputs that were seen on one side alone so far.
    """

    source: Source
    event: Event | None
    keep: bool
    name: tuple[object, ...]
    flips: int
    histograms: tuple[ScoreHistogram, ...] = ()  # the outputs are counted in the cells of these histograms
    lone: Event | None = None

    def calls(self) -> list[Call]:
        """The calls of the mechanism that make this batch: two a chunk, one for each side of the coin."""
        coin = stream(self.source.seed, self.source.name, self.source.pair, "coin", *self.name)
        chunk = self.source.chunk
        if self.flips <= chunk:
            lefts = int(coin.binomial(self.flips, 0.5))
            return [call for call in ((0, 0, lefts), (0, 1, self.flips - lefts)) if call[2]]
        chunks = -(-self.flips // chunk)
        sizes = np.diff(np.arange(chunks + 1) * self.flips // chunks)
        lefts_of = coin.binomial(sizes, 0.5)
        return [
            (index, side, n)
            for index, both in enumerate(zip(lefts_of.tolist(), (sizes - lefts_of).tolist(), strict=True))
            for side, n in enumerate(both)
            if n
        ]


@dataclass(frozen=True)
class Tally:
    """What some calls gave: trials and guesses of each side, each call's first outputs, all where wanted."""

    trials: tuple[int, int] = (0, 0)
    guesses: GuessesBySide = NO_GUESSES
    first_outputs: tuple[FirstOutputs, ...] = ()
    left: Outputs | None = None
    right: Outputs | None = None
    # counts in the histograms' cells: left and right draws, each in two halves
    cells: npt.NDArray[np.int64] | None = None
    noted: Noted = field(default_factory=dict)  # warnings that the mechanism raised
    lone: GuessesBySide = NO_GUESSES  # guesses of the batch's second event

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            (self.trials[0] + other.trials[0], self.trials[1] + other.trials[1]),
            _added(self.guesses, other.guesses),
            self.first_outputs + other.first_outputs,
            _both(self.left, other.left),
            _both(self.right, other.right),
            other.cells if self.cells is None else self.cells if other.cells is None else self.cells + other.cells,
            {**other.noted, **self.noted},
            _added(self.lone, other.lone),
        )


def _added(first: GuessesBySide, second: GuessesBySide) -> GuessesBySide:
    a, b, c, d = (one + other for one, other in zip(first, second, strict=True))
    return a, b, c, d


def _both(first: Outputs | None, second: Outputs | None) -> Outputs | None:
    parts = [part for part in (first, second) if part is not None]
    return join(parts) if parts else None


def run(batch: Batch, calls: Sequence[Call]) -> Tally:
    """Makes some of a batch's calls, one after the other; only counts stay, unless outputs are kept."""
    with noted_warnings() as noted:
        return replace(_run(batch, calls), noted=noted)


def _run(batch: Batch, calls: Sequence[Call]) -> Tally:
    trials, guesses, lone = [0, 0], NO_GUESSES, NO_GUESSES
    seen: list[FirstOutputs] = []
    kept: tuple[list[Outputs], list[Outputs]] = ([], [])
    cells = np.zeros((2, 2, sum(g.size for g in batch.histograms)), dtype=np.int64) if batch.histograms else None
    for index, side, n in calls:
        outputs = batch.source.one_side(SIDES[side], n, *batch.name, index)
        trials[side] += n
        seen.append(((batch.source.pair, side), first_outputs(outputs)))
        if batch.event is not None:
            guesses = _added(guesses, _of_side(batch.event, outputs, side))
        if batch.lone is not None:
            lone = _added(lone, _of_side(batch.lone, outputs, side))
        if batch.keep:
            kept[side].append(outputs.copy())
        if cells is not None:
            for half, part in enumerate((slice(n // 2), slice(n // 2, None))):
                cells[side, half] += np.concatenate(
                    [histogram.count(outputs.take(part)) for histogram in batch.histograms]
                )
    left_kept, right_kept = (join(part) if part else None for part in kept)
    return Tally(
        (trials[0], trials[1]),
        guesses,
        tuple(seen),
        left_kept,
        right_kept,
        cells,
        lone=lone,
    )


def _of_side(event: Event, outputs: Outputs, side: int) -> GuessesBySide:
    """An event's guesses on outputs of one side."""
    left, right = event.guesses(outputs)
    return (left, right, 0, 0) if side == 0 else (0, 0, left, right)


Task = Sequence[tuple[Batch, Sequence[Call]]]


def run_task(task: Task) -> list[Tally]:
    """What a worker does: calls of one batch or of several."""
    return [run(batch, calls) for batch, calls in task]


def run_packed(data: bytes) -> list[Tally]:
    """A task that was pickled by the parent, for backends whose own pickling knows no lambdas."""
    return run_task(pickle.loads(data))


def with_sample(task: Task, sample: Sample) -> Task:
    """The same task on another copy of its mechanism."""
    return [(replace(batch, source=replace(batch.source, sample=sample)), calls) for batch, calls in task]
