"""What all benchmarks share: tables of plain data, shown on a terminal and in markdown, and stored."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

RESULTS = Path(__file__).parent / "results"
T = TypeVar("T")


def number(value: float | None) -> str:
    """Three or four digits; nothing for None."""
    if value is None:
        return ""
    if math.isinf(value):
        return "inf"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:.4g}"


def share(value: float | None) -> str:
    """Three digits after the point."""
    return "" if value is None else f"{value:.3f}"


def whole(value: float | None) -> str:
    """1,234,567."""
    if value is None:
        return ""
    return "inf" if math.isinf(value) else f"{value:,.0f}"


def count(value: int | None) -> str:
    """12k, 3.4M, 1.2G."""
    if value is None:
        return ""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return str(value)


def percent(value: float | None) -> str:
    """12.3 %."""
    return "" if value is None else f"{value:.1%}".replace("%", " %")


def at_least(value: float, least: float, aim: float | None = None) -> str:
    """Where a figure stands that should be large."""
    return "SHORT" if not value >= least else "met" if aim is None or value < aim else "aim met"


def at_most(value: float, most: float, aim: float | None = None) -> str:
    """Where a figure stands that should be small."""
    return at_least(-value, -most, None if aim is None else -aim)


def ninetieth(values: Iterable[float]) -> float:
    """The smallest value that nine of ten do not exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(0.9 * len(ordered)) - 1]


Columns = dict[str, Callable[[Any], str]]


@dataclass(frozen=True)
class Table:
    """Rows of plain data. `columns` maps the keys that are shown to how they are written; JSON has all."""

    title: str
    columns: Mapping[str, Callable[[Any], str]]
    rows: Sequence[Mapping[str, Any]]
    note: str = ""

    def cells(self) -> list[list[str]]:
        """The shown values as text; a missing one is empty."""
        return [
            [show(row[key]) if row.get(key) is not None else "" for key, show in self.columns.items()]
            for row in self.rows
        ]

    def markdown(self) -> str:
        """Title, grid and note."""
        lines = [f"## {self.title}", "", *grid([*self.columns], self.cells())]
        return "\n".join(lines + (["", self.note] if self.note else [])) + "\n"

    def show(self, console: Console) -> None:
        """The table on a terminal."""
        from rich import box, table

        shown = table.Table(title=self.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
        for place, key in enumerate(self.columns):
            shown.add_column(key, justify="right" if place else "left")
        for line in self.cells():
            shown.add_row(*line)
        console.print(shown)
        if self.note:
            console.print(f"{self.note}\n", style="dim")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"title": self.title, "note": self.note, "rows": [plain(dict(row)) for row in self.rows]}


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a markdown table."""
    return [
        f"| {' | '.join(headings)} |",
        "|---" * len(headings) + "|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def plain(value: Any) -> Any:
    """JSON data: "inf" for infinities, null for NaN, numpy's numbers as Python's."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def today() -> str:
    """The date, as it stands above the figures."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = ("dp-audit", "numpy", "scipy", "scikit-learn", "joblib")
    return {
        "machine": platform.machine(),
        "cores": cores,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in packages},
    }


def measured(date: str, where: Mapping[str, Any]) -> str:
    """One sentence of facts."""
    return f"Measured {date} on {', '.join(f'{key} {value}' for key, value in where.items())}."


def terminal() -> Console:
    """Where tables are printed: as wide as they need when nobody watches."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 150)


def write(out: Path, name: str, page: str, data: Mapping[str, Any]) -> None:
    """NAME.md and NAME.json in the folder of results."""
    from auditor.results.files import write_text

    write_text(out / f"{name}.md", page)
    write_text(out / f"{name}.json", json.dumps(plain(data), ensure_ascii=False, indent=1) + "\n")


def publish(out: Path, name: str, title: str, command: str, tables: Sequence[Table], seconds: float) -> None:
    """Stores the tables of one part, with the command that made them, the machine, the date and versions."""
    date, where = today(), machine()
    head = f"# {title}\n\n{measured(date, where)}\n`{command}` took {seconds:,.0f} s.\n"
    page = "\n".join([head, *(table.markdown() for table in tables)])
    data = {"command": command, "date": date, **where, "seconds": round(seconds, 1)}
    write(out, name, page, {**data, "tables": [table.to_dict() for table in tables]})


def track(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """The items, with a bar on a terminal and a plain line now and then elsewhere."""
    if sys.stderr.isatty():
        from rich.progress import track as bar

        yield from bar(items, label, total, console=Console(stderr=True), transient=True)
        return
    told = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        if time.monotonic() > told + 30:
            told = time.monotonic()
            print(f"{label}: {done:,} of {total:,}", file=sys.stderr, flush=True)
