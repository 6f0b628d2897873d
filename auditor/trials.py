"""Draws outputs: named random streams, and calls whose outputs stay in cache. `workers` says where they run.

Each trial flips a fair coin for its side. A batch flips all its coins at once (a binomial number for each
chunk), then draws that many outputs on the left dataset and the rest on the right one, from streams named
after what they are for. So a result depends on the seed alone: not on the workers, the order of the
calls, or what else is audited.

Worker processes import this file and nothing heavier: numpy is all it needs.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISpawnableSeedSequence

from auditor.errors import AuditError, MechanismError
from auditor.events import Event
from auditor.gauges import Gauge
from auditor.independence import fingerprint, head_of
from auditor.outputs import Form, Outputs, canonical, count, form_of, join

CHUNK = 2**17  # coin flips: about 64k numbers a side, which stay in cache
_LEAST_CHUNK = 2**10  # coin flips: vectors come in smaller chunks, but calls should not get too many
SIDES = ("left", "right")

Sample = Callable[[Any, int, np.random.Generator], Any]
Call = tuple[int, int, int]  # chunk of its batch, side (0 left, 1 right), number of outputs


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


class _Key(ISpawnableSeedSequence):
    """A hash as the start of a stream. It is uniform already, so numpy's own mixing would only cost time."""

    def __init__(self, key: bytes) -> None:
        self.key = key

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        """The key itself; expanded where a generator wants more of it."""
        if n_words * np.dtype(dtype).itemsize <= len(self.key):
            return np.frombuffer(self.key, dtype)[:n_words]
        return self._expanded().generate_state(n_words, dtype)

    def spawn(self, n_children: int) -> list[Any]:
        """For mechanisms that call rng.spawn."""
        return self._expanded().spawn(n_children)

    def _expanded(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(int.from_bytes(self.key, "little"))


def stream(seed: int, *names: object) -> np.random.Generator:
    """The random stream with this name: independent of every other name's."""
    key = hashlib.blake2b(repr((seed, *names)).encode(), digest_size=32).digest()
    return np.random.Generator(np.random.SFC64(_Key(key)))  # type: ignore[arg-type]


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
    datasets: tuple[bytes | None, bytes | None] = (None, None)  # fingerprints, as they were at first

    def piloted(self, n: int) -> tuple[Source, bool]:
        """The source with the form of its outputs, and whether a stream gives the same outputs twice."""
        source = replace(self, datasets=(fingerprint(self.left), fingerprint(self.right)))
        left, right = (_copied(source.raw(side, n, "pilot")) for side in SIDES)
        again = source.raw("left", n, "pilot") if self.pair == 0 else left
        source.check_unchanged()
        with _readable(self.name):
            form = form_of([left, right], self.name)
            first, second = (canonical(raw, n, self.name, form) for raw in (left, again))
        return replace(source, form=form), first.same(second)

    def check_unchanged(self) -> None:
        """A MechanismError when a dataset is not what it was."""
        for side, before, now in zip(SIDES, self.datasets, (self.left, self.right), strict=True):
            if before is not None and fingerprint(now) != before:
                raise MechanismError(
                    f"{self.name} must leave its input as it is, got a {side} dataset of pair {self.pair} "
                    "that its draws have changed; change a copy instead"
                )

    @property
    def plain(self) -> bool:
        """True where the outputs are plain numbers, which are quick to learn from."""
        return self.form is not None and self.form.kind == "numbers"

    @property
    def chunk(self) -> int:
        """Coin flips of a chunk."""
        return CHUNK if self.form is None else max(CHUNK // max(1, self.form.width), min(CHUNK, _LEAST_CHUNK))

    def one_side(self, side: str, n: int, *names: object) -> Outputs:
        """n outputs on one side, from the stream with this name, in the form fixed for this source."""
        assert self.form is not None
        raw = self.raw(side, n, *names)
        with _readable(self.name):
            return canonical(raw, n, self.name, self.form)

    def twos(self, calls: int) -> tuple[Outputs, Outputs]:
        """Calls on each side for two outputs each."""
        left, right = (join([self.one_side(side, 2, "two", k).copy() for k in range(calls)]) for side in SIDES)
        return left, right

    def raw(self, side: str, n: int, *names: object) -> Any:
        """What the mechanism itself returned for n outputs on one side."""
        dataset = self.left if side == "left" else self.right
        rng = stream(self.seed, self.name, self.pair, side, *names)
        try:
            outputs = self.sample(dataset, n, rng)
        except (Exception, SystemExit) as error:
            raise MechanismError(
                f"{self.name} raised {type(error).__name__} on the {side} dataset of pair {self.pair}: {error}"
            ) from error
        with _readable(self.name):
            count(outputs, n, self.name)
        return outputs


@contextlib.contextmanager
def _readable(name: str) -> Iterator[None]:
    """Outputs are objects of the mechanism's own: whatever reading them raises is told as its error."""
    try:
        yield
    except AuditError:
        raise
    except Exception as error:
        raise MechanismError(
            f"{name} must return numbers, strings, None or tuples of them, got outputs that cannot be read: "
            f"{type(error).__name__}: {error}"
        ) from error


def _copied(raw: Any) -> Any:
    """Outputs in memory of their own: a mechanism may use its buffer again."""
    return raw.copy() if isinstance(raw, np.ndarray | list) else raw


@dataclass(frozen=True)
class Batch:
    """Trials of one source: the event tested on them, whether outputs are kept, the name of their streams."""

    source: Source
    event: Event | None
    keep: bool
    name: tuple[object, ...]
    flips: int
    gauges: tuple[Gauge, ...] = ()  # whose cells the outputs are counted in

    def calls(self) -> list[Call]:
        """The calls of the mechanism that make this batch: two a chunk, one for each side of the coin."""
        coin = stream(self.source.seed, self.source.name, self.source.pair, "coin", *self.name)
        chunk = self.source.chunk
        if self.flips <= chunk:
            lefts = int(coin.binomial(self.flips, 0.5))
            return [call for call in ((0, 0, lefts), (0, 1, self.flips - lefts)) if call[2]]
        chunks = -(-self.flips // chunk)
        sizes = np.diff(np.arange(chunks + 1) * self.flips // chunks)
        heads = coin.binomial(sizes, 0.5)
        return [
            (place, side, n)
            for place, both in enumerate(zip(heads.tolist(), (sizes - heads).tolist(), strict=True))
            for side, n in enumerate(both)
            if n
        ]


@dataclass(frozen=True)
class Tally:
    """What some calls gave: trials and guesses of each side, each call's first outputs, all where wanted."""

    trials: tuple[int, int] = (0, 0)
    guesses: tuple[int, int, int, int] = (0, 0, 0, 0)
    heads: tuple[bytes, ...] = ()
    left: Outputs | None = None
    right: Outputs | None = None
    cells: npt.NDArray[np.int64] | None = None  # of the batch's gauges: left and right draws, each in two halves

    def __add__(self, other: Tally) -> Tally:
        a, b = self.guesses, other.guesses
        return Tally(
            (self.trials[0] + other.trials[0], self.trials[1] + other.trials[1]),
            (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]),
            self.heads + other.heads,
            _both(self.left, other.left),
            _both(self.right, other.right),
            other.cells if self.cells is None else self.cells if other.cells is None else self.cells + other.cells,
        )


def _both(first: Outputs | None, second: Outputs | None) -> Outputs | None:
    parts = [part for part in (first, second) if part is not None]
    return join(parts) if parts else None


def run(batch: Batch, calls: Sequence[Call]) -> Tally:
    """Makes some of a batch's calls, one after the other; only counts stay, unless outputs are kept."""
    trials, guesses = [0, 0], [0, 0, 0, 0]
    heads: list[bytes] = []
    kept: tuple[list[Outputs], list[Outputs]] = ([], [])
    cells = np.zeros((2, 2, sum(g.size for g in batch.gauges)), dtype=np.int64) if batch.gauges else None
    for place, side, n in calls:
        outputs = batch.source.one_side(SIDES[side], n, *batch.name, place)
        trials[side] += n
        heads.append(head_of(outputs))
        if batch.event is not None:
            left, right = batch.event.guesses(outputs)
            guesses[2 * side] += left
            guesses[2 * side + 1] += right
        if batch.keep:
            kept[side].append(outputs.copy())
        if cells is not None:
            for half, part in enumerate((slice(n // 2), slice(n // 2, None))):
                cells[side, half] += np.concatenate([gauge.count(outputs.take(part)) for gauge in batch.gauges])
    left_kept, right_kept = (join(part) if part else None for part in kept)
    return Tally(
        (trials[0], trials[1]),
        (guesses[0], guesses[1], guesses[2], guesses[3]),
        tuple(heads),
        left_kept,
        right_kept,
        cells,
    )


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
