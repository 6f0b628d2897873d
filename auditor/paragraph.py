"""A headline and labelled parts as a paragraph for a terminal: at most 12 lines of 80 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping

from auditor.escaping import clean

WIDTH = 80
LINES = 12
_MARGIN = 11  # columns of the labels
# What is shortened first, and to how many lines: the reason why a claim fails is the last to lose any. `_CLAUSES` end
# with a sentence or a clause, of which the witness has one for each side; `_CUTS` end anywhere.
_CLAUSES = (("noticed", 1), ("witness", 2))
_CUTS = (("noticed", 1), ("witness", 4), ("why", 4), ("witness", 3), ("why", 3), ("so", 1), ("why", 1))
_PAUSE = re.compile(r"[.;:](?= )")


def paragraph(head: str, parts: Mapping[str, str]) -> str:
    """The headline on one line, then each part beside its label.

    Where all parts together are too long, they are shortened in the order of `_CLAUSES` and `_CUTS`, down to as many
    lines: at the end of a sentence or a clause where that is possible, and else by an ellipsis.
    """
    told = {label: _wrapped(label, text) for label, text in parts.items()}
    for step, (label, fewest) in enumerate(_CLAUSES + _CUTS):
        over = 1 + sum(map(len, told.values())) - LINES
        if over > 0 and label in told:
            most = max(fewest, len(told[label]) - over)
            told[label] = _shortened(label, parts[label], most, told[label] if step < len(_CLAUSES) else None)
    return "\n".join([_cut(head), *(line for lines in told.values() for line in lines)])


def headline(before: str, name: str, after: str, most: int = 40) -> str:
    """A headline that fits its line: a long name keeps its beginning and its end, for both tell what it is of."""
    name = " ".join(name.split()) or "it"
    room = max(20, min(most, WIDTH - len(before) - len(after)))
    if len(name) > room:
        name = f"{name[: room // 2 - 1]}…{name[-(room // 2) :]}"
    return before + name + after


def _cut(head: str) -> str:
    text = " ".join(clean(head).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _shortened(label: str, text: str, most: int, otherwise: list[str] | None) -> list[str]:
    """As much of a part as ends with a sentence or a clause within so many lines; else `otherwise`, or an ellipsis."""
    for whole in (text, *_beginnings(text)):
        lines = _wrapped(label, whole)
        if len(lines) <= most:
            return lines
    return otherwise or _wrapped(label, text, most)


def _beginnings(text: str) -> Iterator[str]:
    """The text up to each of its pauses, the longest first; none within brackets or quotes, where data may have it."""
    for pause in reversed(list(_PAUSE.finditer(text))):
        before = text[: pause.start()]
        brackets = all(before.count(left) == before.count(right) for left, right in ("()", "[]", "{}"))
        if brackets and before.count("'") % 2 == before.count('"') % 2 == 0:
            yield before + "."


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
