"""Compares two results files: what became worse, and where audits became blind.

Worse: newly refuted, a larger certified epsilon, a weaker claim, an audit that broke or is gone.
Blind: the smallest epsilon that would be refuted grew. Smaller changes than another seed makes
are not told.
"""

from __future__ import annotations

import argparse
from pathlib import Path

NAME = "compare"
HELP = "what became worse, and what became blind, between two results files"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Two results files; `--json` prints [{"id", "words", "worse", "blind"}, …]."""
    parser.add_argument("old", type=Path, metavar="old.json")
    parser.add_argument("new", type=Path, metavar="new.json")
    parser.add_argument("--json", action="store_true", help="print a JSON list and nothing else")


def command(options: argparse.Namespace) -> int:
    """0 when nothing became worse or blind, 1 otherwise."""
    import json

    from auditor.escaping import logged
    from auditor.results.baseline import compare
    from auditor.results.document import read

    changes = compare(read(options.old), read(options.new))
    if options.json:
        print(json.dumps([vars(change) for change in changes], ensure_ascii=False, indent=1))
    for change in () if options.json else changes:
        print(logged(f"{'worse' if change.worse else 'blind' if change.blind else 'other'}: {change}"))
    worse, blind = sum(change.worse for change in changes), sum(change.blind for change in changes)
    if not options.json:
        print(f"{worse} worse, {blind} blind, {len(changes) - worse - blind} other")
    return 1 if worse or blind else 0
