"""The two output distributions with the worst event shaded, atoms and ⊥ included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.results.result import AuditResult
from reports.pictures import style
from reports.pictures.binned import BinnedOutputs, binned_data, panels
from reports.pictures.panel import Scale
from reports.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RARE = 0.03  # an event with less than this share of the draws needs a logarithmic axis to be seen


@dataclass(frozen=True)
class OutputsPicture:
    """Both distributions, the worst event shaded."""

    binned: BinnedOutputs

    size = (style.WIDTH, style.HEIGHT)
    title = "Outputs on the two inputs"

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> OutputsPicture:
        """From stored data."""
        return cls(BinnedOutputs.read(data, "outputs"))

    @property
    def caption(self) -> str:
        """What is shaded."""
        return f"Shaded: {self.binned.event}" if self.binned.event else "Binned draws on the two inputs."

    @property
    def alt(self) -> str:
        """The picture in a sentence."""
        binned = self.binned
        bins = [f"{len(binned.left)} bins of {binned.score}"] if binned.edges else []
        atoms = [
            f"{atom.name}: {number(atom.left / binned.left_total, 3)} against"
            f" {number(atom.right / binned.right_total, 3)}"
            for atom in binned.atoms
        ]
        what = " and ".join(bins + (["single values " + ", ".join(atoms)] if atoms else []))
        where = f" Shaded: {binned.event}." if binned.event else ""
        return f"Distributions of the output on the left and the right input, {what}.{where}"

    def draw(self, figure: Figure) -> None:
        """Left solid, right dashed; atoms as pairs of bars, the right one hollow."""
        binned = self.binned
        log = 0 < binned.shaded() < _RARE
        widths = [b - a for a, b in binned.bins]
        densities = [
            [n / total / width for n, width in zip(counts, widths, strict=True)]
            for counts, total in ((binned.left, binned.left_total), (binned.right, binned.right_total))
        ]
        shares = [
            [atom.left / binned.left_total for atom in binned.atoms],
            [atom.right / binned.right_total for atom in binned.atoms],
        ]
        name = "" if binned.edges else "probability"
        bins, atoms = panels(figure, binned, _height("density", densities, log), _height(name, shares, log))
        if bins is not None:
            bins.steps(binned.edges, densities[0], style.LEFT, 1.6, "-", "left")
            bins.steps(binned.edges, densities[1], style.RIGHT, 1.6, "--", "right")
        if atoms is not None:
            places = range(len(binned.atoms))
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
    """Picture data of type "outputs" from the audit's binned; None where it kept none."""
    data = binned_data(result)
    return None if data is None else {"type": "outputs", **data}
