"""Where results go: files, the terminal, GitHub."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.results.baseline import Change
    from auditor.results.document import Document

FILES = {
    "json": "results.json",
    "markdown": "report.md",
    "html": "index.html",
    "junit": "junit.xml",
    "sarif": "results.sarif",
}
ALWAYS = ("json", "markdown", "html")


def prepare(folder: Path) -> None:
    """Before anything is drawn: a report that cannot be written is known at once."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out must be a folder that can be made, got {str(folder)!r}: {error.strerror}") from error


def write(document: Document, folder: Path, extra: Iterable[str] = ()) -> None:
    """results.json first, then what is made of it."""
    from auditor.results.document import write_text
    from reports import render

    for format_name in dict.fromkeys((*ALWAYS, *extra)):
        write_text(folder / FILES.get(format_name, f"results.{format_name}"), render(document, format_name))


def show(document: Document, as_json: bool, format_name: str | None = None, changes: Sequence[Change] = ()) -> None:
    """Machine output alone, or the tables and what changed; and one sentence on stderr for each error."""
    from reports import render

    if as_json or format_name is not None:
        text = render(document, "json" if as_json else str(format_name))
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        _show_tables(document, changes)
    for entry in document.entries:
        if entry.outcome == "error":
            print(f"dp-audit: {entry.id}: {entry.reason}", file=sys.stderr)


def _show_tables(document: Document, changes: Sequence[Change]) -> None:
    from rich.console import Console

    from auditor.results.baseline import reason_of
    from reports import terminal

    terminal.show(document, Console(highlight=False, emoji=False, legacy_windows=False))
    for change in changes:
        print(f"{'worse than the baseline' if change.worse else 'since the baseline'}: {change}")
    for entry in document.entries:
        if reason_of(entry):
            print(f"accepted: {entry.id}: {reason_of(entry)}")


def tell_path(folder: Path, as_json: bool) -> None:
    """The last line: where to look."""
    if not as_json:
        print(f"report: {folder / FILES['html']}")


def check_format(format_name: str) -> None:
    """Before anything is drawn."""
    from reports import formats

    if format_name not in formats():
        raise UsageError(f"--format must be one of {', '.join(formats())}, got {format_name!r}")


def tell_github(document: Document) -> None:
    """Annotations and the job's summary, when this runs there."""
    from reports import github

    if os.environ.get("GITHUB_ACTIONS"):
        sys.stderr.write(github.render(document))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(github.summary(document))
        except OSError as error:
            print(f"dp-audit: the job's summary cannot be written: {error}", file=sys.stderr)


def interrupted(document: Document, folder: Path | None, planned: int | None = None) -> int:
    """Says what was kept; the exit code of an interrupt."""
    of = "" if planned is None else f" of {planned}"
    kept = f"{len(document.entries)}{of} finished and kept"
    where = f" in {folder / FILES['json']}" if folder is not None else ""
    print(f"dp-audit: interrupted; {kept}{where}", file=sys.stderr)
    return 130
