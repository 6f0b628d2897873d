"""Outputs that were seen on one side alone: a union of ranges of features and of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Mask, Score, choice_of, listed, stored
from auditor.events.words import feature_words, within

LEFT, RIGHT = 1, -1  # the score of an output that only the left, or only the right, dataset gave so far


@dataclass(frozen=True)
class Stretch:
    """The outputs whose feature is at least `low` and at most `high`; both are None for those that have no number."""

    feature: str
    low: float | None
    high: float | None
    side: int

    def __post_init__(self) -> None:
        features.checked_feature(self.feature)
        both = self.low is not None and self.high is not None and self.low <= self.high
        if self.side not in (LEFT, RIGHT) or not (both or self.low is self.high is None):
            raise ValueError(f"a stretch must have a side and two ends in order, got {self}")

    def holds(self, column: Floats) -> Mask:
        """Which numbers of the feature lie in the stretch."""
        if self.low is None or self.high is None:
            return np.isnan(column)
        return np.asarray((column >= self.low) & (column <= self.high))

    def words(self, names: Sequence[str]) -> str:
        """The stretch as a clause."""
        if self.low is None or self.high is None:
            return f"{feature_words(self.feature, names)} is ⊥ (no number)"
        return within(self.feature, self.low, math.nextafter(self.high, math.inf), names)


@dataclass(frozen=True)
class Lone(Score):
    """1 for an output that was seen on the left alone, -1 for one that was seen on the right alone, 0 for others."""

    kind: ClassVar[str] = "lone"

    stretches: tuple[Stretch, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if not self.stretches and not self.labels:
            raise ValueError("a score of lone outputs must have at least one stretch or label, got none")

    def of(self, outputs: Outputs) -> Floats:
        """The score of each output."""
        total = np.zeros(len(outputs))
        columns: dict[str, Floats] = {}
        for stretch in self.stretches:
            if stretch.feature not in columns:
                columns[stretch.feature] = features.column_of(outputs, stretch.feature)
            total += stretch.side * stretch.holds(columns[stretch.feature])
        if self.labels and outputs.labels is not None:
            known = dict(self.labels)
            total += np.fromiter((known.get(text, 0) for text in outputs.texts()), np.float64, len(outputs))
        return np.sign(total)

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region as a clause."""
        side = LEFT if op == ">=" else RIGHT
        clauses = [stretch.words(names) for stretch in self.stretches if stretch.side == side]
        chosen = [repr(label) for label, of in self.labels if of == side]
        return listed([*clauses, *([f"the output is {choice_of(chosen)}"] if chosen else [])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        rows = [
            [one.feature, *(None if end is None else stored(end) for end in (one.low, one.high)), one.side]
            for one in self.stretches
        ]
        return {"kind": self.kind, "stretches": rows, "labels": [list(row) for row in self.labels]}

    @classmethod
    def from_dict(cls, data: Any) -> Lone:
        """The score that `to_dict` described."""
        stretches = tuple(
            Stretch(feature, _end(low), _end(high), int(side)) for feature, low, high, side in data["stretches"]
        )
        return cls(stretches, tuple((str(label), int(side)) for label, side in data["labels"]))


def _end(number: float | str | None) -> float | None:
    return None if number is None else float(number)
