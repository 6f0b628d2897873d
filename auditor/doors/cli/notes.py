"""Checks every mechanism and claim of the lecture notes, prints the table and writes the report."""

from __future__ import annotations

import argparse
from pathlib import Path

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.progress import Progress

NAME = "notes"
HELP = "check every mechanism and claim of the lecture notes"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("--out", type=Path, default=Path("audit-report"), metavar="DIR", help="default audit-report")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="audits on the worst pair that is known, not on all; 10,000 draws a side where a claim should hold, "
        "not 400,000",
    )
    parser.add_argument("--seed", type=kinds.seed, default=0, metavar="S", help="default 0")
    parser.add_argument("--only", nargs="+", metavar="ID", help="ids that `dp-audit list` prints")
    kinds.add_sampling(parser)


def command(options: argparse.Namespace) -> int:
    """0 when every outcome is the expected one."""
    from auditor.doors.cli import output
    from auditor.notes.everything import notes, processes

    with output.folder(options.out) as out:
        with Progress(quiet=options.json) as progress:
            document = notes(
                ids=options.only,
                quick=options.quick,
                jobs=options.jobs,
                seed=options.seed,
                progress=lambda done, total, entry: progress.update(f"notes, {entry.id}", done, total),
                command=_words(options),
            )
        with processes(options.jobs):  # the page's many pictures
            output.deliver(document, out, options)
    if document.interrupted:
        return output.interrupted(document, options.out)
    return 0 if not any(entry.failed for entry in document.entries) else 1


def _words(options: argparse.Namespace) -> str:
    """The command in its shortest form that repeats the run; `replay` reads --quick from it."""
    words = ["dp-audit notes", *(["--quick"] if options.quick else []), f"--seed {options.seed}"]
    return " ".join([*words, *(["--only", *options.only] if options.only else [])])
