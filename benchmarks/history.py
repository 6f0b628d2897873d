"""A month of nightly audits with one history: how often it errs on exactly tight claims, and what it gains.

`python -m benchmarks.history [--histories N] [--jobs N] [--out DIR]`. The nights go from one to the next in memory, as
they do through files.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

from auditor import ApproxDP, Claim
from auditor.engine import carry_out
from auditor.history import Night, night_from_dict
from auditor.request import request
from benchmarks import cases
from benchmarks.cut_off import leaky
from benchmarks.runs import counted_by_row
from benchmarks.tables import RESULTS, Table, publish, terminal, whole

ALPHA = 0.05
NIGHTS = 30
TRIALS = 200  # a side and night
HISTORIES = 200
BATCH = 20


@dataclass(frozen=True)
class Row:
    """A mechanism and its claim; `tight` where the claim is true and attained."""

    name: str
    sample: Callable[..., Any]
    claim: Claim
    tight: bool


ROWS = (
    Row("randomized response", cases.response, ApproxDP(1.0), tight=True),
    Row("response or name", leaky, ApproxDP(1.0, 0.1), tight=True),
    Row("Laplace", cases.laplace, ApproxDP(1.0), tight=True),
    Row("randomized response, true 1.15", partial(cases.response, epsilon=1.15), ApproxDP(1.0), tight=False),
)


def asked(row: Row, trials: int, seed: int) -> Any:
    """An audit of this row."""
    return request(row.sample, row.claim, [(0, 1)], trials, ALPHA, seed, ("values",), row.name)


def refuting_night(row: Row, first: int) -> tuple[int | None, bool]:
    """The night that refutes the claim, and whether any night's bound passed the claim."""
    night, above = Night(), False
    for number in range(NIGHTS):
        result = carry_out(asked(row, TRIALS, first + number), night=night)
        above = above or result.epsilon_lower > row.claim.epsilon_at(result.delta)
        if result.refuted:
            return number + 1, above
        rows = [*result.history["before"], *result.history["tonight"]]
        night = replace(night_from_dict({**result.history, "before": rows}), number=number + 2)
    return None, above


def counted(row: Row, histories: range) -> Counter[str]:
    """Of these histories: how many refute within the month, and what else their draws would have given."""
    found: Counter[str] = Counter()
    for history in histories:
        first = 1_000 * history
        night, above = refuting_night(row, first)
        found["histories"] += 1
        found["refuted"] += night is not None
        found["above"] += above
        if not row.tight:
            found["one night"] += carry_out(asked(row, TRIALS, first)).refuted
            found["one long run"] += carry_out(asked(row, NIGHTS * TRIALS, first)).refuted
    return found


KEYS = ("histories", "refuted", "above", "one night", "one long run")


def table(found: dict[Row, Counter[str]]) -> Table:
    """One row a mechanism."""
    shown = []
    for row, counts in found.items():
        runs = max(1, counts["histories"])
        allowed = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / runs)
        wrong = max(counts["refuted"], counts["above"]) / runs
        counts_shown = {key: counts.get(key) for key in KEYS}
        line = {"mechanism": row.name, "claim": str(row.claim), **counts_shown}
        shown.append({**line, "fine": not row.tight or wrong <= allowed})
    columns: dict[str, Any] = {"mechanism": str, "claim": str, **dict.fromkeys(KEYS, whole), "fine": str}
    return Table(
        f"{NIGHTS} nights of {TRIALS} trials a side with one history, alpha = {ALPHA:g} for all of them",
        columns,
        shown,
        "Refuted: on some night. Above: some night's bound passes the claim. One night: its first night alone; one "
        "long run: one audit of all the month's trials. The first three rows are exactly tight.",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Counts, prints and stores; 1 when there are too many errors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history", description=__doc__)
    parser.add_argument("--histories", type=int, default=HISTORIES, help="of each row (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = counted_by_row(counted, ROWS, options.histories, BATCH, options.jobs, "History")
    result = table(found)
    result.show(terminal())
    command = f"python -m benchmarks.history --histories {options.histories}"
    publish(options.out, "history", "Evidence over time", command, [result], time.perf_counter() - start)
    return int(not all(line["fine"] for line in result.rows))


if __name__ == "__main__":
    raise SystemExit(main())
