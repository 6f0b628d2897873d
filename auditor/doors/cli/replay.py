"""Draws a stored audit again and compares: the same counts, or what differs.

This imports and executes the code that the results file names. Replay only files you trust.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.progress import Progress
from auditor.errors import UsageError
from auditor.escaping import logged

if TYPE_CHECKING:
    from auditor.results.document import Document
    from auditor.results.entry import Entry
    from auditor.results.result import AuditResult

NAME = "replay"
HELP = "draw a stored audit again and compare the counts"
EXECUTES = True


def arguments(parser: argparse.ArgumentParser) -> None:
    """A results file and an id in it."""
    parser.add_argument("results", type=Path, metavar="results.json")
    parser.add_argument("id", metavar="ID")
    kinds.add_sampling(parser)


def command(options: argparse.Namespace) -> int:
    """0 same, 1 different; why it is impossible is an error."""
    import json

    from auditor.results.document import read

    document = read(options.results)
    stored = document.entry(options.id)
    drawn = again(document, stored, options)
    differences = compare(stored, drawn)
    if options.json:
        print(json.dumps({"id": stored.id, "same": not differences, "differences": differences}, indent=1))
    else:
        _show(stored, drawn, differences)
    return 1 if differences else 0


def again(document: Document, stored: Entry, options: argparse.Namespace) -> Entry:
    """The same entry, computed anew from the seed."""
    if stored.kind != "audit":
        return _from_notes(document, stored)
    location = stored.location or {}
    if location.get("door") in ("samples", "one-run"):
        from auditor.doors import recorded

        with _folder(options.results.parent / location.get("root", "."), location["file"]):
            return recorded.again(stored)
    result = stored.audit_result
    if result is None:
        raise UsageError(f"an entry with a verdict can be replayed, got {stored.id!r} with outcome {stored.outcome!r}")
    if not result.replayable:
        from auditor.doors.gate import NOT_REPLAYABLE

        raise UsageError(f"{stored.id!r} has no replay: {NOT_REPLAYABLE}")
    if "target" not in location:
        raise UsageError(f"an entry must say where its mechanism stands to be replayed, got {stored.id!r} without")
    with _folder(options.results.parent / location.get("root", "."), location["file"]):
        if location.get("door") == "pytest":
            return _through_pytest(stored, result)
        return _from_target(stored, result, options.jobs)


def _from_target(stored: Entry, result: AuditResult, jobs: int) -> Entry:
    """Finds the mechanism where it stood, and audits it as before."""
    from auditor.cut_off import CutOff
    from auditor.doors import gate
    from auditor.doors.audits_toml import pairs_from
    from auditor.doors.targets import find
    from auditor.engine import replayed
    from auditor.history import night_from_dict

    location = stored.location or {}
    mechanism = _command(location) if "command" in location else find(location["target"])[0].mechanism
    pairs = pairs_from(location["pairs"]) if "pairs" in location else None
    options = {"trials": result.trials, "alpha": result.alpha, "seed": result.seed, "views": result.views, "jobs": jobs}
    options |= {key: location[key] for key in ("raises", "stop_early") if key in location}
    cut = None if result.cut_off is None else CutOff(result.cut_off, len(result.evidence))
    night = night_from_dict(result.history) if result.history else None
    with Progress() as progress:
        told = progress.of(stored.id)
        anew = replayed(mechanism, result.claim, pairs, result.name, options, cut, told, night, result.measured)
    return gate.entry_of(anew, stored.id, stored.title, location, stored.replay)


def _command(location: Mapping[str, Any]) -> Any:
    from auditor.sampling.command import command

    return command(location["command"], cwd=location.get("folder"))


def _through_pytest(stored: Entry, result: AuditResult) -> Entry:
    """Runs the test again: only it knows its fixtures, its closures and its data."""
    import subprocess
    import tempfile

    from auditor.doors.gate import pytest_arguments
    from auditor.results.document import read

    location = stored.location or {}
    target = location["target"]
    if target.startswith("-"):
        raise UsageError(f"a replay must name a test, got {target!r}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.json")
        call = stored.id.removeprefix(target)
        arguments = pytest_arguments(target, result, location.get("quick", False), location.get("timed", False), call)
        command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", f"--dp-report={path}", *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if not path.is_file():
            last = (ran.stdout + ran.stderr).strip().splitlines()[-1:] or ["no output"]
            raise UsageError(f"pytest must run {target!r} again, got exit {ran.returncode}: {last[0]}")
        document = read(path)
    found = [entry for entry in document.entries if entry.id == stored.id]
    if not found:
        raise UsageError(f"the test must make this audit again to replay it, got none for {stored.id!r}")
    return found[0]


def _from_notes(document: Document, stored: Entry) -> Entry:
    """A claim or a mechanism of the notes is computed by its own check."""
    from auditor.notes.everything import notes

    quick = "--quick" in document.command.split()
    seed = 0 if document.seed is None else document.seed
    return notes(ids=[stored.id], quick=quick, jobs=1, seed=seed, alpha=document.alpha or 0.01).entries[0]


@contextlib.contextmanager
def _folder(root: Path, file: str) -> Iterator[None]:
    """Works in the folder from which the audit ran, when the file stands there; else in the current one."""
    before = Path.cwd()
    if (root / file).is_file():
        os.chdir(root)
    try:
        yield
    finally:
        os.chdir(before)


_NOT_COMPARED = (
    "seconds",
    "location",
    "replay",
    "pictures",
    "expected",
    "reason",
    "source",
    "title",
    "audit",
)


def compare(stored: Entry, drawn: Entry) -> list[str]:
    """What differs, in words; timings and places do not count."""
    old, new = stored.to_dict(), drawn.to_dict()
    found = [
        f"{key}: {_short(old[key])} then, {_short(new[key])} now"
        for key in old
        if key not in _NOT_COMPARED and old[key] != new[key]
    ]
    before, now = _details(stored), _details(drawn)
    return found or [f"the audit's {key}" for key in before if before[key] != now.get(key)]


def _details(entry: Entry) -> dict[str, Any]:
    """The whole stored result but its timings."""
    result = entry.audit_result
    return {} if result is None else result.without_timings().to_dict()


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _show(stored: Entry, drawn: Entry, differences: list[str]) -> None:
    """The counts of both draws one above the other, then what differs."""
    results = {"then": stored.audit_result, "now": drawn.audit_result}
    if results["now"] is not None:
        print(textwrap.fill(logged(str(results["now"].witness)), 80), end="\n\n")
        print(_counts({when: result for when, result in results.items() if result is not None}))
    for difference in differences:
        print(logged(f"different: {difference}"))
    print(f"\n{logged(stored.id)}: {'different' if differences else 'the same again'}, {drawn.outcome}")


def _counts(results: dict[str, AuditResult]) -> str:
    """Guesses on both inputs and the certified epsilon, a row for each result."""
    rows = [("guesses", "on the left input", "on the right input", "certified")]
    for when, result in results.items():
        c = result.witness.counts
        left = f"{c.left_guessed_left} left, {c.left_guessed_right} right of {c.left_trials}"
        right = f"{c.right_guessed_left} left, {c.right_guessed_right} right of {c.right_trials}"
        rows.append((when, left, right, f"{result.epsilon_lower:.6g}"))
    widths = [
        max(least, *map(len, column)) for least, column in zip((7, 24, 24, 0), zip(*rows, strict=True), strict=True)
    ]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
