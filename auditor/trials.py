"""Draws outputs: named random streams, chunks, joblib. Nothing else touches parallelism.

Each trial flips a fair coin for its side. A chunk flips all its coins at once (one binomial number), then draws that
many outputs on the left dataset and the rest on the right one, from streams named after what they are for. So a
result depends on the seed alone: not on the workers, the order of the chunks, or what else is audited.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from auditor.errors import MechanismError
from auditor.events import Event
from auditor.outputs import Form, Outputs, canonical, count, join

CHUNK = 2**17  # coin flips: about 64k draws a side, which stay in cache
_PARALLEL_FROM = 0.6  # seconds of work that are worth starting workers for
_TASK = 0.12  # seconds of work in a task, so that a cluster's overhead stays small

Sample = Callable[[Any, int, np.random.Generator], Any]
Progress = Callable[[int, int], None]


class Samples(Protocol):
    """Anything with `sample(dataset, n, rng)`."""

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n independent outputs."""


@dataclass(frozen=True)
class PerDraw:
    """A mechanism from a function that returns one output a call."""

    function: Callable[[Any, np.random.Generator], Any]

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n calls."""
        function = self.function
        return [function(dataset, rng) for _ in range(n)]


def per_draw(function: Callable[[Any, np.random.Generator], Any]) -> PerDraw:
    """Wraps `function(dataset, rng) -> one output` as a mechanism."""
    if not callable(function):
        raise ValueError(f"per_draw takes a function of (dataset, rng), got {function!r:.60}")
    return PerDraw(function)


def stream(seed: int, *names: object) -> np.random.Generator:
    """The random stream with this name: independent of every other name's."""
    key = hashlib.blake2b(repr((seed, *names)).encode(), digest_size=32).digest()
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(int.from_bytes(key, "little"))))


@dataclass(frozen=True)
class Source:
    """What is drawn from: a mechanism, a pair, and the name of its streams."""

    sample: Sample
    left: Any
    right: Any
    seed: int
    name: str
    pair: int
    form: Form | None = None

    @property
    def plain(self) -> bool:
        """True where the outputs are plain numbers, which are quick to learn from."""
        return self.form is not None and self.form.kind == "numbers"

    def one_side(self, side: str, n: int, *names: object) -> Outputs:
        """n outputs on one side, from the stream with this name, in the form fixed for this source."""
        assert self.form is not None
        return canonical(self.raw(side, n, *names), n, self.name, self.form)

    def raw(self, side: str, n: int, *names: object) -> Any:
        """What the mechanism itself returned for n outputs on one side."""
        dataset = self.left if side == "left" else self.right
        rng = stream(self.seed, self.pair, side, *names)
        try:
            outputs = self.sample(dataset, n, rng)
        except Exception as error:
            raise MechanismError(
                f"{self.name} raised {type(error).__name__} on the {side} dataset of pair {self.pair}: {error}"
            ) from error
        count(outputs, n, self.name)
        return outputs


@dataclass(frozen=True)
class Tally:
    """What a run of chunks gave: trials and guesses of each side, and the outputs where they were asked for."""

    left_trials: int
    right_trials: int
    guesses: tuple[int, int, int, int]
    left: Outputs | None = None
    right: Outputs | None = None


def _run(
    source: Source, event: Event | None, keep: bool, chunks: Sequence[tuple[tuple[object, ...], int]]
) -> Tally:
    """Draws the chunks one after the other; each is a name and a number of coin flips."""
    lefts, rights = 0, 0
    guesses = np.zeros(4, dtype=np.int64)
    kept: tuple[list[Outputs], list[Outputs]] = ([], [])
    for name, flips in chunks:
        heads = int(stream(source.seed, source.pair, "coin", *name).binomial(flips, 0.5))
        for place, (side, n) in enumerate((("left", heads), ("right", flips - heads))):
            if n == 0:
                continue
            outputs = source.one_side(side, n, *name)
            if event is not None:
                guesses[2 * place : 2 * place + 2] += event.guesses(outputs)
            if keep:
                kept[place].append(outputs.copy())
        lefts, rights = lefts + heads, rights + flips - heads
    left, right = (join(part) if part else None for part in kept)
    counts = tuple(int(g) for g in guesses)
    return Tally(lefts, rights, (counts[0], counts[1], counts[2], counts[3]), left, right)


class Workers:
    """Runs chunks here while that is quick, and on joblib's workers when there is enough to do."""

    def __init__(self, jobs: int, progress: Progress | None = None, total: int = 0) -> None:
        self.jobs = jobs
        self.progress = progress
        self.total = total
        self.done = 0
        self.rate = 0.0  # coin flips a second, as measured so far

    def draw(
        self, source: Source, event: Event | None, keep: bool, name: tuple[object, ...], flips: int
    ) -> Tally:
        """`flips` trials of a source; `name` says which."""
        count = -(-flips // CHUNK)
        chunks = [
            ((*name, place), (place + 1) * flips // count - place * flips // count) for place in range(count)
        ]
        start = time.perf_counter()
        if self._worth_sharing(flips) and len(chunks) > 1:
            tally = _merge(self._share(source, event, keep, chunks))
        else:
            tally = _run(source, event, keep, chunks)
            self.rate = max(flips / (time.perf_counter() - start + 1e-9), self.rate / 2)
        self.done += flips
        if self.progress is not None:
            self.progress(min(self.done, self.total), self.total)
        return tally

    def _worth_sharing(self, flips: int) -> bool:
        return self.jobs != 1 and self.rate > 0 and flips / self.rate > _PARALLEL_FROM

    def _share(
        self, source: Source, event: Event | None, keep: bool, chunks: list[tuple[tuple[object, ...], int]]
    ) -> Iterable[Tally]:
        from joblib import Parallel, delayed

        each = max(1, round(_TASK * self.rate / CHUNK))
        tasks = [chunks[start : start + each] for start in range(0, len(chunks), each)]
        result: Iterable[Tally] = Parallel(n_jobs=self.jobs)(
            delayed(_run)(source, event, keep, task) for task in tasks
        )
        return result


def _merge(tallies: Iterable[Tally]) -> Tally:
    parts = list(tallies)
    counts = np.sum([part.guesses for part in parts], axis=0)
    kept = ([p.left for p in parts if p.left is not None], [p.right for p in parts if p.right is not None])
    left, right = (join(part) if part else None for part in kept)
    return Tally(
        sum(part.left_trials for part in parts),
        sum(part.right_trials for part in parts),
        (int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3])),
        left,
        right,
    )
