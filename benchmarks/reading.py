"""What reading outputs costs beyond making them, and how an audit's cost grows with the numbers in an output."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from auditor import ApproxDP, audit
from auditor.events.outputs import canonical, form_of
from benchmarks.tables import Table, at_most, whole

_PILOT = 32


def _records(rows: list[list[float]]) -> list[Any]:
    return [{f"k{place}": number for place, number in enumerate(row)} for row in rows]


def _nested(rows: list[list[float]]) -> list[Any]:
    return [[{"a": row[place], "b": row[place + 1]} for place in range(0, len(row), 2)] for row in rows]


# What outputs are made of, and the microseconds that one of 20 numbers may cost
KINDS: dict[str, tuple[Callable[[list[list[float]]], Any], float]] = {
    "a list of numbers": (lambda rows: rows, 5.0),
    "a dict of numbers": (_records, 5.0),
    "a dict of whole numbers": (lambda rows: _records([[int(1000 * x) for x in row] for row in rows]), 5.0),
    "ten dicts of two numbers": (_nested, 25.0),
    "a row of an array": (np.array, 5.0),
}


def _read(make: Callable[[list[list[float]]], Any], width: int, n: int, repeats: int) -> float:
    """Microseconds to read one output, the best of a few calls."""
    outputs, taken = make(np.random.default_rng(1).random((n, width)).tolist()), []
    form = form_of([outputs[:_PILOT], outputs[_PILOT : 2 * _PILOT]], "reading")
    for _ in range(repeats):
        start = time.perf_counter()
        canonical(outputs, n, "reading", form)
        taken.append(time.perf_counter() - start)
    return 1e6 * min(taken) / n


def table(n: int, repeats: int = 9) -> Table:
    """One row a kind of output with 20 numbers."""
    rows = []
    for what, (make, most) in KINDS.items():
        cost = _read(make, 20, n, repeats)
        rows.append({"output": what, "µs": cost, "at most": most, "stands": at_most(cost, most)})
    columns = dict.fromkeys(("µs", "at most"), "{:.2f}".format)
    title = f"Reading outputs of 20 numbers, {n:,} of them, best of {repeats}"
    return Table(title, {"output": str, **columns, "stands": str}, rows)


def _gauss(width: int) -> Callable[[int, int, np.random.Generator], Any]:
    return lambda d, n, rng: rng.normal(0, 1, (n, width)) + np.append(0.1 * d, np.zeros(width - 1))


def widths(trials: int, repeats: int = 3) -> Table:
    """Whole audits of vectors whose first number alone depends on the data: ten times as many may take ten times as
    long, beside what drawing them takes."""
    rows: list[dict[str, Any]] = []
    for width in (10, 100, 1000):
        sample, taken = _gauss(width), []
        for seed in range(repeats):
            start = time.perf_counter()
            audit(sample, ApproxDP(1.0), [(0, 1)], trials=trials, seed=seed, jobs=1, views=("values",), name="wide")
            taken.append(time.perf_counter() - start)
        times = min(taken) / rows[-1]["s"] if rows else None
        rows.append({"numbers": width, "s": min(taken), "times": times, "at most": 10.0 if rows else None})
    for row in rows[1:]:
        row["stands"] = at_most(row["times"], row["at most"])
    return Table(
        f"Whole audits of vectors, {trials:,} trials a side, best of {repeats}, jobs=1",
        {"numbers": whole, "s": "{:.2f}".format, "times": "{:.1f}".format, "at most": "{:g}".format, "stands": str},
        rows,
        "Times: as long as the row before, with ten times as many numbers.",
    )
