"""The overview: claimed, exact and certified epsilon of every audit as one dot plot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.results.entry import Entry
from reports.pictures import style
from reports.pictures.panel import Panel, Scale
from reports.words import line, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW = 17
_LINEAR = 0.1  # below this the axis is linear, so that 0 has a place


@dataclass(frozen=True)
class OverviewPicture:
    """One row an entry, in the order given."""

    entries: tuple[Entry, ...]

    title = "Claimed, exact and certified ε"
    caption = (
        "One row a mechanism: the claimed ε (bar), what is exactly true (ring) and what the audit certified"
        " from below (dot), at the claim’s δ. A dot right of the bar is a refutation; an arrow is infinite."
    )

    @property
    def size(self) -> tuple[int, int]:
        """As high as its rows need."""
        return (640, 74 + _ROW * len(self.entries))

    @property
    def alt(self) -> str:
        """The picture in a sentence; the numbers are in the table."""
        beyond = sum((e.certified or 0) > (math.inf if e.claimed is None else e.claimed) for e in self.entries)
        return (
            f"Claimed, exact and certified epsilon of {len(self.entries)} mechanisms; for {beyond} of them"
            " the certified epsilon exceeds the claimed one. The table has the numbers."
        )

    def draw(self, figure: Figure) -> None:
        """Bar, ring and dot on a thin line."""
        names = [line(entry.id, 34) for entry in self.entries]
        columns = {name: [getattr(entry, name) for entry in self.entries] for name in ("claimed", "exact", "certified")}
        finite = [v for values in columns.values() for v in values if v is not None and math.isfinite(v)]
        top = _next_round(max([1.0, *finite]))
        ticks = [tick for tick in (0, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000) if tick <= top]
        panel = Panel(
            figure,
            Scale(-0.02, top * 1.35, "ε", linear=_LINEAR, ticks=tuple((tick, number(tick)) for tick in ticks)),
            Scale(len(names) - 0.4, -0.6, ticks=tuple(enumerate(names))),
            left=20 + 6.2 * max(map(len, names)),
            right=24,
            bottom=40,
        )
        _joins(panel, list(zip(*columns.values(), strict=True)), top)
        for name, marker, colour, size, hollow in (
            ("claimed", "|", style.CLAIMED, 12, False),
            ("exact", "o", style.EXACT, 9, True),
            ("certified", "o", style.CERTIFIED, 4.5, False),
        ):
            values = columns[name]
            inside = {row: v for row, v in enumerate(values) if v is not None and v <= top}
            beyond = [row for row, v in enumerate(values) if v is not None and v > top]
            panel.marks(list(inside.values()), list(inside), colour, marker, size, name, hollow)
            panel.marks([top * 1.3] * len(beyond), beyond, colour, ">", size, hollow=hollow)
        panel.key()


def _joins(panel: Panel, rows: list[tuple[float | None, ...]], top: float) -> None:
    """A thin line from the smallest to the largest value of each row, all in one path."""
    x: list[float] = []
    y: list[float] = []
    for row, values in enumerate(rows):
        known = [min(value, top * 1.3) for value in values if value is not None]
        if known:
            x += [min(known), max(known), math.nan]
            y += [row, row, math.nan]
    panel.line(x, y, style.MUTED, 0.9)


def _next_round(value: float) -> float:
    return next((tick for tick in (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0) if tick >= value), 1000.0)
