"""A table of labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from auditor.events.cells import Codes
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.score import Region, choice_of, holds, listed
from auditor.events.scores.table import Table

USUAL = "as usual"  # trees/tree.py: the label of an output in which nothing is unusual
_NOTE = re.compile(rf"{USUAL}$|[^ ;]+ (is \w+$|is \w+;|= .)|the keys of ")
_FEW_LABELS = 4  # for so many labels or fewer, a pass for each is faster than a dictionary of all


@dataclass(frozen=True)
class Labels(Table):
    """A table of labels; a label that is not in it has score 0."""

    kind: ClassVar[str] = "labels"

    table: tuple[tuple[str, float], ...]

    def cells(self, outputs: Outputs) -> Codes:
        """The index of each label in the table."""
        indices = _Indices({label: index for index, (label, _) in enumerate(self.table)})
        indices.unknown = len(self.table)
        return np.fromiter(map(indices.__getitem__, outputs.texts()), np.int64, len(outputs))

    def by_cell(self) -> Floats:
        """The score of each cell."""
        return np.array([*(value for _, value in self.table), 0.0])

    def rescored(self, scores: Floats) -> Self:
        """The same labels with other scores."""
        pairs = zip(self.table, scores.tolist(), strict=False)
        return replace(self, table=tuple((label, score) for (label, _), score in pairs))

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """Counts each label of the table once; the remaining labels are not in it."""
        texts = outputs.texts()
        few = len(self.table) <= _FEW_LABELS
        seen = {label: texts.count(label) for label, _ in self.table} if few else Counter(texts)
        known = [(score, seen[label]) for label, score in self.table]
        scored = [*known, (0.0, len(texts) - sum(n for _, n in known))]
        return tuple(
            sum(n for score, n in scored if region and holds(score, region.op, region.at)) for region in regions
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": self.kind, "table": [list(row) for row in self.table]}

    @classmethod
    def from_dict(cls, data: Any) -> Labels:
        """The table that `to_dict` described."""
        return cls(tuple((str(label), float(value)) for label, value in data["table"]))

    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region in words."""
        chosen = [label for label, value in self.table if holds(value, op, at)]
        if all(map(_NOTE.match, (label for label, _ in self.table))):  # what is unusual in a tree of parts
            notes = [label for label, _ in self.table if label != USUAL]
            return listed([_unusual(label, notes) for label in chosen])
        return f"the output is {choice_of([_label(label) for label in chosen])}"


def _unusual(label: str, notes: Sequence[str]) -> str:
    """What is unusual in an output; that a text is there follows from what it says.

    Where one thing alone is ever unusual, its absence says more than "usual".
    """
    if label == USUAL:
        part, equals, text = notes[0].partition(" = ") if len(notes) == 1 and "; " not in notes[0] else ("", "", "")
        return f"{part} is not {text}" if equals and "raised " not in text else "the output has its usual form"
    told = label.split("; ")
    said = {text.partition(" = ")[0] for text in told if " = " in text}
    told = [text for text in told if text.removesuffix(" is str") not in said]
    raised = re.fullmatch(r"x = 'raised (\w+)'", told[0])
    return f"it raises {raised[1]}" if raised and len(told) == 1 else " and ".join(told)


def _label(label: str) -> str:
    """A text as it stands; of anything else its form, in which each # is a number."""
    return f"of the form {label}" if "#" in label and label != "#" else repr(label) if label != "#" else "a number"


class _Indices(dict[str, int]):
    """The index of each label; a label that is not in the table has the index `unknown`."""

    unknown: int

    def __missing__(self, label: str) -> int:
        return self.unknown
