"""Runs a sweep in the environment of its library: `python -m gallery.sweep.inside FILE [NAME…] [--record JSON]`."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from auditor.escaping import described, line
from gallery.outcome import ERROR, Outcome, outcome_of, shown
from gallery.sweep.item import Item, forgotten
from gallery.sweep.record import swept

HEAD = (
    "| audited | verdict | expected | claimed | found | delta | seconds | neighbours | reported |\n" + "|---" * 9 + "|"
)


def main(arguments: Sequence[str]) -> int:
    """0 when each verdict is the expected one and nothing public was forgotten, else 1."""
    parser = argparse.ArgumentParser(prog="python -m gallery.sweep.inside", description=__doc__)
    parser.add_argument("file", help="a file of gallery/sweep/libraries, without .py")
    parser.add_argument("name", nargs="*", help="public names; all where none is given")
    parser.add_argument("--record", type=Path, help="where a whole sweep that came out as expected is recorded")
    options = parser.parse_args(arguments)
    library: Any = importlib.import_module(f"gallery.sweep.libraries.{options.file}")
    missing, done = forgotten(library), []
    print(HEAD, flush=True)
    for item in library.items():
        if not options.name or item.name in options.name or item.public_name in options.name:
            done.append((item, carried_out(item)))
            print(row(*done[-1]), flush=True)
    good = not missing and all(outcome.verdict == item.expected for item, outcome in done)
    if good and options.record and not options.name:
        found = asdict(swept(options.file, library, done))
        options.record.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    print(f"\nLeft out: {'; '.join(f'{name} ({why})' for name, why in library.LEFT_OUT.items()) or 'nothing'}.")
    if missing:
        print(f"Neither audited nor left out: {', '.join(missing)}.")
    return int(not good)


def carried_out(item: Item) -> Outcome:
    """The outcome of one audit; whatever is raised becomes an outcome too."""
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = outcome_of(item.name, item.audited())
    except Exception as error:
        found = Outcome(item.name, ERROR, printed=line(described(error), 200))
    return replace(found, seconds=time.perf_counter() - start)


def row(item: Item, outcome: Outcome) -> str:
    """A row of the table; what was found of an unexpected outcome stands below it."""
    expected = outcome.verdict == item.expected
    cells = [
        item.name,
        outcome.verdict.upper() if outcome.verdict != "not refuted" else outcome.verdict,
        "as expected" if expected else f"NO: {item.expected}",
        shown(outcome.claimed),
        shown(outcome.found),
        shown(outcome.delta),
        f"{outcome.seconds:.1f}",
        item.neighbours,
        item.reported or "–",
    ]
    told = "" if expected else "\n" + "\n".join(f"    {text}" for text in outcome.printed.splitlines())
    return f"| {' | '.join(cells)} |{told}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
