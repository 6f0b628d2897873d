"""A line chart: composition over k, subsampling over q, PTR over the distance, any curves of the ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.pictures import style
from reports.pictures.fields import gaps, part, rows, text, wrong
from reports.pictures.panel import Dash, Panel, Scale, limits
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Known roles keep their look in every picture; other series take the remaining looks.
_ROLES: dict[str, tuple[str, Dash, float]] = {
    "claimed": (style.CLAIMED, "--", 1.5),
    "exact": (style.EXACT, "-", 2.0),
    "certified": (style.CERTIFIED, "-.", 1.6),
    "other": (style.MUTED, ":", 1.8),
}
_SPARE: tuple[tuple[str, Dash, float], ...] = (
    (style.MUTED, ":", 1.8),
    (style.LEFT, (0, (6, 2)), 1.2),
    (style.RIGHT, (0, (1, 1)), 1.6),
    (style.INK, (0, (5, 1, 1, 1, 1, 1)), 1.2),
)
_MOST_SERIES = 8


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its label, and whether it is logarithmic."""

    label: str
    log: bool


@dataclass(frozen=True)
class Series:
    """One curve; NaN leaves a gap."""

    label: str
    values: tuple[float, ...]
    style: str


@dataclass(frozen=True)
class LinesPicture:
    """Curves over shared x values."""

    title: str
    x: Axis
    y: Axis
    values: tuple[float, ...]
    series: tuple[Series, ...]
    caption: str = ""

    size = (style.WIDTH, style.HEIGHT + 16)

    def __post_init__(self) -> None:
        if not self.values or any(math.isnan(value) for value in self.values):
            raise wrong("x values must be numbers, at least one", self.values)
        if any(len(series.values) != len(self.values) for series in self.series):
            raise wrong("series must have a value for each x", [len(series.values) for series in self.series])
        if not self._seen():
            raise wrong("series must have at least one number that its axis can show", len(self.series))
        if self.x.log and min(self.values) <= 0:
            raise wrong("x values must be above 0 on a logarithmic axis", min(self.values))

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> LinesPicture:
        """From stored data."""
        axes = {name: part(data, name, "lines") for name in ("x", "y")}
        for name, axis in axes.items():
            if not isinstance(axis, Mapping) or not isinstance(axis.get("log", False), bool):
                raise wrong(f'{name} must be {{"label", "log"?}}', axis)
        values = gaps(part(axes["x"], "values", "lines"), "x values")
        named = {
            name: Axis(text(axis.get("label", ""), "label", 56), axis.get("log", False)) for name, axis in axes.items()
        }
        return cls(
            title=text(part(data, "title", "lines"), "title"),
            values=values,
            series=tuple(_series(one) for one in rows(part(data, "series", "lines"), "series", 1, _MOST_SERIES)),
            caption=text(data.get("caption") or "", "caption", 600),
            **named,
        )

    def _seen(self) -> list[float]:
        all_values = [value for series in self.series for value in series.values if not math.isnan(value)]
        return [value for value in all_values if value > 0] if self.y.log else all_values

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        parts = []
        for series in self.series:
            ends = [(x, y) for x, y in zip(self.values, series.values, strict=True) if not math.isnan(y)]
            if ends:
                (x0, y0), (x1, y1) = ends[0], ends[-1]
                parts.append(f"{series.label} from {number(y0)} at {number(x0)} to {number(y1)} at {number(x1)}")
        return f"{self.title}: {self.y.label} over {self.x.label}; " + "; ".join(parts) + "."

    def draw(self, figure: Figure) -> None:
        """One line a series, each with its own colour and dashes."""
        few = len(self.series) <= 3
        panel = Panel(
            figure,
            Scale(*limits(self.values, 0, log=self.x.log), self.x.label, self.x.log),
            Scale(*limits(self._seen(), 0.06, log=self.y.log), self.y.label, self.y.log),
            top=30 if few else 46,
        )
        spare = iter(_SPARE * 2)
        for series in self.series:
            colour, dash, width = _ROLES.get(series.style) or next(spare)
            values = [math.nan if self.y.log and not value > 0 else value for value in series.values]
            panel.line(self.values, values, colour, width, dash, series.label)
            known = [(x, y) for x, y in zip(self.values, values, strict=True) if not math.isnan(y)]
            if len(known) == 1:  # a line through one point would not be seen
                panel.marks(known[0][:1], known[0][1:], colour, "o", 5)
        panel.key(3 if few else math.ceil(len(self.series) / 2))


def _series(data: Any) -> Series:
    if not isinstance(data, Mapping):
        raise wrong('series must be {"label", "values", "style"?}', data)
    kind = data.get("style") or ""
    if kind and kind not in _ROLES:
        raise wrong(f"series style must be one of {', '.join(_ROLES)}", kind)
    label = text(part(data, "label", "lines"), "label", 40)
    return Series(label, gaps(part(data, "values", "lines"), "values"), kind)
