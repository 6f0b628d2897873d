"""One look for all pictures: sizes and ink. Colours are names that the page's style sheet resolves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

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
}


@contextmanager
def settings() -> Iterator[None]:
    """Draws in this style whatever the user's own matplotlib settings are."""
    import warnings

    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        current: Any = matplotlib.rcParams
        dict.update(current, _settings())  # as rc_context itself does: these were checked when they were made
        yield


@cache
def _settings() -> dict[str, Any]:
    """matplotlib's defaults and what is different here."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        return {name: value for name, value in dict.items(matplotlib.rcParams) if name != "backend"}
