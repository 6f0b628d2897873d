"""Peak memory of a whole audit, in the parent and in its largest worker, each in a process of its own.

`python -m benchmarks.memory TRIALS JOBS` prints {"parent": MiB, "workers": MiB or null} for one audit.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditor import ApproxDP, audit
from benchmarks import cases
from benchmarks.tables import Table, at_most, whole

ROOT = Path(__file__).parents[1]


def peak(process: str = "self") -> float:
    """The largest resident size so far of a process, in MiB.

    From /proc where there is one: getrusage counts what the parent held when it started this process.
    """
    status = Path("/proc") / process / "status"
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        return int(found[1]) / 1024 if found else 0.0
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def workers_peak() -> float | None:
    """The largest of this process's living children that run Python code for joblib; None without workers."""
    from joblib.externals.loky import reusable_executor

    executor = reusable_executor._executor
    if executor is None or not executor._processes:
        return None
    if Path("/proc/self/status").exists():
        return max(peak(str(pid)) for pid in executor._processes)
    executor.shutdown(wait=True)  # elsewhere a child's figure is known when it has ended
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit


def one(trials: int, jobs: int) -> dict[str, float | None]:
    """Runs an audit here, and says what it took."""
    audit(cases.laplace, ApproxDP(1.0), [(0, 1)], trials=trials, seed=1, jobs=jobs, views=("values",))
    return {"parent": peak(), "workers": workers_peak()}


def measure(trials: int, jobs: int = 2) -> dict[str, float | None]:
    """The same in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory", str(trials), str(jobs)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float | None] = json.loads(done.stdout)
    return found


def table(sizes: Sequence[int]) -> Table:
    """One row a size; growth is against the smallest size that had the process in question."""
    rows: list[dict[str, Any]] = []
    base: dict[str, float] = {}
    for trials in sizes:
        found = {who: mib for who, mib in measure(trials).items() if mib is not None}
        for who, mib in found.items():
            base.setdefault(who, mib)
        growth = max(mib / base[who] for who, mib in found.items())
        line = {"trials a side": trials, "parent MiB": found["parent"], "worker MiB": found.get("workers")}
        rows.append({**line, "growth": growth, "at most": 1.5, "stands": at_most(growth, 1.5)})
    columns = {"trials a side": whole, "parent MiB": whole, "worker MiB": whole}
    return Table(
        "Peak memory with two workers",
        {**columns, "growth": "{:.2f}".format, "at most": "{:g}".format, "stands": str},
        rows,
        "A small audit starts no workers. Growth: the larger of the two, each against its first figure.",
    )


if __name__ == "__main__":
    print(json.dumps(one(int(sys.argv[1]), int(sys.argv[2]))))
