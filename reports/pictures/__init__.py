"""The report's pictures: stored data in, small inline SVG out. The data formats are in docs/results.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from auditor.document import Entry
from reports.pictures.evidence import EvidencePicture, evidence_data
from reports.pictures.fields import wrong
from reports.pictures.lines import LinesPicture
from reports.pictures.outputs import OutputsPicture, outputs_data
from reports.pictures.overview import OverviewPicture
from reports.pictures.profile import ProfilePicture, profile_data
from reports.pictures.ratio import RatioPicture, ratio_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "draw", "overview", "pictures_of"]


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
    "ratio": RatioPicture.read,
    "evidence": EvidencePicture.read,
    "lines": LinesPicture.read,
}


def pictures_of(entry: Entry) -> list[dict[str, Any]]:
    """The data of an entry's pictures: those stored with it, and those its audit implies.

    To a picture of type "profile" the audit adds what it certifies.
    """
    stored = [dict(picture) for picture in entry.pictures]
    result = entry.audit_result
    if result is None:
        return stored
    if not any(picture.get("type") == "profile" for picture in stored):
        stored.insert(0, profile_data(result))
    complete = [
        profile_data(result, picture) if picture.get("type") == "profile" else picture for picture in stored
    ]
    types = {picture.get("type") for picture in stored}
    derived = (outputs_data(result), ratio_data(result), evidence_data(result))
    return complete + [data for data in derived if data is not None and data["type"] not in types]


def draw(data: Mapping[str, Any], prefix: str = "p") -> Picture:
    """Draws picture data; data that does not fit docs/results.md is a UsageError."""
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise wrong(f"type must be one of {', '.join(_TYPES)}", kind)
    return _drawn(_TYPES[kind](data), prefix)


def overview(entries: tuple[Entry, ...], prefix: str = "overview") -> Picture:
    """One dot plot of all these audits."""
    return _drawn(OverviewPicture(entries), prefix)


def _drawn(drawing: Drawing, prefix: str) -> Picture:
    from matplotlib.figure import Figure

    from reports.pictures.style import settings
    from reports.pictures.svg import compact

    width, height = drawing.size
    with settings():
        figure = Figure(figsize=(width / 72, height / 72), facecolor="none")
        drawing.draw(figure)
        svg = compact(figure, drawing.alt, prefix)
    return Picture(svg, drawing.title, drawing.alt, drawing.caption)
