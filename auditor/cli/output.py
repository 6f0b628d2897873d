"""Where results go: files, the terminal, GitHub."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.baseline import Change
    from auditor.document import Document

FILES = {
    "json": "results.json",
    "markdown": "report.md",
    "html": "index.html",
    "junit": "junit.xml",
    "sarif": "results.sarif",
}
ALWAYS = ("json", "markdown", "html")


def write(document: Document, folder: Path, extra: Iterable[str] = ()) -> None:
    """results.json first, then what is made of it."""
    from auditor.document import write_text
    from reports import render

    for format_name in dict.fromkeys((*ALWAYS, *extra)):
        write_text(folder / FILES[format_name], render(document, format_name))


def show(
    document: Document, as_json: bool, format_name: str | None = None, changes: Sequence[Change] = ()
) -> None:
    """Machine output alone, or the table with what changed, and one sentence on stderr for each error."""
    from reports import render, terminal

    if as_json or format_name is not None:
        text = render(document, "json" if as_json else str(format_name))
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        terminal.show(document)
        for change in changes:
            print(f"{'worse' if change.worse else 'note'}: {change}")
    for entry in document.entries:
        if entry.outcome == "error":
            print(f"dp-audit: {entry.id}: {entry.reason}", file=sys.stderr)


def tell_github(document: Document) -> None:
    """Annotations and the job's summary, when this runs there."""
    from reports import github

    if os.environ.get("GITHUB_ACTIONS"):
        for line in github.annotations(document):
            print(line, file=sys.stderr)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf-8") as file:
            file.write(github.summary(document))


def interrupted(document: Document, folder: Path | None, planned: int | None = None) -> int:
    """Says what was kept; the exit code of an interrupt."""
    of = "" if planned is None else f" of {planned}"
    kept = f"{len(document.entries)}{of} finished and kept"
    where = f" in {folder / FILES['json']}" if folder is not None else ""
    print(f"dp-audit: interrupted; {kept}{where}", file=sys.stderr)
    return 130
