"""What noise was added, and what privacy a shift of the outputs under it has. Textbook formulas; no part of a proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.diagnosis.recorder import Call
from auditor.diagnosis.structure import Affine, parameter, source

_CLOSE = 1e-6
_FAMILIES = {
    "laplace": "Laplace",
    "uniform": "uniform",
    "random": "uniform",
    "exponential": "exponential",
    "standard_exponential": "exponential",
}
_SIGNED = {"exponential": "Laplace"}


@dataclass(frozen=True)
class Noise:
    """The law of the noise on one number of the output."""

    family: str
    scale: float

    def __str__(self) -> str:
        words = {
            "Laplace": "Laplace with scale {:.6g}",
            "Gaussian": "Gaussian with standard deviation {:.6g}",
            "uniform": "uniform of width {:.6g}",
            "two-sided geometric": "two-sided geometric with epsilon {:.6g} for each unit",
            "exponential": "exponential with scale {:.6g}",
        }
        return words[self.family].format(1 / self.scale if self.family == "two-sided geometric" else self.scale)

    def same(self, other: Noise) -> bool:
        """Whether both are the same law."""
        return self.family == other.family and math.isclose(self.scale, other.scale, rel_tol=_CLOSE)


def law(affine: Affine, calls: Sequence[Call]) -> Noise | None:
    """The law of value + noise; None where it is none of those with a name."""
    terms = [(*source(calls, index), factor) for index, factor in affine.terms]
    pieces = [(call.method, _scale(call, place), factor) for call, place, factor in terms]
    kinds = {method for method, _, _ in pieces}
    if kinds and kinds <= {"normal", "standard_normal"}:
        return Noise("Gaussian", math.hypot(*(factor * scale for _, scale, factor in pieces)))
    if len(pieces) == 1:
        (method, scale, factor), *_ = pieces
        family = _FAMILIES.get(method, "")
        width = abs(factor) * scale
        if affine.signed:  # exponential with a random sign is Laplace (003 Lap(b)); uniform is twice as wide
            family, width = _SIGNED.get(family, family), 2 * width if family == "uniform" else width
        return Noise(family, width) if family else None
    return _difference(pieces)


def _difference(pieces: Sequence[tuple[str, float, float]]) -> Noise | None:
    """The difference of two exponentials is Laplace, of two geometrics two-sided geometric."""
    if len(pieces) != 2:
        return None
    (first, a, up), (second, b, down) = pieces
    if not math.isclose(up * a, -down * b, rel_tol=_CLOSE) or not math.isclose(up, -down, rel_tol=_CLOSE):
        return None
    if {first, second} <= {"exponential", "standard_exponential"}:
        return Noise("Laplace", abs(up) * a)
    if first == second == "geometric":
        return Noise("two-sided geometric", abs(up) * a)
    return None


def _scale(call: Call, place: int) -> float:
    match call.method:
        case "laplace" | "normal" | "exponential":
            return parameter(call, "scale", place)
        case "uniform":
            return parameter(call, "high", place) - parameter(call, "low", place)
        case "geometric":  # P[k] is proportional to (1 - p)^k = e^(-k / scale)
            p = parameter(call, "p", place)
            return -1 / math.log1p(-p) if 0 < p < 1 else math.nan
    return 1.0


@dataclass(frozen=True)
class Loss:
    """What the shift of all numbers of an output alone costs: epsilon, mu of Gaussian DP, or delta."""

    kind: str
    size: float


def loss(shifts: Sequence[float], laws: Sequence[Noise]) -> Loss | None:
    """The loss of independent noise on each number of the output; None where the families differ.

    Laplace and geometric losses add up (001 Thm 3.2 with the l1 norm), Gaussian ones in squares (002 Thm 5.18 with
    mu = Delta / sigma). Uniform noise of width w moved by s: with probability s / w an output that is impossible on
    the other side.
    """
    families = {noise.family for noise in laws}
    parts = [abs(shift) / noise.scale for shift, noise in zip(shifts, laws, strict=True)]
    if families in ({"Laplace"}, {"two-sided geometric"}):
        return Loss("epsilon", sum(parts))
    if families == {"Gaussian"}:
        return Loss("mu", math.hypot(*parts))
    if families == {"uniform"}:
        return Loss("delta", 1 - math.prod(max(0.0, 1 - part) for part in parts))
    if families == {"exponential"}:
        return Loss("epsilon", math.inf)
    return None
