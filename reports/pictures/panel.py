"""Axes of a picture: data goes through two scales to points, where matplotlib draws it.

matplotlib's own Axes make ticks, transforms and limits that no picture here uses, in four fifths of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from reports.pictures.style import FONT, GRID, INK, MUTED
from reports.words import line, number

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

_BEHIND, _GRID, _FRONT = 0, 1, 2  # layers of a picture; a larger number is drawn over a smaller one
_SAMPLE, _GAP, _COLUMN, _ROW = 24, 6, 15, 16  # points of the key: a look, the space after it and after its name
_DOWN = 4  # points from the middle of a line of text down to its base

Dash = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Scale:
    """An axis: its limits, its name, and where its ticks stand (computed where not given).

    A logarithmic axis may be linear below `linear`, so that 0 has a place on it.
    """

    low: float
    high: float
    name: str = ""
    log: bool = False
    linear: float = 0.0
    ticks: tuple[tuple[float, str], ...] | None = None
    most: int = 5
    slanted: bool = False
    grid: bool = True

    def share(self, value: float) -> float:
        """Where a value stands: 0 at the low end, 1 at the high one; NaN where it has no place."""
        low, high = self._ends
        return (self._even(value) - low) / (high - low)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return self._even(self.low), self._even(self.high)

    def _even(self, value: float) -> float:
        if self.linear and value <= self.linear:
            return value / self.linear
        if self.linear:
            return 1 + 1.5 * math.log10(value / self.linear)
        if self.log:
            return math.log(value) if value > 0 else math.nan
        return value

    @cached_property
    def marks(self) -> list[tuple[float, str]]:
        """Few ticks at round numbers."""
        from matplotlib.ticker import LogLocator, MaxNLocator

        if self.ticks is not None:
            return list(self.ticks)
        if self.log:
            subs = (1.0,) if self.high / self.low > 200 else (1.0, 2.0, 5.0)
            values = LogLocator(subs=subs, numticks=self.most + 1).tick_values(self.low, self.high)
        else:
            values = MaxNLocator(self.most, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        low, high = self.low - 1e-12 * abs(self.low), self.high + 1e-12 * abs(self.high)  # a power of 10 may be rounded
        inside = [float(value) for value in values if low <= value <= high]
        return [(value, number(0.0 if abs(value) < 1e-15 else value)) for value in inside]


def limits(values: Sequence[float], margin: float = 0.05, log: bool = False) -> tuple[float, float]:
    """Axis limits around the values, never empty."""
    low, high = min(values), max(values)
    if log:
        spread = (high / low) ** margin if high > low else 1.5
        return low / spread, high * spread
    spread = (high - low) * margin if high > low else max(abs(high) * 0.1, 0.1)
    return low - spread, high + spread


@dataclass(frozen=True)
class Panel:
    """A frame with grid, ticks and names, drawn at once, and what is drawn into it; margins are in points."""

    figure: Figure
    x: Scale
    y: Scale
    left: float = 56
    right: float = 18
    bottom: float = 42
    top: float = 30
    _named: list[tuple[str, Callable[[float, float], None]]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        left, low, right, high = self._box
        places = [self._across(place) for place, _ in self.x.marks] if self.x.grid else []
        heights = [self._up(place) for place, _ in self.y.marks] if self.y.grid else []
        grid = [((place, low), (place, high)) for place in places] + [((left, at), (right, at)) for at in heights]
        points = [point for ends in grid for point in (*ends, (math.nan, math.nan))]
        self._line(points, zorder=_GRID, color=GRID, linewidth=0.8)
        self._line([(left, high), (left, low), (right, low)], color=MUTED, linewidth=0.8)
        for place, words in self.x.marks:
            if self.x.slanted:
                self._text(self._across(place) + 4, low - 12, words, colour=MUTED, side="right", turned=35)
            else:
                self._text(self._across(place), low - 15, words, colour=MUTED)
        for place, words in self.y.marks:
            self._text(left - 5, self._up(place) - _DOWN, words, colour=MUTED, side="right")
        self._text((left + right) / 2, low - (56 if self.x.slanted else 32), line(self.x.name, 56))
        self._text(left - 46, (low + high) / 2, line(self.y.name, 32), turned=90)

    @cached_property
    def _box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right and top in points, from the picture's lower left corner."""
        width, height = self.figure.get_figwidth() * 72, self.figure.get_figheight() * 72
        return self.left, self.bottom, width - self.right, height - self.top

    def _across(self, value: float) -> float:
        left, _, right, _ = self._box
        return left + self.x.share(value) * (right - left)

    def _up(self, value: float) -> float:
        _, low, _, high = self._box
        return low + self.y.share(value) * (high - low)

    def _at(self, x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
        return [(self._across(a), self._up(b)) for a, b in zip(x, y, strict=True)]

    def line(
        self,
        x: Sequence[float],
        y: Sequence[float],
        colour: str,
        width: float,
        dash: Dash = "-",
        label: str | None = None,
    ) -> None:
        """A curve; NaN leaves a gap."""
        look: Any = {"color": colour, "linewidth": width, "linestyle": dash, "solid_capstyle": "butt"}
        self._line(self._at(x, y), **look)
        if label is not None:
            self._named.append((label, lambda a, b: self._line([(a, b), (a + _SAMPLE, b)], **look)))

    def level(self, y: float, colour: str, width: float, dash: Dash, label: str | None = None) -> None:
        """A horizontal line from end to end."""
        self.line([self.x.low, self.x.high], [y, y], colour, width, dash, label)

    def steps(
        self, edges: Sequence[float], y: Sequence[float], colour: str, width: float, dash: Dash, label: str
    ) -> None:
        """The outline of a histogram."""
        sides = [edge for edge in edges for _ in range(2)]
        floor = self.y.low
        self.line(sides, [floor, *(max(v, floor) for v in y for _ in range(2)), floor], colour, width, dash, label)

    def marks(
        self,
        x: Sequence[float],
        y: Sequence[float],
        colour: str,
        marker: str,
        size: float,
        label: str | None = None,
        hollow: bool = False,
    ) -> None:
        """Single points."""
        look: Any = {
            "color": colour,
            "linestyle": "",
            "marker": marker,
            "markersize": size,
            "markerfacecolor": "none" if hollow else colour,
            "markeredgewidth": 2 if marker == "|" else 1.3,
        }
        self._line(self._at(x, y), **look)
        if label is not None:
            self._named.append((label, lambda a, b: self._line([(a + _SAMPLE / 2, b)], **look)))

    def bars(self, places: Sequence[float], y: Sequence[float], width: float, label: str, **look: Any) -> None:
        """Bars around their places, from the axis up."""
        for place, height in zip(places, y, strict=True):
            ends = [place - width / 2, place + width / 2]
            self._area(self._at([*ends, *ends[::-1]], [self.y.low] * 2 + [max(height, self.y.low)] * 2), **look)
        self._named.append(
            (
                label,
                lambda a, b: self._area([(a, b - 4), (a + _SAMPLE, b - 4), (a + _SAMPLE, b + 4), (a, b + 4)], **look),
            )
        )

    def area(self, x: Sequence[float], y: Sequence[float], colour: str) -> None:
        """What lies under a curve."""
        ends = [x[0], *x, x[-1]]
        self._area(self._at(ends, [self.y.low, *y, self.y.low]), zorder=_BEHIND, facecolor=colour)

    def band(self, low: float, high: float, colour: str) -> None:
        """A stretch of the x axis, from the bottom to the top."""
        self._area(
            self._at([low, high, high, low], [self.y.low] * 2 + [self.y.high] * 2), zorder=_BEHIND, facecolor=colour
        )

    def key(self, columns: int = 3) -> None:
        """The looks and their names in rows above the frame, columns first."""
        left, _, _, top = self._box
        rows = -(-len(self._named) // columns)
        for start in range(0, len(self._named), rows):
            column = self._named[start : start + rows]
            for row, (name, sample) in enumerate(column):
                middle = top + 3 + _ROW / 2 + _ROW * (rows - 1 - row)
                sample(left, middle)
                self._text(left + _SAMPLE + _GAP, middle - _DOWN, name, side="left")
            left += _SAMPLE + _GAP + max(text_width(name) for name, _ in column) + _COLUMN

    def _line(self, points: Sequence[tuple[float, float]], zorder: int = _FRONT, **look: Any) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.transforms import IdentityTransform

        x, y = zip(*points, strict=True) if points else ((), ())
        self.figure.add_artist(Line2D(x, y, transform=IdentityTransform(), zorder=zorder, **look), clip=False)

    def _area(self, points: Sequence[tuple[float, float]], zorder: int = _FRONT, **look: Any) -> None:
        from matplotlib.patches import Polygon
        from matplotlib.transforms import IdentityTransform

        shape = Polygon(points, closed=True, transform=IdentityTransform(), zorder=zorder, **({"linewidth": 0} | look))
        self.figure.add_artist(shape, clip=False)

    def _text(self, x: float, y: float, words: str, colour: str = INK, side: str = "center", turned: float = 0) -> None:
        if words:
            text = _plain_text()(
                x, y, words, color=colour, ha=side, rotation=turned, rotation_mode="anchor", zorder=_FRONT
            )
            self.figure.add_artist(text, clip=False)


@cache
def _plain_text() -> type[Text]:
    """matplotlib's text without its layout: one line, from its base, which SVG itself puts left, right or around."""
    from matplotlib.text import Text
    from matplotlib.transforms import IdentityTransform

    class Plain(Text):
        def draw(self, renderer: RendererBase) -> None:
            (x, y), height = self.get_position(), renderer.get_canvas_width_height()[1]
            pen = renderer.new_gc()
            pen.set_foreground(self.get_color())
            font, turned = self.get_fontproperties(), self.get_rotation()
            renderer.draw_text(pen, x, height - y, self.get_text(), font, turned, ismath=False, mtext=self)
            pen.restore()

        def get_transform(self) -> Transform:
            return IdentityTransform()

    return Plain


@lru_cache(1024)
def text_width(words: str) -> float:
    """Points that words take in matplotlib's own font, which is wider than most."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    return float(TextToPath().get_text_width_height_descent(words, FontProperties(size=FONT), ismath=False)[0])
