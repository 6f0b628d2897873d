"""A result as a card for notebooks: HTML without scripts and without links. Everything foreign is escaped."""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from auditor.results import summary
from auditor.results.plot import plot

if TYPE_CHECKING:
    from auditor.results.result import AuditResult

_BOX = (
    "border:1px solid #8886;border-left:6px solid {};border-radius:6px;padding:.6em 1em;max-width:52em;line-height:1.4"
)
TONES = {True: "#d63a30", False: "#3d8b4a"}  # readable on white and on black


def card(result: AuditResult) -> str:
    """Verdict, claim against certified, witness, diagnosis, blind spot, picture."""
    rows = [("claim", str(result.claim)), *summary.parts(result)]
    return _box(result.refuted, result.name, f"{_picture(result)}{_table(rows)}")


def table_card(refuted: bool, name: str, rows: Iterable[tuple[str, str]]) -> str:
    """Verdict and labelled texts."""
    return _box(refuted, name, _table(rows))


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th style="text-align:left;vertical-align:top;white-space:nowrap;padding-right:1em">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for label, text in rows
    )
    return f"<table>{cells}</table>"


def _box(refuted: bool, name: str, inside: str) -> str:
    tone, verdict = TONES[refuted], "Refuted" if refuted else "Not refuted"
    return (
        f'<div style="{_BOX.format(tone)}"><p style="margin:0 0 .4em"><b style="color:{tone}">{verdict}</b> '
        f"<code>{escape(name)}</code></p>{inside}</div>"
    )


def _picture(result: AuditResult) -> str:
    """The plot as an image within the page; nothing where it cannot be drawn."""
    with contextlib.suppress(Exception):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure, image = Figure(figsize=(6.4, 2.8), layout="constrained"), io.BytesIO()
        FigureCanvasAgg(figure)
        plot(result, figure.add_subplot())
        figure.savefig(image, format="png", dpi=96, metadata={"Software": None})
        data = base64.b64encode(image.getvalue()).decode()
        words = escape(f"Outputs on both inputs. {summary.certified(result)}.", quote=True)
        return f'<img alt="{words}" src="data:image/png;base64,{data}" style="max-width:100%;background:white">'
    return ""
