"""A matplotlib figure as a small inline SVG: no ids but those in use, no style attributes, named colours."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from reports.pictures.style import COLOURS, FONT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"#([\w.-]+)\)?")
_DROPPED = {"font-family", "font-style", "font-variant", "font-weight", "font-stretch", "stroke-linejoin"}
_DEFAULTS = {
    ("opacity", "1"),
    ("fill-opacity", "1"),
    ("stroke-opacity", "1"),
    ("stroke-linecap", "butt"),
    ("stroke-linecap", "square"),
    ("stroke-dashoffset", "0"),
    ("font-size", f"{FONT}px"),
    ("text-anchor", "start"),
}


def compact(figure: Figure, alt: str, prefix: str = "p") -> str:
    """The figure as one `<svg>` element that reads itself out as `alt`.

    Every id starts with `prefix`, so several pictures can share a page. Presentation attributes instead of
    style attributes keep the page's Content-Security-Policy strict.
    """
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    _strip(root)
    _rename(root, prefix)
    _flatten(root)
    view_box = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update(
        {"xmlns": _SVG, "viewBox": _rounded(view_box), "class": "plot", "role": "img", "aria-label": alt}
    )
    return ElementTree.tostring(root, encoding="unicode")


def _strip(root: ElementTree.Element) -> None:
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.text = element.text if element.tag in ("text", "tspan") else None
        element.tail = None
        for child in list(element):
            if child.tag.removeprefix(f"{{{_SVG}}}") in ("metadata", "style"):
                element.remove(child)
        if element.tag == "text" and element.text:
            element.text = element.text.strip()
        attributes = _presentation(element.attrib)
        element.attrib.clear()
        element.attrib.update(attributes)


def _presentation(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes with `style` taken apart, defaults dropped, numbers rounded, colours named."""
    flat = {("href" if key == _LINK else key): value for key, value in attributes.items() if key != "style"}
    for rule in attributes.get("style", "").split(";"):
        name, _, value = (part.strip() for part in rule.partition(":"))
        if name == "font":  # "11px 'DejaVu Sans', …": the page's font, in this size
            name, value = "font-size", value.split()[0]
        if name and name not in _DROPPED:
            flat[name] = value
    if flat.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del flat["transform"]
    for name, value in flat.items():
        if value in COLOURS:
            flat[name] = f"var(--{COLOURS[value]})"
        elif name == "d":
            flat[name] = re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(value))
        elif name not in ("href", "id", "clip-path"):
            flat[name] = _rounded(value)
    return {name: value for name, value in flat.items() if (name, value) not in _DEFAULTS}


def _rounded(text: str) -> str:
    def short(found: re.Match[str]) -> str:
        value = f"{float(found[0]):.1f}".removesuffix(".0")
        return "0" if value == "-0" else value

    return " ".join(_NUMBER.sub(short, text).split())


def _rename(root: ElementTree.Element, prefix: str) -> None:
    used: dict[str, str] = {}
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "href" or value.startswith("url("):
                found = _REFERENCE.search(value)
                if found:
                    new = used.setdefault(found[1], f"{prefix}-{len(used)}")
                    element.set(name, value.replace(found[1], new))
    for element in root.iter():
        identifier = element.attrib.pop("id", None)
        if identifier in used:
            element.set("id", used[identifier])


def _flatten(element: ElementTree.Element) -> None:
    """Dissolves groups that carry nothing, and drops what draws nothing."""
    children: list[ElementTree.Element] = []
    for child in element:
        _flatten(child)
        if child.tag == "g" and not child.attrib:
            children.extend(child)
        elif child.tag not in ("g", "defs") or len(child):
            children.append(child)
    element[:] = children
