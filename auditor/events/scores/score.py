"""A score is a number for each output; a region is where it is at most, or at least, something."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs

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
    """A number for each output."""

    @abstractmethod
    def of(self, outputs: Outputs) -> Floats:
        """The score of each output; NaN where it has none."""

    def count(self, outputs: Outputs, regions: Sequence[Region | None]) -> tuple[int, ...]:
        """How many of the outputs have a score in each region."""
        scores = self.of(outputs)
        return tuple(int(np.count_nonzero(region.holds(scores))) if region else 0 for region in regions)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data."""

    @abstractmethod
    def words(self, op: str, at: float) -> str:
        """The region where the score is `op` (<= or >=) `at`, in words."""


def holds(value: float, op: str, at: float) -> bool:
    """Whether one score lies in a region."""
    return value <= at if op == "<=" else value >= at


def listed(texts: list[str], between: str = " or ", most: int = 4) -> str:
    """The first few of many texts."""
    if not texts:
        return "nothing"
    rest = f"{between}{len(texts) - most} more" if len(texts) > most else ""
    return between.join(texts[:most]) + rest


def stored(number: float) -> float | str:
    """A number for JSON, which has no infinities."""
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")
