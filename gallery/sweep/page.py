"""The page of docs/gallery that tells what the sweeps came to, and the data that it is made of."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from gallery.pages import INDEX, library, link
from gallery.sweep import libraries
from gallery.sweep.record import SCHEMA, Swept, read
from reports.markdown import code, text

PAGE, DATA = "sweeps.md", "sweeps.json"
DEFINITION = "definition"  # what an item says instead of a reference where nothing is wrong but the neighbours
INTRODUCTION = f"""# Sweeps: everything public of a library

The [gallery]({INDEX}) shows what is known; a sweep looks for what is not. `python -m gallery.sweep LIBRARY` audits each
noise primitive, tool, model or aggregate that a library makes public, for the neighbours that its documentation names,
on pairs chosen by hand: numbers at the ends of their bounds and beyond them, records that are missing, people with
many records. `python -m gallery.sweep all` runs them all and writes this page. A name that is neither audited nor left
out with a reason is an error, and so is a verdict that is not the expected one.

A refutation is false with probability at most .001 (`alpha` of each audit). *Not refuted is not proof*: an audit here
has some thousand draws and one or a few pairs. Findings that a library's maintainers do not know yet are not on this
page, nor in its counts.
"""


def store(folder: Path, found: Iterable[Swept]) -> None:
    """Keeps these sweeps in place of earlier ones of the same files, and writes the page."""
    kept = {one.file: one for one in [*read(folder / DATA), *found]}
    everything = [kept[file] for file in sorted(kept)]
    data = {"schema": SCHEMA, "sweeps": [asdict(one) for one in everything]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DATA).write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (folder / PAGE).write_text(page(everything), encoding="utf-8")


def page(everything: Sequence[Swept]) -> str:
    """The page of all sweeps, which also says which files of the folder have not been run through yet."""
    known = {one.name for one in pkgutil.iter_modules(libraries.__path__)}
    missing = sorted(known - {one.file for one in everything})
    told = ["", f"Not run through yet: {', '.join(map(code, missing))}."] if missing else []
    parts = [INTRODUCTION, *_table(everything), *told, *_refuted(everything), *_left_out(everything)]
    return "\n".join(parts).rstrip() + "\n"


def _table(everything: Sequence[Swept]) -> Iterator[str]:
    yield "| library | sweep | public names | left out | audits | not refuted | refuted, as known | seconds | on |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|---|"
    for one in everything:
        counts = (one.public, len(one.left_out), one.audits, one.audits - len(one.refuted), len(one.refuted))
        cells = [text(_library(one)), code(one.file), *map(str, counts), f"{one.seconds:.0f}", one.date]
        yield f"| {' | '.join(cells)} |"
    totals = [sum(one.public for one in everything), sum(len(one.left_out) for one in everything)]
    audits, refuted = sum(one.audits for one in everything), sum(len(one.refuted) for one in everything)
    total = [*totals, audits, audits - refuted, refuted, round(sum(one.seconds for one in everything))]
    yield f"| all | | {' | '.join(f'{count:,}' for count in total)} | |"


def _refuted(everything: Sequence[Swept]) -> Iterator[str]:
    yield from ("", "## Refuted, as is known", "")
    yield "| library | audit | where it is public |"
    yield "|---|---|---|"
    for one in everything:
        for name, reference in one.refuted.items():
            where = "a matter of definitions" if reference == DEFINITION else link(reference)
            yield f"| {text(_library(one))} | {text(name)} | {where} |"


def _left_out(everything: Sequence[Swept]) -> Iterator[str]:
    yield from ("", "## Left out", "")
    for one in everything:
        reasons: dict[str, list[str]] = {}
        for name, why in one.left_out.items():
            reasons.setdefault(why, []).append(code(name))
        told = "; ".join(f"{', '.join(names)} ({text(why)})" for why, names in reasons.items())
        yield f"- {text(_library(one))}, {code(one.file)}: {told or 'nothing'}."


def _library(one: Swept) -> str:
    return library(one.packages[0])
