"""The two output distributions with the worst event shaded, atoms and ⊥ included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.panel import Scale
from reports.pictures.sketch import Sketch, panels, sketch_data
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RARE = 0.03  # an event with less than this share of the draws needs a logarithmic axis to be seen


@dataclass(frozen=True)
class OutputsPicture:
    """Both distributions, the worst event shaded."""

    sketch: Sketch

    size = (style.WIDTH, style.HEIGHT)
    title = "Outputs on the two inputs"

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> OutputsPicture:
        """From stored data."""
        return cls(Sketch.read(data, "outputs"))

    @property
    def caption(self) -> str:
        """What is shaded."""
        return f"Shaded: {self.sketch.event}" if self.sketch.event else "Binned draws on the two inputs."

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        sketch = self.sketch
        bins = [f"{len(sketch.left)} bins of {sketch.score}"] if sketch.edges else []
        atoms = [
            f"{atom.name}: {number(atom.left / sketch.left_total, 3)} against"
            f" {number(atom.right / sketch.right_total, 3)}"
            for atom in sketch.atoms
        ]
        what = " and ".join(bins + (["single values " + ", ".join(atoms)] if atoms else []))
        where = f" Shaded: {sketch.event}." if sketch.event else ""
        return f"Distributions of the output on the left and the right input, {what}.{where}"

    def draw(self, figure: Figure) -> None:
        """Left solid, right dashed; atoms as pairs of bars, the right one hollow."""
        sketch = self.sketch
        log = 0 < sketch.shaded() < _RARE
        widths = [b - a for a, b in sketch.bins]
        densities = [
            [n / total / width for n, width in zip(counts, widths, strict=True)]
            for counts, total in ((sketch.left, sketch.left_total), (sketch.right, sketch.right_total))
        ]
        shares = [
            [atom.left / sketch.left_total for atom in sketch.atoms],
            [atom.right / sketch.right_total for atom in sketch.atoms],
        ]
        name = "" if sketch.edges else "probability"
        bins, atoms = panels(figure, sketch, _height("density", densities, log), _height(name, shares, log))
        if bins is not None:
            bins.steps(sketch.edges, densities[0], style.LEFT, 1.6, "-", "left")
            bins.steps(sketch.edges, densities[1], style.RIGHT, 1.6, "--", "right")
        if atoms is not None:
            places = range(len(sketch.atoms))
            hollow: Any = {"fill": False, "edgecolor": style.RIGHT, "linewidth": 1.6}
            atoms.bars([x - 0.2 for x in places], shares[0], 0.36, "left", facecolor=style.LEFT)
            atoms.bars([x + 0.2 for x in places], shares[1], 0.36, "right", **hollow)
        first = bins or atoms
        if first is not None:
            first.key()


def _height(name: str, heights: list[list[float]], log: bool) -> Scale:
    positive = [height for side in heights for height in side if height > 0] or [1.0]
    if log:
        return Scale(min(positive) / 2, max(positive) * 2, f"{name}, log scale" if name else "", log=True)
    return Scale(0.0, max(positive) * 1.1, name)


def outputs_data(result: AuditResult) -> dict[str, Any] | None:
    """Picture data of type "outputs" from the audit's sketch; None where it kept none."""
    data = sketch_data(result)
    return None if data is None else {"type": "outputs", **data}
