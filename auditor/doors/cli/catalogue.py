"""Lists the catalogue: mechanisms, their mutants and the claims of the notes, with where they come from."""

from __future__ import annotations

import argparse
import json
from collections import Counter

NAME = "list"
HELP = "list mechanisms, mutants and claims"


def arguments(parser: argparse.ArgumentParser) -> None:
    """`--json` prints [{"id", "kind", "of", "title", "source"}, …]."""
    parser.add_argument("--json", action="store_true", help="print a JSON list and nothing else")


def command(options: argparse.Namespace) -> int:
    """Mechanisms with their mutants, then the claims in the order of the notes."""
    found = rows()
    if options.json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
        return 0
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for row in found:
        indent = "  " if row["kind"] == "mutant" else ""
        words = Text.assemble(f"{row['title']} ", (f"({row['source']})", "dim"))
        table.add_row(Text(f"{indent}{row['id']}", no_wrap=True), words)
    Console(highlight=False).print(table)
    counts = Counter(row["kind"] for row in found)
    print(", ".join(f"{counts[kind]} {kind}s" for kind in ("mechanism", "mutant", "claim")))
    print("dp-audit show ID explains one")
    return 0


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
