"""Several results together: a line each in the terminal, a table in a notebook, a row each in a frame."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from auditor.errors import UsageError
from auditor.results.card import TONES
from auditor.results.frame import frame
from auditor.results.result import AuditResult
from auditor.results.summary import beyond

_COLUMNS = ("audit", "verdict", "claim", "certified", "blind below", "draws a side")


class Results(tuple[AuditResult, ...]):
    """Results of audits, in their order: `Results([audit(…), audit(…)])`."""

    __slots__ = ()

    def __new__(cls, results: Iterable[AuditResult] = ()) -> Results:
        """Keeps the results as they come."""
        return super().__new__(cls, results)

    @property
    def refuted(self) -> Results:
        """Those whose claim was refuted."""
        return Results(result for result in self if result.refuted)

    def summary(self) -> str:
        """How many were refuted, and a line of 80 columns for each."""
        lines = [f"{len(self.refuted)} of {len(self)} claims refuted. Not refuted is not proof."]
        for result in self:
            found = f"{str(result.verdict).upper():<12}{_short(result.name, 30):<31}"
            lines.append(f"{found}{_short(str(result.claim), 18):<19}epsilon {beyond(result)}"[:80])
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def to_frame(self) -> Any:
        """A row for each, as a pandas DataFrame."""
        if not self:
            raise UsageError("to_frame() needs at least one result, got none")
        frames = [frame(result) for result in self]
        from pandas import concat

        return concat(frames, ignore_index=True)

    def _repr_html_(self) -> str:
        """The table that a notebook shows; everything foreign is escaped."""
        head = "".join(
            f'<th style="text-align:left;padding-right:1em;white-space:nowrap">{name}</th>' for name in _COLUMNS
        )
        rows = "".join(f"<tr>{_cells(result)}</tr>" for result in self)
        title = escape(self.summary().splitlines()[0])
        caption = f'<caption style="text-align:left">{title}</caption>'
        table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f'<div style="overflow-x:auto">{table}</div>'


def _cells(result: AuditResult) -> str:
    tone = TONES[result.refuted]
    cells = (
        f'<code style="overflow-wrap:anywhere;white-space:normal">{escape(result.name)}</code>',
        f'<b style="color:{tone}">{escape(str(result.verdict))}</b>',
        escape(str(result.claim)),
        escape(f"epsilon {beyond(result)}"),
        f"{result.detectable_epsilon:.4g}",
        f"{result.trials_used:,}",
    )
    looks = ("min-width:9em;", *["white-space:nowrap;"] * 5)
    padded = "text-align:left;vertical-align:top;padding-right:1em"
    return "".join(f'<td style="{look}{padded}">{cell}</td>' for look, cell in zip(looks, cells, strict=True))


def _short(text: str, most: int) -> str:
    plain = "".join(character if character.isprintable() else "�" for character in text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
