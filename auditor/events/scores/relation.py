"""A relation between parts of an output that holds modulo a small number: a parity, a check digit, an XOR of bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Score, listed
from auditor.events.words import title

Whole = npt.NDArray[np.int64]
_EXACT = 2.0**53  # whole numbers beyond it do not fit a double
_KINDS = ("number", "digit", "sign", "value", "mantissa")


@dataclass(frozen=True)
class Part:
    """One whole number that is read off a column.

    number     the column itself, where it is a whole number
    digit      its binary digit number `at`, from the lowest
    sign       1 where it is below 0
    value      1 where it is `at`; NaN stands for ⊥
    mantissa   binary digit number `at` of the floating-point number's mantissa: the bits view
    """

    kind: str
    column: int
    at: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS or self.column < 0:
            raise ValueError(f"a part must be one of {', '.join(_KINDS)} of a column, got {self.kind!r:.60}")

    def of(self, matrix: Floats) -> Whole:
        """The number of each row; 0 where there is none."""
        if self.column >= matrix.shape[1]:
            return np.zeros(len(matrix), dtype=np.int64)
        column = matrix[:, self.column]
        if self.kind == "sign":
            return (column < 0).astype(np.int64)
        if self.kind == "value":
            return (np.isnan(column) if math.isnan(self.at) else column == self.at).astype(np.int64)
        if self.kind == "mantissa":
            bits = np.ascontiguousarray(column).view(np.int64) >> int(self.at)
            return np.where(np.isfinite(column), bits & 1, 0)
        whole = whole_numbers(column)
        return whole if self.kind == "number" else (np.abs(whole) >> int(self.at)) & 1

    def words(self, names: Sequence[str]) -> str:
        """What the part is, as a phrase."""
        name = title(f"x[{self.column}]", names)
        if self.kind == "sign":
            return f"{name} < 0"
        if self.kind == "value":
            return f"{name} is ⊥" if math.isnan(self.at) else f"{name} = {self.at:g}"
        digit = "lowest binary digit" if self.at == 0 else f"binary digit {self.at:g}"
        whose = f"{digit} of the mantissa of" if self.kind == "mantissa" else f"{digit} of"
        return name if self.kind == "number" else f"the {whose} {name}"


def whole_numbers(columns: Floats) -> Whole:
    """Whole numbers that a double holds exactly; 0 in place of anything else."""
    with np.errstate(invalid="ignore"):
        fits = (np.abs(columns) <= _EXACT) & (np.floor(columns) == columns)
    return np.where(fits, columns, 0.0).astype(np.int64)


@dataclass(frozen=True)
class Relation(Score):
    """Whether a weighted sum of terms is a constant modulo a number; a term is a product of parts."""

    kind: ClassVar[str] = "relation"

    modulus: int
    terms: tuple[tuple[Part, ...], ...]
    weights: tuple[int, ...]
    constant: int

    def __post_init__(self) -> None:
        if self.modulus < 2 or len(self.terms) != len(self.weights) or not all(self.terms):
            raise ValueError("a relation must have a modulus of at least 2, and a weight for each of its terms")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output: 0 where the relation holds, 1 elsewhere."""
        total = np.full(len(outputs), -self.constant, dtype=np.int64)
        for term, weight in zip(self.terms, self.weights, strict=True):
            product = np.full(len(outputs), weight, dtype=np.int64)
            for part in term:
                product *= part.of(outputs.numbers) % self.modulus
            total += product % self.modulus
        return np.asarray(total % self.modulus != 0, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        terms = [[[p.kind, f"x[{p.column}]", None if math.isnan(p.at) else p.at] for p in term] for term in self.terms]
        sums = {"modulus": self.modulus, "weights": list(self.weights), "constant": self.constant}
        return {"kind": self.kind, "terms": terms, **sums}

    @classmethod
    def from_dict(cls, data: Any) -> Relation:
        """The relation that `to_dict` described."""
        terms = tuple(
            tuple(Part(str(k), int(c[2:-1]), math.nan if at is None else float(at)) for k, c, at in term)
            for term in data["terms"]
        )
        return cls(int(data["modulus"]), terms, tuple(map(int, data["weights"])), int(data["constant"]))

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region as a clause."""
        parts = [" and ".join(part.words(names) for part in term) for term in self.terms]
        if self.modulus == 2 and all(part.kind in ("sign", "value") for term in self.terms for part in term):
            number = "an even" if (op == "<=") == (self.constant == 0) else "an odd"
            return f"{number} number of these hold: {listed(parts, ', ')}"
        shown = [text if w == 1 else f"{w} times {text}" for w, text in zip(self.weights, parts, strict=True)]
        summed = shown[0] if len(shown) == 1 else f"the sum of {listed(shown, ', ')}"
        return f"{summed} modulo {self.modulus} {'is' if op == '<=' else 'is not'} {self.constant}"
