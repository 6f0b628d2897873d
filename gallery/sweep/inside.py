"""Runs a sweep in the environment of its library: `python -m gallery.sweep.inside FILE [NAME…]`."""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auditor.escaping import described, line
from gallery.outcome import ERROR, Outcome, outcome_of, shown
from gallery.sweep.item import Item, forgotten

HEAD = (
    "| audited | verdict | expected | claimed | found | delta | seconds | neighbours | reported |\n" + "|---" * 9 + "|"
)


def main(arguments: Sequence[str]) -> int:
    """0 when each verdict is the expected one and nothing public was forgotten, else 1."""
    library: Any = importlib.import_module(f"gallery.sweep.libraries.{arguments[0]}")
    missing = forgotten(library)
    print(HEAD, flush=True)
    good = not missing
    for item in library.items():
        if not arguments[1:] or item.name in arguments[1:] or item.public_name in arguments[1:]:
            outcome = carried_out(item)
            good = good and outcome.verdict == item.expected
            print(row(item, outcome), flush=True)
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
