"""Runs one case in the environment of its library: `python -m gallery.inside MODULE FILE` writes the outcome there."""

from __future__ import annotations

import importlib
import json
import sys
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from auditor.escaping import described, line
from gallery.case import ENTRY, Listed, listed
from gallery.outcome import ERROR, Outcome, outcome_of


def run(module: str) -> Outcome:
    """Audits, and tells the outcome; whatever is raised becomes an outcome too."""
    one = listed(module)
    entry = getattr(importlib.import_module(module), ENTRY)
    start = time.perf_counter()
    try:
        found = outcome_of(one.name, entry())
    except Exception as error:
        found = Outcome(one.name, ERROR, printed=line(described(error), 400))
    took = time.perf_counter() - start
    return replace(found, seconds=took, lines=one.lines, versions=versions(one))


def versions(one: Listed) -> dict[str, str]:
    """Python, dp-audit, and what the case asked for."""
    names = ["dp-audit", *(package.partition("==")[0].partition("[")[0] for package in one.case.packages)]
    return {"python": sys.version.split()[0], **{name: metadata.version(name) for name in names}}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(run(sys.argv[1]).to_dict(), ensure_ascii=False), encoding="utf-8")
