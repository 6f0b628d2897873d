"""State that a mechanism keeps from call to call: generators of its own, and whatever else its copies would share.

A copy of a mechanism begins where the original stood, so two copies of one with a generator of its own draw the same
numbers. Such a mechanism is called in one place only, and what it has drawn is not continued by another process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditor.sampling.noted import Noted
from auditor.sampling.pickling import pickler
from auditor.sampling.reach import is_generator, reachable


@dataclass(frozen=True)
class Habits:
    """What the pilot saw of a mechanism's ways.

    `replayable`: the same stream gave the same outputs twice, and no generator of its own moved on meanwhile.
    `own_generator`: one did. `seeds_itself`: its outputs were constant, it made a generator from a fixed seed, and
    it left the stream that it was given as it was. `draws`: how many outputs the pilot has drawn to see all this.
    """

    replayable: bool = True
    own_generator: bool = False
    seeds_itself: bool = False
    noted: Noted = field(default_factory=dict)  # warnings that it raised
    draws: int = 0

    def __or__(self, other: Habits) -> Habits:
        return Habits(
            self.replayable and other.replayable,
            self.own_generator or other.own_generator,
            self.seeds_itself or other.seeds_itself,
            {**other.noted, **self.noted},
            self.draws + other.draws,
        )


class Generators:
    """The generators that a mechanism can reach, and the global ones."""

    def __init__(self, mechanism: Any) -> None:
        self.own = [item for item in reachable(mechanism, ours=False) if is_generator(item)]

    def state(self) -> bytes:
        """Where they stand, as a hash."""
        digest = hashlib.blake2b(digest_size=16)
        numpys = np.random.get_state()  # noqa: NPY002 - numpy's global generator
        for state in (random.getstate(), numpys, _torch_state(), *map(_state, self.own)):
            digest.update(pickle.dumps(state))
        return digest.digest()


def _state(generator: Any) -> Any:
    try:
        return _readable_state(generator)
    except NotImplementedError:  # a bit generator in another language: it counts as one that moves on
        return os.urandom(16)


def _readable_state(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    if isinstance(generator, np.random.BitGenerator):
        return generator.state
    if isinstance(generator, np.random.RandomState):
        return generator.get_state()
    if isinstance(generator, random.Random):
        return generator.getstate()
    return generator.get_state().numpy().tobytes()  # torch


def _torch_state() -> bytes:
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_rng_state"):
        return b""
    return bytes(torch.get_rng_state().numpy().tobytes())


def written_state(mechanism: Any) -> bytes | None:
    """A hash of all that would be sent along with the mechanism; None where it cannot be sent."""
    digest = _Digest()
    try:
        pickler().CloudPickler(digest).dump(mechanism)
    except Exception:
        return None
    return digest.value()


class _Digest:
    """A file of which only a hash is kept."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def write(self, data: Any) -> int:
        """What a pickler calls."""
        self._hash.update(data)
        return memoryview(data).nbytes

    def value(self) -> bytes:
        """The hash of all that was written."""
        return self._hash.digest()
