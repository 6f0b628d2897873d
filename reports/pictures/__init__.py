"""The report's pictures: stored data in, small inline SVG out. The data formats are in docs/results.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from auditor.errors import UsageError
from auditor.results.entry import Entry
from reports.pictures.evidence import EvidencePicture, evidence_data
from reports.pictures.fields import wrong
from reports.pictures.guesses import GuessesPicture, guesses_data
from reports.pictures.lines import LinesPicture
from reports.pictures.outputs import OutputsPicture, outputs_data
from reports.pictures.profile import LAST_ROUND, ProfilePicture, profile_data
from reports.pictures.ratio import RatioPicture
from reports.pictures.tradeoff import TradeoffPicture, tradeoff_data
from reports.words import line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "draw", "drawn", "drawn_of", "pictures_of"]


class Drawing(Protocol):
    """What every type of picture offers."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def title(self) -> str: ...
    @property
    def caption(self) -> str: ...
    @property
    def alt(self) -> str: ...
    def draw(self, figure: Figure) -> None: ...


@dataclass(frozen=True)
class Picture:
    """A drawn picture: one `<svg>` element, what it shows in words, and how to read it."""

    svg: str
    title: str
    alt: str
    caption: str


_TYPES: dict[str, Callable[[Mapping[str, Any]], Drawing]] = {
    "profile": ProfilePicture.read,
    "outputs": OutputsPicture.read,
    "tradeoff": TradeoffPicture.read,
    "ratio": RatioPicture.read,
    "evidence": EvidencePicture.read,
    "lines": LinesPicture.read,
    "guesses": GuessesPicture.read,
}


# What says little of its kind: the notes' audits are known by their outcome, a broken twin by its event too.
_SILENT: dict[str, set[Any]] = {
    "mutant": {"profile", "ratio", "evidence"},
    "mechanism": {"evidence"},
    "claim": {"ratio", "evidence"},
}


def pictures_of(entry: Entry) -> list[dict[str, Any]]:
    """The data of an entry's pictures: those stored with it, and those its audit implies.

    To a picture of type "profile" the audit adds what it certifies.
    """
    return [data for make in _makers(entry) if (data := make()) is not None]


def drawn(entry: Entry, prefix: str = "p") -> tuple[list[Picture], list[str]]:
    """An entry's pictures, and why some cannot be drawn: one bad picture does not spoil a page."""
    pictures, reasons = [], []
    for place, make in enumerate(_makers(entry)):
        try:
            data = make()
            if data is not None:
                pictures.append(draw(data, f"{prefix}-{place}"))
        except (UsageError, ArithmeticError, ValueError, TypeError, LookupError) as error:
            reasons.append(f"A picture cannot be drawn: {line(str(error), 200)}")
    return pictures, reasons


def _makers(entry: Entry) -> list[Callable[[], dict[str, Any] | None]]:
    result = entry.audit_result
    if result is None:
        own = [] if entry.one_run is None else [partial(guesses_data, entry.one_run)]
        return [*own, *(partial(dict, picture) for picture in entry.pictures)]
    silent = _SILENT.get(entry.kind, set())
    types = {picture.get("type") for picture in entry.pictures}
    profile = next((picture for picture in entry.pictures if picture.get("type") == "profile"), None)
    derived: dict[str, Callable[[], dict[str, Any] | None]] = {
        "outputs": partial(outputs_data, result),
        "tradeoff": partial(tradeoff_data, result, profile),
        "profile": partial(profile_data, result),
        "evidence": partial(evidence_data, result),
    }
    stored: list[Callable[[], dict[str, Any] | None]] = [
        partial(profile_data, result, picture) if picture.get("type") == "profile" else partial(dict, picture)
        for picture in entry.pictures
        if picture.get("type") not in silent
    ]
    if result.witness.phase != LAST_ROUND and entry.kind == "audit":
        silent = silent | {"profile"}  # a claim and a single point; the evidence says more
    else:
        silent = silent | {"evidence"}
    missing = {kind: make for kind, make in derived.items() if kind not in types | silent}
    first = [make for kind, make in missing.items() if kind in ("outputs", "tradeoff")]
    return [*first, *stored, *(make for kind, make in missing.items() if kind not in ("outputs", "tradeoff"))]


def draw(data: Mapping[str, Any], prefix: str = "p") -> Picture:
    """Draws picture data; data that does not fit docs/results.md is a UsageError."""
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise wrong(f"type must be one of {', '.join(_TYPES)}", kind)
    return drawn_of(_TYPES[kind](data), prefix)


def drawn_of(drawing: Drawing, prefix: str) -> Picture:
    """The picture of a drawing; its ids start with `prefix`, which no other picture of a page has."""
    from matplotlib.figure import Figure

    from reports.pictures.style import settings
    from reports.pictures.svg import compact

    width, height = drawing.size
    with settings():
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
        drawing.draw(figure)
        svg = compact(figure, drawing.alt, prefix)
    return Picture(svg, drawing.title, drawing.alt, drawing.caption)
