"""Mechanisms that are built where they draw, because what they hold cannot be sent there."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.sampling.pickling import pickled

_BUILT = threading.local()  # mechanisms that were built in this thread, by their factory


class BuiltInWorker:
    """A mechanism that is made where it is called; see `built_in_worker`."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.built: Any = None

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n outputs of the mechanism, which is made first where there is none yet."""
        mechanism = self._mechanism()
        sample = getattr(mechanism, "sample", None)
        return (sample if callable(sample) else mechanism)(dataset, n, rng)

    def _mechanism(self) -> Any:
        if self.built is None:
            self.built = self.function()
        return self.built

    @property
    def claim(self) -> Any:
        """What the mechanism claims by itself, if it does."""
        return getattr(self._mechanism(), "claim", None)

    @property
    def neighbours(self) -> Any:
        """The mechanism's own neighbours, if it has some."""
        return getattr(self._mechanism(), "neighbours", None)

    @property
    def views(self) -> Any:
        """How the mechanism wants its outputs to be looked at; an AttributeError where it does not say."""
        return self._mechanism().views

    def __reduce__(self) -> tuple[Any, ...]:
        data = pickled(self.function)
        return _built_here, (self.function, hashlib.blake2b(data, digest_size=16).digest())


def _built_here(function: Callable[[], Any], key: bytes) -> BuiltInWorker:
    """The copy of this thread: later tasks of the same audit find what the first one has built."""
    known: dict[bytes, BuiltInWorker] = vars(_BUILT).setdefault("known", {})
    return known.setdefault(key, BuiltInWorker(function))


def built_in_worker(factory: Callable[[], Any]) -> BuiltInWorker:
    """A mechanism that `factory()` makes in each process that draws, for objects that cannot be sent to one.

    The factory returns what `audit` takes: an object with `sample`, a function of (dataset, n, rng), or `per_draw(f)`.
    It is called once in each process (and thread) that draws; what it makes stays there, so that connections and
    sessions are opened once. The factory itself is sent, and may import what it needs.
    """
    if not callable(factory):
        raise UsageError(f"built_in_worker takes a function without arguments, got {factory!r:.60}")
    return BuiltInWorker(factory)


def inside(sample: Any) -> Any:
    """What draws at last: what a mechanism's factory has made here, and what an object `passes_on` its calls to."""
    owner = getattr(sample, "__self__", None)
    if isinstance(owner, BuiltInWorker):
        return sample if owner.built is None else inside(getattr(owner.built, "sample", owner.built))
    return inside(owner.passes_on) if owner is not None and hasattr(type(owner), "passes_on") else sample
