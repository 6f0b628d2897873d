"""Where a value is drawn: scales, ticks, gaps, and the key."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from matplotlib.scale import SymmetricalLogTransform

from reports.pictures.panel import Panel, Scale, limits
from reports.pictures.style import CLAIMED, EXACT, LEFT, settings
from reports.pictures.svg import compact

_SVG = "{http://www.w3.org/2000/svg}"


def panel(x: Scale | None = None, y: Scale | None = None) -> Panel:
    """200 by 100 points of axes with 50 points around them."""
    figure = Figure(figsize=(300 / 72, 200 / 72))
    return Panel(figure, x or Scale(0, 10, "x"), y or Scale(0, 1, "y"), left=50, right=50, bottom=50, top=50)


def drawn(one: Panel) -> ElementTree.Element:
    """The picture's elements; y runs downwards in SVG."""
    with settings():
        return ElementTree.fromstring(compact(one.figure, "alt"))


def paths(one: Panel, colour: str) -> list[str]:
    return [e.get("d", "") for e in drawn(one).iter(f"{_SVG}path") if e.get("stroke") == f"var(--{colour})"]


def test_scales_put_their_ends_at_the_ends() -> None:
    assert Scale(2, 4).share(3) == 0.5
    assert Scale(4, 2).share(3.5) == 0.25
    assert Scale(0.01, 100, log=True).share(1) == pytest.approx(0.5)
    assert math.isnan(Scale(0.01, 100, log=True).share(0))
    for value in (0, 0.05, 0.1, 1, 30):
        even = SymmetricalLogTransform(10, 0.1, 0.6).transform  # what matplotlib calls symlog
        low, at, high = (float(even(v)) for v in (-0.02, value, 40.0))
        assert Scale(-0.02, 40, linear=0.1).share(value) == pytest.approx((at - low) / (high - low))


def test_ticks_are_few_round_and_inside() -> None:
    assert Scale(0, 1).marks == [
        (0, "0"),
        (0.2, "0.2"),
        (0.4, "0.4"),
        (0.6000000000000001, "0.6"),
        (0.8, "0.8"),
        (1, "1"),
    ]
    assert [words for _, words in Scale(1e-4, 1, log=True).marks] == ["0.0001", "0.001", "0.01", "0.1", "1"]
    assert Scale(0, 9, ticks=((4, "four"),)).marks == [(4, "four")]


def test_limits_are_never_empty() -> None:
    for values in ([0.0], [5.0], [1.0, 3.0]):
        low, high = limits(values)
        assert low < min(values) <= max(values) < high
    assert limits([1.0, 100.0], 0, log=True) == (1, 100)


def test_a_line_goes_through_its_points_and_leaves_gaps() -> None:
    one = panel()
    one.line([0, 5, 7, 10], [0, 1, math.nan, 0.5], CLAIMED, 1)
    assert paths(one, "claimed") == ["M50 150L150 50M250 100"]


def test_steps_bars_and_bands_stand_on_the_axis_even_a_logarithmic_one() -> None:
    one = panel(y=Scale(0.01, 1, log=True))
    one.steps([0, 5, 10], [0.1, 0.0], CLAIMED, 1, "-", "left")
    assert paths(one, "claimed") == ["M50 150L50 100L150 100L150 150L250 150L250 150"]
    one = panel(y=Scale(0.01, 1, log=True))
    one.bars([5], [0.1], 2, "left", facecolor=LEFT)
    one.band(0, 5, LEFT)
    filled = [e.get("d") for e in drawn(one).iter(f"{_SVG}path") if e.get("fill") == "var(--left)"]
    assert filled == ["M50 150L150 150L150 50L50 50z", "M130 150L170 150L170 100L130 100z"]  # the band behind the bar


def test_the_key_names_what_is_labelled_without_overlap() -> None:
    one = panel()
    for place in range(4):
        one.line([0, 10], [0, place], EXACT, 1, label=f"a rather long name {place}")
    one.line([0, 10], [0, 0], EXACT, 1)
    one.key(2)
    places = {e.text: (float(e.get("x", 0)), float(e.get("y", 0))) for e in drawn(one).iter(f"{_SVG}text")}
    named = [places[f"a rather long name {place}"] for place in range(4)]
    assert named[0][0] == named[1][0] == 80
    assert named[2][0] == named[3][0] > 80 + 100
    assert named[0][1] == named[2][1] == named[1][1] - 16
    assert len(re.findall("a rather long name", " ".join(filter(None, places)))) == 4
