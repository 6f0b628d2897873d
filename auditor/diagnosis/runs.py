"""Runs of a mechanism on both datasets of a pair with the same random numbers, one output each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.diagnosis.recorder import Call, Recorder
from auditor.events.names import column_names
from auditor.events.objects import numbers_of, text

RUNS = 32  # runs a side, as many as the pilot of an audit draws
_MOST = 10**6  # most numbers of an output
_AGAIN = 8  # runs on the left side that are made again, to see whether the stream decides the output
_FEW = 4  # runs a side where a repeated run gives another output: little can be said of such a mechanism

Stream = Callable[[int], np.random.Generator]


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """One output: what was drawn for it, the numbers in it and its text, or what was raised instead."""

    calls: tuple[Call, ...]
    past_it: bool
    numbers: npt.NDArray[np.float64]
    text: str
    names: tuple[str, ...] = ()  # names of the numbers, where the output names them
    error: str = ""
    shown: str = ""  # an output without numbers as Python shows it

    @property
    def steps(self) -> tuple[tuple[str, int], ...]:
        """What was drawn, and how many numbers."""
        return tuple((call.method, call.size) for call in self.calls)

    @property
    def drew(self) -> bool:
        """Whether the generator was used at all."""
        return bool(self.calls) or self.past_it

    def same_output(self, other: RecordedRun) -> bool:
        """Whether two runs gave the same output."""
        return (
            np.array_equal(self.numbers, other.numbers, equal_nan=True)
            and self.text == other.text
            and self.error == other.error
        )


@dataclass(frozen=True)
class Runs:
    """Both sides with the same numbers, and the first runs of the left side once more."""

    left: tuple[RecordedRun, ...]
    right: tuple[RecordedRun, ...]
    again: tuple[RecordedRun, ...]

    @property
    def replayable(self) -> bool:
        """Whether the same stream gives the same output."""
        return all(first.same_output(second) for first, second in zip(self.left, self.again, strict=False))


def both_sides(sample: Callable[..., Any], left: Any, right: Any, stream: Stream) -> Runs:
    """RUNS outputs on each side, the r-th of both from the stream with number r; _FEW where the stream decides nothing.

    Calls may be slow, and of a mechanism with randomness of its own only exceptions are told.
    """

    def runs(dataset: Any, start: int, stop: int) -> tuple[RecordedRun, ...]:
        return tuple(_run(sample, dataset, stream(place)) for place in range(start, stop))

    first, again = runs(left, 0, 1), runs(left, 0, 1)
    decided = first[0].same_output(again[0])
    most = RUNS if decided else _FEW
    return Runs(first + runs(left, 1, most), runs(right, 0, most), again + runs(left, 1, _AGAIN if decided else 1))


def _run(sample: Callable[..., Any], dataset: Any, rng: np.random.Generator) -> RecordedRun:
    recorder, numbers, words, error, shown = Recorder(rng.bit_generator), np.empty(0), "", "", ""
    names: tuple[str, ...] = ()
    try:
        raw = sample(dataset, 1, recorder)
        output = _first(raw)
    except (Exception, SystemExit) as raised:  # an exception is something that an adversary sees, too
        error = f"{type(raised).__name__}: {raised}" if str(raised) else type(raised).__name__
    else:  # an output that cannot be read ends the whole diagnosis, and says nothing of the mechanism
        numbers, words = np.array(list(numbers_of(output))), text(output, _MOST, "the mechanism")
        names = column_names(raw, _MOST)
        shown = "" if numbers.size else repr(output.item() if isinstance(output, np.generic) else output)
    log = recorder.finished()
    return RecordedRun(tuple(log.calls), log.past_it, numbers, words, names, error, shown)


def _first(outputs: Any) -> Any:
    if hasattr(outputs, "__array__") and not isinstance(outputs, np.ndarray):
        outputs = np.asarray(outputs)
    return outputs[0]
