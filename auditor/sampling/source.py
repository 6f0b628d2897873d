"""What is drawn from: the mechanism under audit, a pair of datasets, and the form of the outputs.

Worker processes import this file and nothing heavier: numpy is all it needs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditor.errors import AuditError, MechanismError
from auditor.escaping import described
from auditor.events.outputs import Form, Outputs, canonical, count, form_of, join
from auditor.sampling.independence import fingerprint
from auditor.sampling.streams import stream

CHUNK = 2**17  # coin flips: about 64k numbers a side, which stay in cache
_LEAST_CHUNK = 2**10  # coin flips: vectors come in smaller chunks, but calls should not get too many
SIDES = ("left", "right")

Sample = Callable[[Any, int, np.random.Generator], Any]


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
            with np.errstate():  # numpy's error handling is ours again afterwards
                outputs = self.sample(dataset, n, rng)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # asyncio.CancelledError and SystemExit are no Exception
            kind, _, said = described(error).partition(": ")
            raise MechanismError(
                f"{self.name} raised {kind} on the {side} dataset of pair {self.pair}: {said}"
            ) from error
        with _readable(self.name):
            count(outputs, n, self.name)
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
