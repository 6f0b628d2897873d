"""Where results go: files, the terminal, GitHub."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor import __version__
from auditor.doors.cli.streams import console, emit, say
from auditor.errors import AuditError, UsageError
from auditor.escaping import logged

if TYPE_CHECKING:
    from auditor.results.baseline import Change
    from auditor.results.document import Document
    from auditor.results.entry import Entry

FILES = {
    "json": "results.json",
    "markdown": "report.md",
    "html": "index.html",
    "junit": "junit.xml",
    "sarif": "results.sarif",
    "badge": "badge.svg",
}
ALWAYS = ("json", "markdown", "html")


@contextlib.contextmanager
def folder(path: Path | None) -> Iterator[Path | None]:
    """The folder of a report by its absolute name, made and kept for this run before anything is drawn."""
    from auditor.results.files import held

    if path is None:
        yield None
        return
    try:
        absolute = path.absolute()
        absolute.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--out must be a folder that can be made, got {str(path)!r}: {why}") from error
    with held(absolute):
        yield absolute


def deliver(
    document: Document,
    out: Path | None,
    options: argparse.Namespace,
    printed: str | None = None,
    changes: Sequence[Change] = (),
) -> None:
    """Files first, for nothing that is shown may cost a result; where a file fails, the rest is shown all the same."""
    failure: AuditError | None = None
    if out is not None:
        try:
            write(document, out, extra=getattr(options, "format", ()))
        except AuditError as error:
            failure = error
    show(document, options.json, printed, changes)
    if out is not None and failure is None and not options.json:
        print(logged(f"report: {options.out / FILES['html']}"))
    tell_github(document)
    if failure is not None:
        raise failure


def write(document: Document, folder: Path, extra: Iterable[str] = ()) -> None:
    """results.json first, then what is made of it."""
    from auditor.results.files import write_text
    from reports import render

    for format_name in dict.fromkeys((*ALWAYS, *extra)):
        write_text(folder / FILES.get(format_name, f"results.{format_name}"), render(document, format_name))


def show(document: Document, as_json: bool, format_name: str | None = None, changes: Sequence[Change] = ()) -> None:
    """Machine output alone, or the tables and what changed; and one sentence on stderr for each error."""
    from reports import render

    if as_json or format_name is not None:
        chosen = "json" if as_json else str(format_name)
        emit(render(document, chosen), chosen)
    else:
        _show_tables(document, changes)
    for entry in document.entries:
        if entry.outcome == "error":
            named = entry.reason.startswith(entry.id)  # most sentences begin with what they are about
            say(f"dp-audit: {entry.reason}" if named else f"dp-audit: {entry.id}: {entry.reason}")


def _show_tables(document: Document, changes: Sequence[Change]) -> None:
    from auditor.results.baseline import reason_of
    from reports import terminal

    terminal.show(document, console())
    for change in changes:
        kind = "worse than" if change.worse else "blinder than" if change.blind else "since"
        print(logged(f"{kind} the baseline: {change}"))
    for entry in document.entries:
        if reason_of(entry):
            print(logged(f"accepted: {entry.id}: {reason_of(entry)}"))


def finish(entry: Entry, options: argparse.Namespace, title: str, command: str) -> int:
    """Shows and stores the document of one audit; 1 when it is refuted, else 0."""
    from auditor.doors import gate
    from auditor.results.document import Document

    with folder(options.out) as out:
        where = "DIR" if options.out is None else options.out.as_posix()
        replay = shlex.join(["dp-audit", "replay", f"{where}/results.json", entry.id])
        entry = replace(entry, replay=replay if out is not None else f"run with --out DIR, then {replay}")
        document = Document((entry,), __version__, title, None, entry.seed, command, entry.seconds)
        if out is not None:
            document = gate.rooted(document, Path.cwd(), out)
        deliver(document, out, options, options.printed)
    return 1 if entry.failed else 0


def check_format(format_name: str) -> None:
    """A UsageError for a format that does not exist, before anything is drawn."""
    from reports import formats

    if format_name not in formats():
        raise UsageError(f"--format must be one of {', '.join(formats())}, got {format_name!r}")


def tell_github(document: Document) -> None:
    """Annotations and the job's summary, when this runs there."""
    from reports import github

    if os.environ.get("GITHUB_ACTIONS"):
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(github.render(document))
            sys.stderr.flush()
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(github.summary(document))
        except OSError as error:
            say(f"dp-audit: the job's summary cannot be written: {error}")


def interrupted(document: Document, folder: Path | None, planned: int | None = None) -> int:
    """Says what was kept; the exit code of an interrupt."""
    of = "" if planned is None else f" of {planned}"
    kept = f"{len(document.entries)}{of} finished and kept"
    where = f" in {folder / FILES['json']}" if folder is not None else ""
    say(f"dp-audit: interrupted; {kept}{where}")
    return 130
