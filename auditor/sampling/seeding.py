"""Whether a mechanism makes its generator from a fixed seed: then every call draws the same.

Outputs alone cannot tell a mechanism without noise from one that seeds itself in each draw, so one call is watched:
the functions that make and seed generators are exchanged, for the time of that call, for ones that also take notes.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from auditor.sampling.reach import reachable, vars_of


class Watch:
    """Notes whether a generator was made from a seed while it was watched."""

    def __init__(self) -> None:
        self.seeded = False

    def note(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """A generator was made or seeded with these arguments; without a seed, the system gives one."""
        seeds = [value for value in (*arguments, *named.values()) if value is not None]
        if seeds and not isinstance(seeds[0], (np.random.Generator, np.random.BitGenerator)):
            self.seeded = True

    def replacement(self, original: Any) -> Any:
        """The same function or class, with a note of each use."""
        return self._kind(original) if isinstance(original, type) else self._function(original)

    def _function(self, original: Callable[..., Any]) -> Callable[..., Any]:

        def noted(*arguments: Any, **named: Any) -> Any:
            self.note(arguments, named)
            return original(*arguments, **named)

        return noted

    def _kind(self, original: type) -> type:
        """What was an instance of the class stays one."""
        watch = self

        class Meta(type):
            def __instancecheck__(cls, instance: Any) -> bool:
                return isinstance(instance, original)

            def __call__(cls, *arguments: Any, **named: Any) -> Any:
                watch.note(arguments, named)
                return original(*arguments, **named)

        return Meta(original.__name__, (original,), {})


@contextlib.contextmanager
def watched(mechanism: Any) -> Iterator[Watch]:
    """While this lasts, generators that the mechanism makes from a seed are noticed."""
    watch = Watch()
    new = {id(original): watch.replacement(original) for original in _makers()}
    changed: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for space in _spaces(mechanism):
            for name, value in list(space.items()):
                if id(value) in new:
                    changed.append((space, name, value))
                    space[name] = new[id(value)]
        yield watch
    finally:
        for space, name, value in changed:
            space[name] = value


def _makers() -> list[Any]:
    """The functions and classes that make or seed generators, of the modules that are loaded."""
    torch = sys.modules.get("torch")
    found = [np.random.default_rng, np.random.seed, np.random.RandomState, random.seed, random.Random]
    return [*found, torch.manual_seed] if torch is not None and hasattr(torch, "manual_seed") else found


def _spaces(mechanism: Any) -> list[dict[str, Any]]:
    """Where their names are looked up: in their own modules and in those of the mechanism's functions."""
    homes = [vars(sys.modules[name]) for name in ("numpy.random", "random", "torch") if name in sys.modules]
    own = [vars_of(item) for item in reachable(mechanism) if isinstance(item, FunctionType)]
    return list({id(space): space for space in homes + own}.values())
