"""One look for all pictures: sizes, ink, axes. Colours are names that the page's style sheet resolves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.words import line, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Each colour stands for a CSS variable of the same name (see svg.py), so that pictures follow light and dark.
# Every line also differs in its dashes or its width: grey print loses nothing.
INK = "#1b2430"
MUTED = "#566070"
GRID = "#dde2e8"
CLAIMED = "#b4530a"
EXACT = "#1b2431"
CERTIFIED = "#1c4fd6"
LEFT = "#1c4fd7"
RIGHT = "#b4530b"
SHADE = "#e3ebfc"
SHADE_RIGHT = "#fbe9da"
COLOURS = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    CLAIMED: "claimed",
    EXACT: "exact",
    CERTIFIED: "certified",
    LEFT: "left",
    RIGHT: "right",
    SHADE: "shade-left",
    SHADE_RIGHT: "shade-right",
}

WIDTH, HEIGHT = 380, 250  # points; the page scales them to the column
FONT = 11

_SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text: small, searchable, in the page's font
    "svg.hashsalt": "dp-audit",  # the same picture gets the same ids
    "text.parse_math": False,  # labels are foreign text, not formulas
    "text.color": INK,
    "font.size": FONT,
    "legend.frameon": False,
    "legend.fontsize": FONT,
    "legend.handlelength": 2.2,
    "legend.columnspacing": 1.4,
    "legend.borderaxespad": 0.1,
    "legend.borderpad": 0.1,
    "legend.handletextpad": 0.5,
    "hatch.linewidth": 0.8,
}


@contextmanager
def settings() -> Iterator[None]:
    """Draws in this style whatever the user's own matplotlib settings are."""
    import warnings

    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def axes(figure: Figure, left: float = 56, right: float = 18, bottom: float = 42, top: float = 30) -> Axes:
    """Bare axes with margins in points: text never depends on a layout engine. `frame` adds the rest."""
    width, height = figure.get_figwidth() * 72, figure.get_figheight() * 72
    place = (left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height)
    drawn = figure.add_axes(place)
    drawn.set_axis_off()
    return drawn


def key(drawn: Axes, columns: int = 3) -> None:
    """The key in a row above the axes."""
    drawn.legend(loc="lower left", bbox_to_anchor=(0.0, 1 + 3 / _points(drawn)[1]), ncols=columns)


def _points(drawn: Axes) -> tuple[float, float]:
    """Width and height of the axes in points."""
    figure = drawn.get_figure(root=True)
    assert figure is not None
    box = drawn.get_position()
    return box.width * figure.get_figwidth() * 72, box.height * figure.get_figheight() * 72


def limits(values: Sequence[float], margin: float = 0.05, log: bool = False) -> tuple[float, float]:
    """Axis limits around the values, never empty."""
    low, high = min(values), max(values)
    if log:
        spread = (high / low) ** margin if high > low else 1.5
        return low / spread, high * spread
    spread = (high - low) * margin if high > low else max(abs(high) * 0.1, 0.1)
    return low - spread, high + spread


@dataclass(frozen=True)
class Scale:
    """An axis: its limits, its name, and where its ticks stand (computed where not given)."""

    low: float
    high: float
    name: str = ""
    log: bool = False
    ticks: tuple[tuple[float, str], ...] | None = None
    most: int = 5
    slanted: bool = False
    grid: bool = True

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
        inside = [float(value) for value in values if self.low <= value <= self.high * (1 + 1e-12)]
        return [(value, number(0.0 if abs(value) < 1e-15 else value)) for value in inside]


def frame(drawn: Axes, x: Scale, y: Scale) -> None:
    """Limits, grid, frame, ticks and names, in as few paths as possible.

    matplotlib's own ticks would take most of the time and half of the bytes.
    """
    if x.log:
        drawn.set_xscale("log")
    if y.log:
        drawn.set_yscale("log")
    drawn.set_xlim(x.low, x.high)
    drawn.set_ylim(y.low, y.high)
    wide, high = _points(drawn)
    below, beside = drawn.get_xaxis_transform(), drawn.get_yaxis_transform()
    _rules(drawn, [place for place, _ in x.marks()] if x.grid else [], below, upright=True)
    _rules(drawn, [place for place, _ in y.marks()] if y.grid else [], beside, upright=False)
    drawn.plot([0, 0, 1], [1, 0, 0], transform=drawn.transAxes, color=MUTED, linewidth=0.8, clip_on=False)
    for place, words in x.marks():
        turned: Any = {"rotation": 35, "ha": "right"} if x.slanted else {"ha": "center"}
        drawn.text(place, -5 / high, words, transform=below, va="top", color=MUTED, **turned)
    for place, words in y.marks():
        drawn.text(-5 / wide, place, words, transform=beside, ha="right", va="center", color=MUTED)
    drawn.text(0.5, -22 / high, line(x.name, 56), transform=drawn.transAxes, ha="center", va="top")
    drawn.text(-46 / wide, 0.5, line(y.name, 32), transform=drawn.transAxes, ha="center", va="center", rotation=90)


def _rules(drawn: Axes, places: list[float], transform: Any, upright: bool) -> None:
    along = [value for place in places for value in (place, place, math.nan)]
    across = [0.0, 1.0, math.nan] * len(places)
    x, y = (along, across) if upright else (across, along)
    drawn.plot(x, y, transform=transform, color=GRID, linewidth=0.8, zorder=0.6, scalex=False, scaley=False)
