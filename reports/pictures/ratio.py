"""The probability ratio over events, with the claimed e^epsilon as a line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reports.pictures import style
from reports.pictures.binned import BinnedOutputs, panels
from reports.pictures.fields import part, real
from reports.pictures.panel import Panel, Scale
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LARGEST_EPSILON = 300.0  # e^epsilon must still be a number that an axis can show

Counts = list[tuple[float, float]]


@dataclass(frozen=True)
class RatioPicture:
    """P[left] / P[right] of every bin and atom."""

    binned: BinnedOutputs
    epsilon: float
    delta: float

    size = (style.WIDTH, style.HEIGHT)
    title = "Probability ratio over events"

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> RatioPicture:
        """From stored data."""
        epsilon = real(part(data, "epsilon", "ratio"), "epsilon", 0.0, _LARGEST_EPSILON)
        return cls(BinnedOutputs.read(data, "ratio"), epsilon, real(data.get("delta") or 0.0, "delta", 0.0, 1.0))

    @property
    def caption(self) -> str:
        """How to read it."""
        beside = f", beside δ = {number(self.delta)}" if self.delta else ""
        return (
            "Probability on the left input over that on the right one, with 95 % Clopper–Pearson intervals"
            " (not certified; triangles are off the scale). The claim allows what lies between the dashed"
            f" lines{beside}."
        )

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        ratios = self._ratios()
        allowed = f"{number(math.exp(-self.epsilon))} to {number(math.exp(self.epsilon))}"
        return (
            f"Probability ratio of left to right over {len(ratios)} events: observed from"
            f" {number(min(ratios))} to {number(max(ratios))}; the claim allows {allowed}."
        )

    @property
    def _scale(self) -> float:
        return self.binned.right_total / self.binned.left_total

    def _ratios(self) -> list[float]:
        atoms = [(atom.left, atom.right) for atom in self.binned.atoms]
        counts = [*zip(self.binned.left, self.binned.right, strict=True), *atoms]
        return [self._scale * a / b if b else math.inf for a, b in counts if a or b]

    def draw(self, figure: Figure) -> None:
        """A dash for each bin and atom, its interval as a thin line."""
        binned = self.binned
        seen = [abs(math.log(ratio)) for ratio in self._ratios() if 0 < ratio < math.inf]
        reach = min(1.25 * max([self.epsilon, 0.2, *seen]), max(2.5 * self.epsilon, 3.0) + 1.0)
        y = Scale(math.exp(-reach), math.exp(reach), "ratio left / right", log=True, ticks=_ticks(reach))
        bins, atoms = panels(figure, binned, y, replace(y, name="") if binned.edges else y)
        if bins is not None:
            counts = list(zip(binned.left, binned.right, strict=True))
            self._mark(bins, [((a + b) / 2, (b - a) / 2) for a, b in binned.bins], counts)
        if atoms is not None:
            counts = [(atom.left, atom.right) for atom in binned.atoms]
            self._mark(atoms, [(float(place), 0.3) for place in range(len(counts))], counts)
        first = bins or atoms
        if first is not None:
            first.key()

    def _mark(self, panel: Panel, places: list[tuple[float, float]], counts: Counts) -> None:
        """All dashes in one path, all intervals in another."""
        top, gap = panel.y.high, math.nan
        dashes: tuple[list[float], list[float]] = ([], [])
        beyond: dict[bool, list[float]] = {True: [], False: []}
        intervals: tuple[list[float], list[float]] = ([], [])
        for (middle, half), (left, right) in zip(places, counts, strict=True):
            if left or right:
                low, ratio, high = (min(max(value, 1 / top), top) for value in self.interval(left, right))
                intervals[0].extend((middle, middle, gap))
                intervals[1].extend((low, high, gap))
                if 1 / top < ratio < top:
                    dashes[0].extend((middle - half, middle + half, gap))
                    dashes[1].extend((ratio, ratio, gap))
                else:
                    beyond[ratio == top].append(middle)
        for high, marker in ((True, "^"), (False, "v")):
            edge = [top if high else 1 / top] * len(beyond[high])
            panel.marks(beyond[high], edge, style.CERTIFIED, marker, 6)
        panel.line(*intervals, style.MUTED, 0.9)
        panel.line(*dashes, style.CERTIFIED, 2.2, label="observed")
        panel.level(math.exp(self.epsilon), style.CLAIMED, 1.4, "--", "claimed e^ε and e^−ε")
        panel.level(math.exp(-self.epsilon), style.CLAIMED, 1.4, "--")

    def interval(self, left: float, right: float) -> tuple[float, float, float]:
        """Low, observed and high ratio: given left + right, left is binomial with the odds ratio / scale."""
        from auditor.certify.proportions import interval

        low, high = (float(bound) for bound in interval(left, left + right, 0.05))
        odds = [math.inf if share >= 1 else share / (1 - share) * self._scale for share in (low, high)]
        return odds[0], self._scale * left / right if right else math.inf, odds[1]


def _ticks(reach: float) -> tuple[tuple[float, str], ...]:
    """1 and a few round ratios on both sides of it."""
    steps = (2.0, 3.0, 10.0, 100.0, 1e4, 1e8, 1e16, 1e32, 1e64)
    step = next((step for step in steps if reach <= 3 * math.log(step)), 1e128)
    most = int(reach / math.log(step))
    ticks = [step**power for power in range(-most, most + 1)]
    return tuple((tick, f"1/{number(1 / tick)}" if tick < 1 else number(tick)) for tick in ticks)
