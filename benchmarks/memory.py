"""Peak memory of a whole audit, in the parent and in its largest worker, each in a process of its own.

`python -m benchmarks.memory TRIALS BACKEND` prints {"parent": MiB, "workers": MiB or null} for one audit with two
workers, which it starts however small the audit is.
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

from joblib import parallel_config

from auditor import ApproxDP
from auditor.engine import carry_out
from auditor.request import request
from auditor.tuning import Sharing, Tuning
from benchmarks import cases
from benchmarks.tables import Columns, Table, at_most, whole

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


def one(trials: int, backend: str) -> dict[str, float | None]:
    """Runs an audit here, and says what it took."""
    asked = request(cases.laplace, ApproxDP(1.0), [(0, 1)], trials, 0.01, 1, ("values",), None)
    with parallel_config(backend=backend):
        carry_out(asked, 2, tuning=Tuning(sharing=Sharing(at_once=0.0, in_all=0.0)))
    return {"parent": peak(), "workers": workers_peak()}


def measure(trials: int, backend: str) -> dict[str, float | None]:
    """The same in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.memory", str(trials), backend]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float | None] = json.loads(done.stdout)
    return found


def table(sizes: Sequence[int]) -> Table:
    """One row a backend and size; growth is against the smallest size, in whichever process has grown more."""
    rows: list[dict[str, Any]] = []
    for backend in ("threading", "loky"):
        base: dict[str, float] = {}
        for trials in sizes:
            found = {who: mib for who, mib in measure(trials, backend).items() if mib is not None}
            base = base or found
            growth = max(mib / base[who] for who, mib in found.items())
            line: dict[str, Any] = {"workers": backend, "trials a side": trials, "parent MiB": found["parent"]}
            line |= {"worker MiB": found.get("workers"), "growth": growth, "at most": 1.5}
            rows.append({**line, "stands": at_most(growth, 1.5)})
    columns: Columns = {"workers": str, "trials a side": whole, "parent MiB": whole, "worker MiB": whole}
    return Table(
        "Peak memory with two workers",
        {**columns, "growth": "{:.2f}".format, "at most": "{:g}".format, "stands": str},
        rows,
        "Threads are in the parent. Growth: the larger of both processes', each against its first figure.",
    )


if __name__ == "__main__":
    print(json.dumps(one(int(sys.argv[1]), sys.argv[2])))
