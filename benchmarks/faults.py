"""The fault tests again and again beside other work: killed workers, full disks, interrupts, checkpoints.

A race shows itself on a busy machine or never, so every core has a process beside the tests that only counts.
`python -m benchmarks.faults` ends with 0 when every run was green.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = (
    "tests/auditor/sampling/test_faults.py",
    "tests/auditor/sampling/test_checkpoint.py",
    "tests/auditor/sampling/test_killable.py",
    "tests/auditor/doors/cli/test_cli_survives.py",
    "tests/auditor/doors/cli/test_supervision.py",
)


@contextlib.contextmanager
def load(processes: int) -> Iterator[None]:
    """So many processes that count as fast as they can."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run(number: int, tests: tuple[str, ...]) -> bool:
    """One run of the tests; what failed is printed, and whether nothing did is returned."""
    start = time.perf_counter()
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["no output"]
    print(f"run {number}: {lines[-1]} ({time.perf_counter() - start:.0f} s)", flush=True)
    if done.returncode:
        print(*(line for line in lines if line.startswith(("FAILED", "ERROR", "E  "))), sep="\n", flush=True)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="runs in a row (default %(default)s)")
    parser.add_argument("--load", type=int, default=os.cpu_count() or 1, help="busy processes (default: one a core)")
    parser.add_argument("tests", nargs="*", default=list(TESTS), help="files of tests (default: all of faults)")
    options = parser.parse_args()
    with load(options.load):
        green = [run(number, tuple(options.tests)) for number in range(1, options.repeats + 1)]
    print(f"{sum(green)} of {len(green)} runs green, {options.load} busy processes beside them")
    return 0 if all(green) else 1


if __name__ == "__main__":
    sys.exit(main())
