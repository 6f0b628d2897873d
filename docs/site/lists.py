"""Lists as GitHub reads them, for Python-Markdown: four blanks a level, and a blank line before a list."""

from __future__ import annotations

import re

_ITEM = re.compile(r" *(?:[-*+]|\d+\.) +(?=\S)")
_FENCE = re.compile(r" *(`{3,}|~{3,})")


def as_python_markdown(text: str) -> str:
    """The same Markdown, with every line of a list item indented by four blanks for each level."""
    out: list[str] = []
    offsets: list[int] = []  # where the text of each open item begins, in the original
    fence = ""
    blank, of_item = True, False  # whether the last line was empty, and whether an item began its paragraph
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if fence:
            out.append(_indented(line, offsets))
            if line.strip() == fence:
                fence, blank = "", True
            continue
        if not line.strip():
            out.append("")
            blank = True
            continue
        item, opened = _ITEM.match(line), _FENCE.match(line)
        if item or opened or blank:
            while offsets and indent < offsets[-1]:
                offsets.pop()
        if item and indent < (offsets[-1] if offsets else 0) + 4:
            if not blank and not of_item:
                out.append("")
            out.append(" " * 4 * len(offsets) + line.lstrip(" "))
            offsets.append(item.end())
            of_item = True
        else:
            of_item = of_item and not blank
            out.append(_indented(line, offsets))
        fence = opened[1] if opened else ""
        blank = False
    return "\n".join(out) + "\n"


def _indented(line: str, offsets: list[int]) -> str:
    """A line within the open items; what it has beyond the item's own indentation stays."""
    if not line.strip():
        return ""
    indent = len(line) - len(line.lstrip(" "))
    return " " * (4 * len(offsets) + max(0, indent - (offsets[-1] if offsets else 0))) + line.lstrip(" ")
