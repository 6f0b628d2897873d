"""Evidence over draws: how an audit came to its verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.fields import part, points, real, wrong
from reports.pictures.panel import Panel, Scale, limits
from reports.words import count, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_TELLING = 0.25  # evidence that never comes this share of the way to the line needs no picture


@dataclass(frozen=True)
class EvidencePicture:
    """[draws, log10 of the evidence] at each look, and the line that refutes: log10(1/alpha) or above."""

    points: tuple[tuple[float, float], ...]
    line: float

    size = (style.WIDTH, style.HEIGHT)
    title = "Evidence over draws"
    caption = (
        "Against the claim, from draws made after each event was chosen. If the claim holds, the dashed line"
        " is ever reached with probability at most the part of α spent here."
    )

    def __post_init__(self) -> None:
        if not self.points or min(draws for draws, _ in self.points) <= 0:
            raise wrong("points must be [draws, log10 of the evidence] with draws above 0", self.points)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> EvidencePicture:
        """From stored data."""
        values = points(part(data, "points", "evidence"), "points", -1e6, 1e6)
        return cls(values, real(part(data, "line", "evidence"), "line", 0.0, 1e6))

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        draws, last = self.points[-1]
        return (
            f"Evidence against the claim over {len(self.points)} looks: log10 {number(last)} after"
            f" {count(round(draws))} draws, against a line at {number(self.line)}."
        )

    def draw(self, figure: Figure) -> None:
        """A line that ends in a dot."""
        draws, values = zip(*self.points, strict=True)
        panel = Panel(
            figure,
            Scale(*limits(draws, log=True), "draws a side", log=True),
            Scale(*limits([*values, self.line, 0.0], 0.08), "log₁₀ evidence"),
        )
        panel.line(draws, values, style.CERTIFIED, 1.8, label="evidence")
        panel.marks(draws[-1:], values[-1:], style.CERTIFIED, "o", 5)
        panel.level(self.line, style.CLAIMED, 1.4, "--", "refutes")
        panel.key()


def evidence_data(result: AuditResult) -> dict[str, Any] | None:
    """Picture data of type "evidence", thinned to what the eye can see; None where there is little to see."""
    last = {draws: value for draws, value in result.evidence if math.isfinite(value) and draws > 0}
    looks = sorted(last.items())  # several pairs are looked at with the same number of draws
    if len(looks) < 2:
        return None
    refutes_at = result.sketch.get("refutes_at", -math.log10(result.alpha))
    if max(value for _, value in looks) < _TELLING * refutes_at:
        return None
    step = max(1, len(looks) // 80)
    kept = looks[:-1:step] + looks[-1:]
    return {"type": "evidence", "points": [list(look) for look in kept], "line": refutes_at}
