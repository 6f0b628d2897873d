"""A headline and labelled parts as a paragraph for a terminal: at most 12 lines of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from auditor.escaping import clean

WIDTH = 80
LINES = 12
_MARGIN = 11  # columns of the labels
_FEWEST = (
    ("noticed", 2),
    ("why", 3),
    ("witness", 4),
    ("noticed", 1),
    ("why", 2),
    ("witness", 3),
    ("so", 1),
    ("why", 1),
)


def paragraph(head: str, parts: Mapping[str, str]) -> str:
    """The headline on one line, then each part beside its label; what does not fit ends in an ellipsis.

    Where all parts together are too long, they are cut in the order of `_FEWEST`, down to as many lines.
    """
    told = {label: _wrapped(label, text) for label, text in parts.items()}
    for label, fewest in _FEWEST:
        over = 1 + sum(map(len, told.values())) - LINES
        if over > 0 and label in told:
            told[label] = _wrapped(label, parts[label], max(fewest, len(told[label]) - over))
    return "\n".join([_cut(head), *(line for lines in told.values() for line in lines)])


def _cut(head: str) -> str:
    text = " ".join(clean(head).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _wrapped(label: str, text: str, most: int | None = None) -> list[str]:
    lines = textwrap.wrap(
        clean(text),
        WIDTH,
        initial_indent=f"  {label:<{_MARGIN}}",
        subsequent_indent=" " * (_MARGIN + 2),
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )
    return [line.replace("\u00a0", " ") for line in lines]  # what must not be parted is parted by U+00A0
