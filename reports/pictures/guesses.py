"""The guesses of an audit of one run: how many were right, beside how many the claim lets be right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.one_run import OneRunResult
from reports.pictures import style
from reports.pictures.fields import part, real, wrong
from reports.pictures.panel import Panel, Scale
from reports.words import count, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SPREAD = 4.5  # standard deviations of the binomial distribution that are drawn
_LARGEST_EPSILON = 700.0  # e^epsilon must still be a number
_BINS = 120  # most steps of the outline


@dataclass(frozen=True)
class GuessesPicture:
    """`correct` of `guesses` were right. Under epsilon-DP their number is at most binomial with e^eps / (1 + e^eps)."""

    guesses: int
    correct: int
    epsilon: float

    size = (style.WIDTH, style.HEIGHT)
    title = "Guesses that were right"

    def __post_init__(self) -> None:
        if not 0 <= self.correct <= self.guesses or not self.guesses:
            raise wrong("correct must be at most guesses, and guesses above 0", (self.correct, self.guesses))

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> GuessesPicture:
        """From stored data."""
        counts = {name: int(real(part(data, name, "guesses"), name, 0)) for name in ("guesses", "correct")}
        return cls(**counts, epsilon=real(part(data, "epsilon", "guesses"), "epsilon", 0.0, _LARGEST_EPSILON))

    @property
    def _share(self) -> float:
        """The share of right guesses that epsilon-DP allows (Steinke, Nasr and Jagielski 2023)."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def caption(self) -> str:
        """How to read it."""
        return (
            f"Dot: {count(self.correct)} of {count(self.guesses)} guesses were right. Shade: how many would be right"
            f" by luck if each were as good as ε = {number(self.epsilon)} allows, {number(100 * self._share, 3)} %"
            " (δ aside). A coin is right half of the time."
        )

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        return (
            f"{count(self.correct)} of {count(self.guesses)} guesses were right, {self._percent} %;"
            f" the claim allows {number(100 * self._share, 3)} % on average."
        )

    @property
    def _percent(self) -> str:
        return number(100 * self.correct / self.guesses, 3)

    def draw(self, figure: Figure) -> None:
        """The binomial distribution that the claim allows as a shaded outline, and what was seen as a dot."""
        import numpy as np
        from scipy.stats import binom

        mean, spread = self.guesses * self._share, math.sqrt(self.guesses * self._share * (1 - self._share))
        low = max(0, math.floor(mean - _SPREAD * spread - 1))
        high = min(self.guesses, math.ceil(mean + _SPREAD * spread + 1))
        step = max(1, (high - low) // _BINS)
        edges = [*range(low, high + 1, step), high + 1]
        mass = -np.diff(np.asarray(binom.sf(np.array(edges) - 1, self.guesses, self._share)))
        heights = [float(height) for height in mass / np.diff(edges)]
        ends = [edge - 0.5 for edge in edges]  # a count stands in the middle of its step
        half = self.guesses / 2
        first, last = min(low, self.correct, half), max(high, self.correct)
        margin = 0.04 * max(1.0, last - first)
        panel = Panel(
            figure,
            Scale(first - margin, last + margin, f"right of {count(self.guesses)} guesses"),
            Scale(0.0, 1.12 * max(heights), "probability"),
        )
        panel.area(
            [end for end in ends for _ in range(2)][1:-1], [h for h in heights for _ in range(2)], style.SHADE_RIGHT
        )
        panel.steps(ends, heights, style.CLAIMED, 1.4, "--", "by the claim")
        panel.line([half, half], [0.0, max(heights)], style.MUTED, 1.4, ":", "by a coin")
        panel.line([self.correct] * 2, [0.0, max(heights)], style.CERTIFIED, 1.8, label="seen")
        panel.marks([self.correct], [max(heights)], style.CERTIFIED, "o", 6)
        panel.key(3)


def guesses_data(result: OneRunResult) -> dict[str, Any] | None:
    """Picture data of type "guesses"; None where nothing was guessed or the claim is no epsilon."""
    claimed = result.claim.epsilon_at(result.delta)
    if not result.guesses or not 0 <= claimed <= _LARGEST_EPSILON:
        return None
    return {"type": "guesses", "guesses": result.guesses, "correct": result.correct, "epsilon": claimed}
