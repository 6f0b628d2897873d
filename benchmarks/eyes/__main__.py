"""`python -m benchmarks.eyes [--only TEXT] [--trials N] [--out DIR]`: every leak and its twin, audited."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from auditor import ApproxDP, MechanismError, audit
from benchmarks.eyes.leak import Leak
from benchmarks.eyes.listed import LEAKS
from benchmarks.tables import RESULTS, Table, publish, terminal, whole

TITLE = "Eyes"
_TWIN_TRIALS = 2000  # a twin that is refuted is refuted by a small audit, too


def measured(leak: Leak, trials: int) -> dict[str, Any]:
    """One row: whether the leak is found and its twin is not, and in what time."""
    start = time.perf_counter()
    row: dict[str, Any] = {"leak": leak.name, "kind": leak.kind}
    try:
        found = audit(leak.leak, ApproxDP(1.0), [(0, 1)], trials=trials, jobs=1, name=leak.name)
        row |= {
            "found": "yes" if found.refuted else "NO",
            "trials": found.trials_used,
            "event": str(found.witness.event),
        }
        row["seconds"] = time.perf_counter() - start
        twin = audit(leak.twin, ApproxDP(1.0), [(0, 1)], trials=min(trials, _TWIN_TRIALS), jobs=1, name=leak.name)
        row |= {
            "twin": "NO" if twin.refuted else "not refuted",
            "twin seconds": time.perf_counter() - start - row["seconds"],
        }
    except MechanismError as error:
        row |= {"found": "NO", "trials": None, "event": str(error), "seconds": time.perf_counter() - start}
    return row


def table(rows: Sequence[dict[str, Any]], trials: int) -> Table:
    """The rows, with the shares and times in the title."""
    found = sum(row["found"] == "yes" for row in rows)
    seconds = [row["seconds"] for row in rows]
    alarms = sum(row.get("twin") == "NO" for row in rows)
    title = (
        f"{found} of {len(rows)} total leaks found at {trials:,} trials, alpha .01; "
        f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.1f} s; {alarms} false alarms among "
        "the correct twins"
    )
    time_of = "{:.2f}".format
    shown: dict[str, Callable[[Any], str]] = {
        "leak": str,
        "kind": str,
        "found": str,
        "trials": whole,
        "seconds": time_of,
        "twin": str,
        "event": "{:.80}".format,
    }
    return Table(title, shown, [{"twin": "", **row} for row in rows], "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line, audits, prints and stores; 1 when fewer than 95 % are found or a twin is refuted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.eyes", description=__doc__)
    parser.add_argument("--only", default="", help="leaks whose name or kind has this text")
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    start, rows, console = time.perf_counter(), [], terminal()
    for leak in LEAKS:
        if options.only in f"{leak.kind}: {leak.name}":
            rows.append(measured(leak, options.trials))
            row = rows[-1]
            console.print(
                f"{row['kind']:9} {row['leak']:36} {row['found']:4} {row['seconds']:6.2f} s {row.get('twin', '')}",
                highlight=False,
            )
            if row["found"] != "yes" or row.get("twin") == "NO":
                console.print("          ", row["event"][:300], highlight=False, markup=False)
    result = table(rows, options.trials)
    console.print(result.title)
    if not options.only:
        publish(options.out, "eyes", TITLE, "python -m benchmarks.eyes", [result], time.perf_counter() - start)
    missed = sum(row["found"] != "yes" for row in rows)
    return int(missed > 0.05 * len(rows) or any(row.get("twin") == "NO" for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
