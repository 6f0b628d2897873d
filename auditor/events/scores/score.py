"""A score is a number for each output; a region is where it is at most, or at least, something.

What the rest of the auditor must know of a kind of score stands on its class: how its regions read in words, in which
cells draws are counted, on which axis it is drawn, how it becomes plain data and back. A new kind of score is one
class, in any file that is imported before a stored event of its kind is read.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs

if TYPE_CHECKING:
    from auditor.events.histograms import ScoreHistogram

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Region:
    """Where a score is <= or >= a number."""

    op: str
    at: float

    def __post_init__(self) -> None:
        if self.op not in ("<=", ">=") or math.isnan(self.at):
            raise ValueError(f"a region must be <= or >= a number, got {self.op!r} {self.at!r}")

    def holds(self, scores: Floats) -> Mask:
        """Which scores lie in the region; NaN never does."""
        return scores <= self.at if self.op == "<=" else scores >= self.at


class Score(ABC):
    """A number for each output. `kind` is its name in stored events."""

    kind: ClassVar[str]
    improves: ClassVar[bool] = False  # more counted draws make the score itself better, so it is always kept
    slow: ClassVar[bool] = False  # so slow to evaluate that it is kept only where no other score may do as well
    predicts: ClassVar[bool] = False  # a log-ratio of the two sides, which predicts how often its regions occur
    kinds: ClassVar[dict[str, type[Score]]] = {}

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            Score.kinds[cls.kind] = cls

    @abstractmethod
    def of(self, outputs: Outputs) -> Floats:
        """The score of each output; NaN where it has none."""

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """How many of the outputs have a score in each region."""
        scores = self.of(outputs)
        return tuple(int(np.count_nonzero(region.holds(scores))) if region else 0 for region in regions)

    @abstractmethod
    def words(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The region where the score is `op` (<= or >=) `at`, as a clause; `names` are those of an output's numbers."""

    def again(self, op: str, at: float, names: Sequence[str] = ()) -> str:
        """The same where another region of the score was told just before: what is looked at need not be repeated."""
        return self.words(op, at, names)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data, with the score's kind."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Any) -> Score:
        """The score that `to_dict` described."""

    def histogram(self, sides: Sequence[Outputs], view: str) -> ScoreHistogram:
        """The cells in which later draws are counted; `sides` are draws that show where they should lie."""
        from auditor.events.histograms import BinHistogram, cuts_of

        return BinHistogram(self, cuts_of(self, sides), view)

    @property
    def axis(self) -> str | None:
        """The feature on whose axis the score's regions can be drawn; None where only the score itself has one."""
        return None

    def intervals(self, region: Region) -> list[tuple[float, float]]:
        """Where the region lies on that axis, or on the axis of the score itself."""
        return [(-math.inf, region.at) if region.op == "<=" else (region.at, math.inf)]


def score_from_dict(data: Any) -> Score:
    """The score that `to_dict` described; anything else is an error."""
    if data["kind"] not in Score.kinds:
        import auditor.search.learners as folder  # a learner's file may bring a kind of score of its own

        folder.learners()
    if data["kind"] not in Score.kinds:
        raise ValueError(f"a score's kind must be one of {', '.join(sorted(Score.kinds))}, got {data['kind']!r:.60}")
    return Score.kinds[data["kind"]].from_dict(data)


def holds(value: float, op: str, at: float) -> bool:
    """Whether one score lies in a region."""
    return value <= at if op == "<=" else value >= at


def choice_of(texts: list[str]) -> str:
    """One text as it stands, several as a choice."""
    return texts[0] if len(texts) == 1 else "one of " + listed(texts, ", ")


def listed(texts: list[str], between: str = " or ", most: int = 4) -> str:
    """The first few of many texts."""
    if not texts:
        return "nothing"
    remaining = f"{between}{len(texts) - most} more" if len(texts) > most else ""
    return between.join(texts[:most]) + remaining


def stored(number: float) -> float | str:
    """A number for JSON, which has no infinities."""
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")
