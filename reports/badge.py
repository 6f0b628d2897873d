"""A badge: one small SVG picture for a README that says how many claims were refuted. It never says "private"."""

from __future__ import annotations

from html import escape

from auditor.results.document import Document
from auditor.results.entry import ERROR_OUTCOME

NAME = "badge"

_LABEL = "dp-audit"
_LETTER = 6.6  # pixels that a letter takes, about; the text is fitted into its width
_COLOURS = {"red": "#b42318", "amber": "#8a5a00", "blue": "#2456a6"}


def render(document: Document) -> str:
    """The picture, readable by screen readers; not refuted is blue, for green would promise too much."""
    words, colour = _state(document)
    left, right = (round(len(text) * _LETTER) + 12 for text in (_LABEL, words))
    name = escape(f"{_LABEL}: {words}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{name}">'
        f"<title>{name}</title>"
        f'<rect width="{left}" height="20" fill="#333"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[colour]}"/>'
        '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">'
        f'<text x="6" y="14" textLength="{left - 12}">{_LABEL}</text>'
        f'<text x="{left + 6}" y="14" textLength="{right - 12}">{escape(words)}</text></g></svg>\n'
    )


def _state(document: Document) -> tuple[str, str]:
    """What turns a run red comes first: refuted, then without a verdict; accepted findings are counted openly."""
    entries = document.entries
    broken = sum(entry.outcome == ERROR_OUTCOME for entry in entries)
    failed = sum(entry.failed for entry in entries) - broken
    accepted = sum(entry.outcome == "refuted" and not entry.failed for entry in entries)
    if failed:
        other = any(entry.outcome not in ("refuted", ERROR_OUTCOME) for entry in entries if entry.failed)
        return f"{failed} of {len(entries)} {'not as expected' if other else 'refuted'}", "red"
    if broken or not entries or document.interrupted:
        return f"{broken} without a verdict" if broken else "not finished" if entries else "nothing audited", "amber"
    known = f", {accepted} as expected" if accepted else ""
    return f"{len(entries) - accepted} not refuted{known}", "blue"
