"""`make bench-peers`: jax-privacy, privacy-estimates and dp-audit on the same scalar cases, in one run.

The peers live in .venv-peers, made here when it is missing. They get their draws as arrays, and only their
own computation is timed; dp-audit draws for itself and is timed with that. All have the same number of draws.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auditor import ApproxDP, audit
from benchmarks.peers.cases import CASES, Case
from benchmarks.peers.theirs import PEERS
from benchmarks.tables import RESULTS, grid, machine, measured, today, write

ROOT = Path(__file__).parents[2]
VENV = ROOT / ".venv-peers"
PACKAGES = ("jax-privacy", "privacy-estimates")
US = "dp-audit"
SLOW = "privacy-estimates, joint-beta"  # 5 to 20 s a bound: once, at the smallest size
ALPHA = 0.05


@dataclass(frozen=True)
class Job:
    """One bound to compute: a case, a number of draws a side, and a seed."""

    case: Case
    n: int
    seed: int
    peers: tuple[str, ...]

    @property
    def id(self) -> str:
        """A name for files and results."""
        return f"{CASES.index(self.case)}-{self.n}-{self.seed}"


Found = dict[str, tuple[float | None, float]]  # peer -> bound (None: it failed) and seconds


def environment() -> Path:
    """The peers' own Python, with their packages."""
    python = VENV / "bin" / "python"
    done = VENV / ".installed"
    if not done.exists():
        print(f"Installing {' and '.join(PACKAGES)} into {VENV.name} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        done.touch()
    return python


def versions(python: Path) -> dict[str, str]:
    """What is installed there."""
    code = f"from importlib.metadata import version as v; print(*map(v, {PACKAGES!r}))"
    out = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.split()
    return dict(zip(PACKAGES, out, strict=True))


def theirs(python: Path, jobs: Sequence[Job]) -> dict[str, Found]:
    """The peers' bounds of all jobs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = []
        for job in jobs:
            rng = np.random.default_rng([job.seed, job.n])
            left, right = (job.case.sample(side, job.n, rng) for side in (0.0, 1.0))
            np.savez(folder / f"{job.id}.npz", left=left, right=right)
            line = {"id": job.id, "case": job.case.name, "file": f"{job.id}.npz", "peers": job.peers}
            lines.append(json.dumps({**line, "delta": job.case.delta, "alpha": ALPHA}))
        (folder / "jobs.jsonl").write_text("\n".join(lines))
        subprocess.run([str(python), str(Path(__file__).with_name("theirs.py")), name], check=True)
        results = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    return {row["id"]: {peer: (value[0], value[1]) for peer, value in row["found"].items()} for row in results}


def ours(job: Job) -> tuple[float, float]:
    """dp-audit's bound and seconds, sampling included."""
    start = time.perf_counter()
    claim = ApproxDP(job.case.exact, job.case.delta)
    pairs = [(0.0, 1.0)]
    result = audit(
        job.case,
        claim,
        pairs,
        trials=job.n,
        alpha=ALPHA,
        seed=job.seed,
        views=("values",),
        name=job.case.name,
    )
    return result.epsilon_lower, time.perf_counter() - start


def run(python: Path, jobs: Sequence[Job]) -> dict[str, Found]:
    """Everyone's bounds, by job."""
    found = theirs(python, jobs)
    for job in jobs:
        found[job.id][US] = ours(job)
    return found


def main() -> None:
    """Parses the command line, runs, prints and writes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=100, help="runs of which the median is shown, at the smallest")
    parser.add_argument("--alarms", type=int, default=300, help="runs at 2,000 draws a side for false alarms")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    python = environment()
    quick = tuple(peer for peer in PEERS if peer != SLOW)
    jobs = [
        Job(case, n, seed, (*quick, SLOW) if n == min(options.sizes) and seed == 0 else quick)
        for case in CASES
        for n in options.sizes
        for seed in range(repeats(n, options))
    ]
    found = run(python, jobs)
    rows = [row(case, n, jobs, found) for case in CASES for n in options.sizes]
    alarm_jobs = [Job(case, 2000, seed, quick) for case in CASES for seed in range(options.alarms)]
    alarms = false_alarms(alarm_jobs, run(python, alarm_jobs))
    report(rows, alarms, options, versions(python))


def repeats(n: int, options: argparse.Namespace) -> int:
    """Fewer of larger ones: their bounds vary less, and they take longer."""
    return int(max(options.repeats * min(options.sizes) ** 0.5 / n**0.5, 5))


def row(case: Case, n: int, jobs: Sequence[Job], found: dict[str, Found]) -> dict[str, Any]:
    """Medians over the seeds, for each auditor; None where it failed."""
    mine = [found[job.id] for job in jobs if job.case is case and job.n == n]
    result: dict[str, Any] = {"case": case.name, "exact": case.exact, "draws": 2 * n}
    for peer in (US, *PEERS):
        runs = [one[peer] for one in mine if peer in one]
        values = [value for value, _ in runs if value is not None]
        result[peer] = {
            "bound": statistics.median(values) if values else None,
            "failed": len(runs) - len(values),
            "runs": len(runs),
            "seconds": statistics.median(seconds for _, seconds in runs) if runs else None,
        }
    return result


def false_alarms(jobs: Sequence[Job], found: dict[str, Found]) -> dict[str, dict[str, int]]:
    """How often a bound passed the exact epsilon, by auditor and case, and of how many runs."""
    counts: dict[str, dict[str, int]] = {}
    for job in jobs:
        for peer, (value, _) in found[job.id].items():
            per_case = counts.setdefault(peer, {})
            per_case["runs"] = per_case.get("runs", 0) + 1
            per_case[job.case.name] = per_case.get(job.case.name, 0) + (value is not None and value > job.case.exact)
    return counts


def report(
    rows: Sequence[dict[str, Any]],
    alarms: dict[str, Any],
    options: argparse.Namespace,
    installed: dict[str, str],
) -> None:
    """Prints the tables, and writes them as markdown and JSON."""
    date, where = today(), {**machine(), **installed}
    page = markdown(rows, alarms, options, where, date)
    print(page)
    data = {"date": date, **where, "alpha": ALPHA, "rows": list(rows), "alarms": alarms}
    write(options.out, "peers", page, data)


def markdown(
    rows: Sequence[dict[str, Any]], alarms: dict[str, Any], options: argparse.Namespace, where: Any, date: str
) -> str:
    """Bounds, then seconds in brackets, then false alarms."""
    peers = (US, *PEERS)
    runs = ", ".join(str(repeats(n, options)) for n in options.sizes)
    lines = [
        "# Beside the auditors on PyPI",
        "",
        measured(date, where),
        f"Lower bounds on epsilon at 95 %, medians of {runs} runs from the smallest size up (joint-beta: one, of",
        "that size); seconds in brackets: the peers' computation alone, ours with the sampling.",
        "",
        *grid(
            ["case", "exact", "draws", *peers],
            (
                [one["case"], f"{one['exact']:g}", f"{one['draws']:,}", *(_cell(one[peer]) for peer in peers)]
                for one in rows
            ),
        ),
        "",
        f"Bounds above the exact epsilon in {options.alarms} runs a case of 4,000 draws; 5 % are allowed:",
        "",
    ]
    named = [peer for peer in peers if peer in alarms]
    found = ([case.name, *(str(alarms[peer][case.name]) for peer in named)] for case in CASES)
    lines += grid(["case", *named], found)
    return "\n".join(lines) + "\n"


def _cell(found: dict[str, Any]) -> str:
    if not found["runs"]:
        return ""
    if found["bound"] is None:
        return "fails"
    return f"{found['bound']:.4f} ({found['seconds']:.2f})"


if __name__ == "__main__":
    main()
