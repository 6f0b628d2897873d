"""Lists the catalogue: mechanisms, their mutants and the claims of the notes, with where they come from."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections import Counter
from collections.abc import Mapping

NAME = "list"
HELP = "list mechanisms, mutants and claims"
_IDS = 24, 36  # columns of most ids: of mechanisms and claims, and of mutants
_BELOW = " " * 6


def arguments(parser: argparse.ArgumentParser) -> None:
    """`--json` prints [{"id", "kind", "of", "title", "source"}, …]."""
    parser.add_argument("--json", action="store_true", help="print a JSON list and nothing else")


def command(options: argparse.Namespace) -> int:
    """Mechanisms with their mutants, then the claims in the order of the notes."""
    found = rows()
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return 0
    from rich.text import Text

    from auditor.doors.cli.streams import console

    screen = console()
    for row in found:
        for number, words in enumerate(lines(row, screen.width)):
            screen.print(Text(words, style="" if number == 0 else "dim"), soft_wrap=True)
    counts = Counter(row["kind"] for row in found)
    print(", ".join(f"{counts[kind]} {kind}s" for kind in ("mechanism", "mutant", "claim")))
    print("dp-audit show ID explains one")
    return 0


def lines(row: Mapping[str, str | None], width: int) -> list[str]:
    """One entry: its id and its title, and where it comes from; what does not fit stands below, and no title is broken.

    A mutant comes from where its mechanism does.
    """
    own = row["kind"] != "mutant"
    title, source = str(row["title"]), f"({row['source']})"
    first = str(row["id"]).ljust(_IDS[0]) if own else f"  {row['id']}".ljust(_IDS[1])
    fits = len(first) + 2 + len(title) <= width
    found = [f"{first}  {title}"] if fits else [first.rstrip(), f"{_BELOW}{title}"]
    if not own:
        return found
    if len(found[-1]) + 1 + len(source) <= width:
        return [*found[:-1], f"{found[-1]} {source}"]
    return [*found, *textwrap.wrap(source, width, initial_indent=_BELOW, subsequent_indent=_BELOW)]


def rows() -> list[dict[str, str | None]]:
    """The catalogue as plain data."""
    from auditor.notes import checks
    from mechanisms.core.catalogue import catalogue

    listed: list[dict[str, str | None]] = [
        {
            "id": m.id,
            "kind": "mutant" if m.of else "mechanism",
            "of": m.of,
            "title": m.title,
            "source": m.source,
        }
        for m in catalogue()
    ]
    claims = [
        {"id": check.id, "kind": "claim", "of": None, "title": check.title, "source": check.source}
        for check in checks()
    ]
    return [*listed, *claims]
