"""The privacy profile: delta over epsilon, claimed, exact and certified in one plot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.pictures import profile_picture
from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.fields import part, points, wrong
from reports.pictures.panel import Panel, Scale, limits
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = tuple[tuple[float, float], ...]

LAST_ROUND = "last round"  # of Witness.phase: the event and the number of draws were fixed beforehand


@dataclass(frozen=True)
class ProfilePicture:
    """Curves of [epsilon, delta]: what was claimed, what is exactly true, what is certified from below."""

    claimed: Curve
    exact: Curve | None = None
    certified: Curve | None = None
    point: tuple[float, float] | None = None

    size = (style.WIDTH, style.HEIGHT)
    title = "Privacy profile"

    def __post_init__(self) -> None:
        if not self.claimed:
            raise wrong("claimed curve must have at least one point", self.claimed)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> ProfilePicture:
        """From stored data; a missing curve is null."""
        curves = {
            name: points(data[name], name, 0.0, 1.0) if data.get(name) is not None else None
            for name in ("exact", "certified")
        }
        point = None if data.get("point") is None else points([data["point"]], "point", 0.0, 1.0)[0]
        return cls(points(part(data, "claimed", "profile"), "claimed", 0.0, 1.0), point=point, **curves)

    @property
    def caption(self) -> str:
        """How to read it."""
        words = "How much δ is left at each ε."
        if self.point:
            words += " Dot: the certified ε; the true curve passes to its right."
        if self.certified:
            words += (
                " Shade: certified by one-sided Clopper–Pearson bounds at α/2 each; the true curve lies"
                " above it, for all ε at once."
            )
        return words

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        parts = [
            f"{name} from delta {number(curve[0][1])} at epsilon {number(curve[0][0])}"
            f" to {number(curve[-1][1])} at {number(curve[-1][0])}"
            for name, curve in self._curves()
        ]
        return "Privacy profile, delta over epsilon: " + "; ".join(parts) + "."

    def _curves(self) -> list[tuple[str, Curve]]:
        named = (("claimed", self.claimed), ("exact", self.exact), ("certified", self.certified))
        return [(name, curve) for name, curve in named if curve]

    def draw(self, figure: Figure) -> None:
        """Claimed dashed, exact solid, certified as the top of a shaded area."""
        curves = self._curves()
        across = [epsilon for _, curve in curves for epsilon, _ in curve] + ([self.point[0]] if self.point else [])
        deltas = [delta for _, curve in curves for _, delta in curve]
        least = min(delta for _, delta in self.claimed)
        floor = least / 20 if 0 < least < 0.01 else 0.0  # a small delta needs a logarithmic axis
        top = 1.0 if floor else max(max(deltas) * 1.08, 1e-9)
        panel = Panel(figure, Scale(*limits(across, 0), "ε"), Scale(floor, top, "δ", log=floor > 0))
        looks: dict[str, tuple[str, float, str]] = {
            "claimed": (style.CLAIMED, 1.6, "--"),
            "exact": (style.EXACT, 2.0, "-"),
            "certified": (style.CERTIFIED, 1.4, "-."),
        }
        for name, curve in curves:
            x, y = zip(*[(epsilon, delta) for epsilon, delta in curve if delta >= floor], strict=True)
            if name == "certified":
                panel.area(x, y, style.SHADE)
            panel.line(x, y, *looks[name], name)
        if self.point:
            words = None if self.certified else "certified"
            panel.marks([self.point[0]], [max(self.point[1], floor)], style.CERTIFIED, "o", 6, words)
        panel.key()


def profile_data(result: AuditResult, stored: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Picture data of type "profile": the stored curves or the claim alone, and what the audit certifies."""
    data = dict(stored or profile_picture(result.claim, result=result))
    grid = [epsilon for epsilon, _ in ProfilePicture.read(data).claimed]
    return data | {"certified": certified_curve(result, grid), "point": certified_point(result)}


def certified_point(result: AuditResult) -> list[float] | None:
    """[certified epsilon, delta]: the mechanism is not (epsilon, delta)-DP for any smaller epsilon."""
    finite = 0 < result.epsilon_lower < 100
    return [result.epsilon_lower, result.delta] if finite else None


def certified_curve(result: AuditResult, grid: list[float]) -> list[list[float]] | None:
    """delta(e) >= p_low - e^e q_high, for all e at once; None where the witness's counts certify nothing."""
    bounds = event_bounds(result).values()
    if not bounds:
        return None
    curve = [
        [epsilon, max(0.0, *(low - math.exp(min(epsilon, 700.0)) * high for low, high in bounds))] for epsilon in grid
    ]
    return curve if any(delta > 0 for _, delta in curve) else None


def event_bounds(result: AuditResult) -> dict[str, tuple[float, float]]:
    """For each side that the witness's event guesses: its probability there at least, and on the other side at most.

    One-sided Clopper–Pearson bounds, at alpha/2 each for one direction and alpha/4 each for two (a union bound), so
    all of them hold together with probability at least 1 - alpha. That needs a number of draws fixed in advance: only
    the last round has it, an audit that stopped early has not.
    """
    if result.witness.phase != LAST_ROUND:
        return {}
    from auditor.certify.proportions import lower, upper

    counts, direction = result.witness.counts, result.witness.direction
    sides = {
        "left": (counts.left_guessed_left, counts.left_trials, counts.right_guessed_left, counts.right_trials),
        "right": (counts.right_guessed_right, counts.right_trials, counts.left_guessed_right, counts.left_trials),
    }
    guessed = {side: row for side, row in sides.items() if direction in (side, "both")}
    share = result.alpha / (2 * len(guessed)) if guessed else 0.0
    return {
        side: (float(lower(hits, trials, share)), float(upper(misses, other, share)))
        for side, (hits, trials, misses, other) in guessed.items()
    }
