"""The trade-off: how well the best test can tell the two inputs apart, claimed, exact and certified."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.fields import part, points, wrong
from reports.pictures.panel import Panel, Scale
from reports.pictures.profile import Curve, event_bounds, profile_data
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = 20  # points of a curve on each side of its middle, closer together towards the ends


@dataclass(frozen=True)
class TradeoffPicture:
    """Curves of [false positives, true positives]; `seen` are the event's shares in the draws."""

    claimed: Curve
    exact: Curve | None = None
    certified: Curve | None = None
    seen: Curve = ()

    size = (style.WIDTH, style.HEIGHT)
    title = "What a guess can achieve"

    def __post_init__(self) -> None:
        if not self._curves():
            raise wrong("claimed curve must have at least one point", self.claimed)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> TradeoffPicture:
        """From stored data; a missing curve is null."""
        curves = {
            name: points(data[name], name, 0.0, 1.0) if data.get(name) is not None else None
            for name in ("exact", "certified")
        }
        seen = points(data.get("seen") or [], "seen", 0.0, 1.0)
        return cls(points(part(data, "claimed", "tradeoff"), "claimed", 0.0, 1.0), seen=seen, **curves)

    @property
    def caption(self) -> str:
        """How to read it."""
        words = "The claim keeps every guess of the input below the dashed line; chance is the diagonal."
        if not self.claimed:
            words = "Chance is the diagonal."
        if self.seen:
            words += " Dots: the event in the draws."
        return words + (" Shade: certified; the best guess lies above it." if self.certified else "")

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        said = [
            f"{name} reaches {number(max(tpr - fpr for fpr, tpr in curve), 3)} more true than false positives"
            for name, curve in self._curves()
        ]
        said += [f"the event was seen at {number(tpr, 3)} against {number(fpr, 3)}" for fpr, tpr in self.seen]
        return "Trade-off, true over false positives of a guess: " + "; ".join(said) + "."

    def _curves(self) -> list[tuple[str, Curve]]:
        named = (("claimed", self.claimed), ("exact", self.exact), ("certified", self.certified))
        return [(name, curve) for name, curve in named if curve]

    def draw(self, figure: Figure) -> None:
        """Claimed dashed, exact solid, certified as the top of a shaded area, the event as dots."""
        panel = Panel(figure, Scale(0.0, 1.0, "false positives"), Scale(0.0, 1.02, "true positives"))
        panel.line((0, 1), (0, 1), style.GRID, 1.0)
        looks: dict[str, tuple[str, float, str]] = {
            "claimed": (style.CLAIMED, 1.6, "--"),
            "exact": (style.EXACT, 2.0, "-"),
            "certified": (style.CERTIFIED, 1.4, "-."),
        }
        for name, curve in self._curves():
            x, y = zip(*curve, strict=True)
            if name == "certified":
                panel.area(x, y, style.SHADE)
            panel.line(x, y, *looks[name], name)
        if self.seen:
            x, y = zip(*self.seen, strict=True)
            panel.marks(x, y, style.CERTIFIED, "o", 6, "seen")
        panel.key(4)


def tradeoff_data(result: AuditResult, stored: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Picture data of type "tradeoff": what claim and exact profile allow, and what the witness's counts show."""
    profile = profile_data(result, stored)
    c, direction = result.witness.counts, result.witness.direction
    seen = []
    if direction in ("left", "both") and c.left_trials and c.right_trials:
        seen.append([c.right_guessed_left / c.right_trials, c.left_guessed_left / c.left_trials])
    if direction in ("right", "both") and c.left_trials and c.right_trials:
        seen.append([1 - c.right_guessed_right / c.right_trials, 1 - c.left_guessed_right / c.left_trials])
    return {
        "type": "tradeoff",
        "claimed": best_test(profile["claimed"]),
        "exact": None if profile["exact"] is None else best_test(profile["exact"]),
        "certified": certified_test(result),
        "seen": seen,
    }


def best_test(profile: Sequence[Sequence[float]]) -> list[list[float]]:
    """The most true positives at each rate of false positives that a profile of [epsilon, delta] allows.

    tpr <= delta + e^epsilon fpr and, with the two inputs exchanged, tpr <= 1 - e^-epsilon (1 - delta - fpr), for each
    point (002 Def 5.1 for an event and for its complement).
    """
    lines = [(float(delta), math.exp(min(float(epsilon), 700.0))) for epsilon, delta in profile]
    near = [0.5 * (step / _STEPS) ** 2 for step in range(_STEPS + 1)]
    bends = [(1 - delta) / (1 + slope) for delta, slope in lines[-1:]]  # where the last point's two bounds meet
    grid = sorted({*near, *(1 - x for x in near), *bends})
    return [[x, min(1.0, *(min(d + s * x, 1 - (1 - d - x) / s) for d, s in lines))] for x in grid]


def certified_test(result: AuditResult) -> list[list[float]] | None:
    """The hull of what the witness's counts certify of its event; None where they certify nothing."""
    bounds = event_bounds(result)
    hull = [(0.0, 0.0), (1.0, 1.0)]
    for side, (low, high) in bounds.items():
        hull.append((high, low) if side == "left" else (1 - low, 1 - high))
    kept = sorted(point for point in hull if point[1] >= point[0])
    return [list(point) for point in kept] if any(y > x for x, y in kept) else None
