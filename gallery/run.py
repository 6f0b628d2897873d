"""Runs cases, each in a process of its library's environment."""

from __future__ import annotations

import datetime
import json
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from auditor.escaping import line
from gallery import cases as all_cases
from gallery.case import Listed
from gallery.environments import ROOT, InstallError, python_of
from gallery.outcome import ERROR, Outcome, shown

_INSTALLING = threading.Lock()  # several cases may want the same environment
LIMIT = 900  # seconds that a case may take
Runner = Callable[[Listed], Outcome]


def in_environment(one: Listed) -> Outcome:
    """The outcome of a case, run in its environment; InstallError where there is none."""
    with _INSTALLING:
        python = python_of(one.case)
    module = f"{all_cases.__name__}.{one.name.replace('-', '_')}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outcome.json"
        argv = [str(python), "-m", "gallery.inside", module, str(file)]
        try:
            done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return Outcome(one.name, ERROR, printed=f"it took more than {LIMIT} seconds")
        if not file.exists():
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            return Outcome(one.name, ERROR, printed=line(last, 400))
        return Outcome.from_dict(json.loads(file.read_text(encoding="utf-8")))


def run(chosen: Iterable[Listed], runner: Runner = in_environment, jobs: int = 1) -> tuple[dict[str, Outcome], bool]:
    """The outcomes by name, and whether each is as expected. What cannot be installed is told and left out.

    Up to `jobs` cases run side by side, each in its process; they are told in their order.
    """
    found: dict[str, Outcome] = {}
    good = True

    def outcome_of(one: Listed) -> Outcome | InstallError:
        try:
            return replace(runner(one), date=datetime.date.today().isoformat())
        except InstallError as error:
            return error

    with ThreadPoolExecutor(jobs) as pool:
        waiting = [(one, pool.submit(outcome_of, one)) for one in chosen]
        for one, future in waiting:
            outcome = future.result()
            if isinstance(outcome, InstallError):
                print(f"{one.name}: not run, {one.case.environment} cannot be installed: {outcome}", flush=True)
                continue
            found[one.name] = outcome
            good = good and outcome.verdict == one.case.expected
            print(told(one, outcome), flush=True)
    return found, good


def told(one: Listed, outcome: Outcome) -> str:
    """One line for a terminal."""
    if outcome.verdict == ERROR:
        return f"{one.name}: ERROR: {line(outcome.printed, 300)}"
    mark = "as expected" if outcome.verdict == one.case.expected else f"EXPECTED {one.case.expected.upper()}"
    figures = f"{shown(outcome.found)} found, {shown(outcome.claimed)} claimed"
    return f"{one.name}: {outcome.verdict}, {mark}; {figures}; {outcome.seconds:.1f} s"
