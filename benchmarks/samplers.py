"""How fast each mechanism of the catalogue draws, and how much of that is the generator's own work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.tables import Table, percent, track
from mechanisms.core.catalogue import catalogue
from mechanisms.core.mechanism import Mechanism

TITLE = "Samplers"
DRAWS = 2**16

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


class Recorder(np.random.Generator):
    """A generator that remembers what it was asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.SFC64(seed))
        self.calls: list[Call] = []

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or name in ("calls", "bit_generator") or not callable(found):
            return found

        def recorded(*args: Any, **kwargs: Any) -> Any:
            self.calls.append((name, args, kwargs))
            return found(*args, **kwargs)

        return recorded


def calls_of(mechanism: Mechanism, n: int) -> list[Call]:
    """What n outputs on its first dataset ask of the generator."""
    recorder = Recorder(1)
    mechanism.sample(mechanism.neighbours()[0].left, n, recorder)
    return recorder.calls


def _best(function: Callable[[np.random.Generator], object], repeats: int) -> float:
    rng = np.random.Generator(np.random.SFC64(1))
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(rng)
        taken.append(time.perf_counter() - start)
    return min(taken)


def measure(mechanism: Mechanism, n: int, repeats: int) -> dict[str, Any]:
    """A row: the rate of sample(), and the share of its time that the same generator calls take alone."""
    dataset, calls = mechanism.neighbours()[0].left, calls_of(mechanism, n)

    def replay(rng: np.random.Generator) -> None:
        for name, args, kwargs in calls:
            getattr(rng, name)(*args, **kwargs)

    whole = _best(lambda rng: mechanism.sample(dataset, n, rng), repeats)
    names = list(dict.fromkeys(name for name, _, _ in calls))
    row = {"mechanism": mechanism.id, "M outputs/s": n / whole / 1e6, "calls": ", ".join(names)}
    return {**row, "generator": _best(replay, repeats) / whole} if calls else row


def table(n: int, repeats: int) -> Table:
    """One row a mechanism; the mutants draw as their mechanisms do."""
    mechanisms = [mechanism for mechanism in catalogue() if mechanism.of is None]
    rows = [measure(mechanism, n, repeats) for mechanism in track(mechanisms, TITLE, len(mechanisms))]
    return Table(
        f"Samplers, {n:,} outputs a call, best of {repeats}",
        {"mechanism": str, "M outputs/s": "{:.2f}".format, "generator": percent, "calls": str},
        rows,
        "Generator: the share of sample()'s time that the generator calls it makes take alone, replayed.",
    )


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part; one core."""
    yield table(DRAWS, 3 if quick else 15)
