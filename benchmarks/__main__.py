"""`make bench`: prints every table and writes it to benchmarks/results/; name parts to run only those."""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import RESULTS, Table, publish, terminal

PARTS = (
    "tightness",
    "power",
    "composition",
    "speed",
    "samplers",
    "catalogue",
    "coverage",
    "false_alarms",
    "samples",
    "one_run",
)


def run(part: str, quick: bool, jobs: int, out: Path) -> list[Table]:
    """One part: its tables as they come, then its files."""
    module, console, start = importlib.import_module(f"benchmarks.{part}"), terminal(), time.perf_counter()
    tables = []
    for table in module.tables(quick, jobs):
        table.show(console)
        tables.append(table)
    command = f"python -m benchmarks {part}{' --quick' if quick else ''}"
    publish(out, part, module.TITLE, command, tables, time.perf_counter() - start)
    return tables


def shortfalls(tables: Sequence[Table]) -> list[str]:
    """The rows that miss what is wanted of them: a mark in capitals."""
    marks = {"SHORT", "TOO MANY", "NO", "DIFFERENT", "FAILED"}
    return [next(iter(row.values())) for table in tables for row in table.rows if marks & set(map(str, row.values()))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parses the command line and runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all when none is named")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and draws: a look, not a measurement")
    parser.add_argument("--jobs", type=int, default=-1, help="joblib workers, where a part repeats audits")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"a part must be one of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
    tables = [t for part in options.parts or PARTS for t in run(part, options.quick, options.jobs, options.out)]
    print(f"Short of what is wanted: {', '.join(map(str, shortfalls(tables))) or 'nothing'}.")


if __name__ == "__main__":
    main()
