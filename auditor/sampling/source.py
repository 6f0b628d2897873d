"""What is drawn from: the mechanism under audit, a pair of datasets, and the form of the outputs.

Worker processes import this file and nothing heavier: numpy is all it needs.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from auditor.errors import AuditError, MechanismError
from auditor.escaping import described
from auditor.events.outputs import Form, Outputs, canonical, check_count, form_of, join
from auditor.sampling.built import inside
from auditor.sampling.draws import Batched, OneByOne, PerDraw
from auditor.sampling.independence import fingerprint
from auditor.sampling.noted import noted_warnings
from auditor.sampling.own_state import Generators, Habits, written_state
from auditor.sampling.repeats import first_outputs, log_orders
from auditor.sampling.seeding import watched
from auditor.sampling.streams import position, stream
from auditor.tuning import TUNING, Sharing

SIDES = ("left", "right")

Sample = Callable[[Any, int, np.random.Generator], Any]


class Timed(Protocol):
    """Is told how many draws took how many seconds, and whether they were the first call."""

    def __call__(self, draws: int, seconds: float, first: bool = False) -> None:
        """So many draws took so long."""


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
    datasets: tuple[bytes | None, bytes | None] = (None, None)  # fingerprints of both datasets, as they were at first
    tuning: Sharing = TUNING.sharing

    live: ClassVar[bool] = True  # the mechanism can be run again; False for recorded outputs

    def piloted(self, n: int, replayed: int = 0, timed: Timed | None = None) -> tuple[Source, Habits]:
        """The source with the form of its outputs, and its mechanism's habits, from n draws a side.

        `replayed` outputs of one stream are drawn twice at the most (on the first pair only, see `_replays`); where
        it is less than n, the left pilot is. `timed` is told at once how long the very first call took.
        """
        with noted_warnings() as noted:
            source, habits = self._piloted(n, replayed, timed)
        return source, replace(habits, noted=noted)

    def _piloted(self, n: int, replayed: int, timed: Timed | None) -> tuple[Source, Habits]:
        source, start = replace(self, datasets=(fingerprint(self.left), fingerprint(self.right))), time.perf_counter()
        left = source._pilot("left", n)
        if timed is not None:
            timed(n, time.perf_counter() - start, first=True)
        replayed = source._replays(left, n, replayed)
        first, again, moved = source._twice(left, n, replayed) if self.pair == 0 else (left, left, False)
        right = source._pilot("right", n)
        source.check_unchanged()
        with _readable(self.name):
            form = form_of([left, right], self.name)
            m = max(n, replayed) if self.pair == 0 else n
            same = canonical(first, m, self.name, form).copy().same(canonical(again, m, self.name, form))
            sides = [canonical(raw, n, self.name, form).copy() for raw in (left, right)]
        source = replace(source, form=form)
        seeds = self.pair == 0 and not any(side.vary() for side in sides) and source.seeds_itself()
        made = 2 * n + (self.pair == 0) * (n if replayed <= n else 2 * replayed)
        return source, Habits(same and not moved, moved, seeds, draws=made)

    def seconds_a_draw(self, enough: float) -> float:
        """How long one output takes here, to make and to read, on average over both sides: timed on calls that are not
        used otherwise.

        They are for ever more outputs, until both together take `enough` seconds or are as large as calls become.
        """
        source, n = replace(self, datasets=(fingerprint(self.left), fingerprint(self.right))), 1
        with noted_warnings():
            for side in SIDES:
                source._pilot(side, 1, "untimed")  # a first call may have something to set up
            while True:
                start = time.perf_counter()
                outputs = [source.raw(side, n, "timed", n) for side in SIDES]
                took = time.perf_counter() - start
                if took >= enough or n >= self.chunk // 2:
                    break
                n = min(4 * n, self.chunk // 2)
        source.check_unchanged()
        return (took + self._reading(outputs, n)) / (2 * n)

    def _reading(self, outputs: Sequence[Any], n: int) -> float:
        """Seconds that reading these outputs takes, n of each side."""
        with _readable(self.name):
            form = form_of(list(outputs), self.name)
            start = time.perf_counter()
            for raw in outputs:
                canonical(raw, n, self.name, form)
        return time.perf_counter() - start

    def _pilot(self, side: str, n: int, name: str = "pilot") -> Any:
        """First outputs of a side. Where it raises and the other side does not, the error says that this is a leak."""
        try:
            return _copied(self.raw(side, n, name))
        except MechanismError as error:
            other = "right" if side == "left" else "left"
            if not isinstance(error.__cause__, Exception):
                raise
            try:
                self.raw(other, n, name)
            except AuditError:
                raise error from error.__cause__
            raise MechanismError(
                f"{error}. On the {other} dataset it did not raise, and that alone tells the two apart: audit it with "
                'raises="output", which makes an exception an output'
            ) from error.__cause__

    def _replays(self, left: Any, n: int, replayed: int) -> int:
        """How many outputs of one stream are drawn twice, at most `replayed`.

        Where each output is a call of its own, calls may be slow, and n suffice if the pilot's outputs vary: with
        randomness of its own a mechanism repeats them in their order with probability at most 1e-6.
        """
        if replayed <= n or not self.one_by_one:
            return replayed
        with _readable(self.name):
            outputs = canonical(left, n, self.name, form_of([left], self.name))
        varied = log_orders(first_outputs(outputs)) > math.log(1e6)
        return n if varied else min(replayed, self.tuning.replayed_pilots * n)

    def _twice(self, left: Any, n: int, replayed: int) -> tuple[Any, Any, bool]:
        """Outputs of one stream, those of the same stream again, and whether a generator moved on meanwhile."""
        name, m = ("pilot", n) if replayed <= n else ("replay", replayed)
        first = left if name == "pilot" else _copied(self.raw("left", m, name))
        generators = Generators(self.sample)
        before = generators.state()
        again = _copied(self.raw("left", m, name))
        return first, again, generators.state() != before

    def seeds_itself(self) -> bool:
        """Whether one draw makes a generator from a fixed seed, and leaves the stream that it is given as it was."""
        rng = stream(self.seed, self.name, self.pair, "left", "watched")
        before = position(rng)
        with watched(self.sample) as watch:
            self._called("left", 1, rng)
        return watch.seeded and position(rng) == before

    def keeps_state(self, n: int) -> bool | None:
        """Whether n draws change what would be sent along with the mechanism; None where it cannot be sent."""
        before = written_state(inside(self.sample))
        self.raw("left", n, "state")
        after = written_state(inside(self.sample))
        return None if before is None or after is None else before != after

    def check_unchanged(self) -> None:
        """A MechanismError when a dataset is not what it was."""
        for side, before, now in zip(SIDES, self.datasets, (self.left, self.right), strict=True):
            if before is not None and fingerprint(now) != before:
                raise MechanismError(
                    f"{self.name} must leave its input as it is, got a {side} dataset of pair {self.pair + 1} "
                    "that its draws have changed; change a copy instead"
                )

    @property
    def one_by_one(self) -> bool:
        """True where each output is a call of its own, so that the draws of a call cannot share their noise."""
        sample = inside(self.sample)
        return isinstance(sample, OneByOne) or isinstance(getattr(sample, "__self__", None), PerDraw)

    @property
    def of_fixed_size(self) -> bool:
        """True where each call makes a fixed number of outputs, however few are asked for."""
        return isinstance(getattr(inside(self.sample), "__self__", None), Batched)

    @property
    def plain(self) -> bool:
        """True where the outputs are plain numbers, which are quick to learn from."""
        return self.form is not None and self.form.kind == "numbers"

    @property
    def chunk(self) -> int:
        """Coin flips of a chunk."""
        most, least = self.tuning.chunk, self.tuning.least_chunk
        return most if self.form is None else max(most // max(1, self.form.width), min(most, least))

    def one_side(self, side: str, n: int, *names: object) -> Outputs:
        """n outputs on one side, from the stream with this name, in the form fixed for this source."""
        assert self.form is not None
        raw = self.raw(side, n, *names)
        with _readable(self.name):
            return canonical(raw, n, self.name, self.form)

    def outputs_as_bytes(self, n: int) -> bytes:
        """The outputs of n draws on the left dataset, as bytes."""
        outputs = self.one_side("left", n, "heads")
        return outputs.numbers.tobytes() + repr(outputs.labels).encode(errors="replace")

    def twos(self, pairs: int) -> tuple[Outputs, Outputs]:
        """Pairs of outputs of one call, on each side: a call for each pair, or for eight where a call is dear."""
        outputs = 16 if self.of_fixed_size else 2
        calls = range(-(-2 * pairs // outputs))
        with noted_warnings():
            left, right = (join([self.one_side(side, outputs, "two", k).copy() for k in calls]) for side in SIDES)
        return left, right

    def raw(self, side: str, n: int, *names: object) -> Any:
        """What the mechanism itself returned for n outputs on one side."""
        return self._called(side, n, stream(self.seed, self.name, self.pair, side, *names))

    def _called(self, side: str, n: int, rng: np.random.Generator) -> Any:
        dataset = self.left if side == "left" else self.right
        try:
            with np.errstate():  # numpy's error handling is ours again afterwards
                outputs = self.sample(dataset, n, rng)
        except KeyboardInterrupt:
            raise
        except AuditError as error:  # a sentence already, of a command
            raise type(error)(f"{error} (on the {side} dataset of pair {self.pair + 1})") from error
        except BaseException as error:  # asyncio.CancelledError and SystemExit are no Exception
            kind, _, said = described(error).partition(": ")
            raise MechanismError(
                f"{self.name} raised {kind} on the {side} dataset of pair {self.pair + 1}: {said}"
            ) from error
        with _readable(self.name):
            check_count(outputs, n, self.name)
        return outputs


@contextlib.contextmanager
def _readable(name: str) -> Iterator[None]:
    """Outputs are objects of the mechanism's own: whatever reading them raises is told as its error."""
    try:
        yield
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise MechanismError(
            f"{name} must return numbers, strings, None or tuples of them, got outputs that cannot be read: "
            f"{described(error)}"
        ) from error


def _copied(raw: Any) -> Any:
    """Outputs in memory of their own: a mechanism may use its buffer again."""
    return raw.copy() if isinstance(raw, np.ndarray | list) else raw
