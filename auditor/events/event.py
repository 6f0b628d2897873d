"""Events as plain data: they can be printed, stored in JSON and evaluated again.

An event looks at an output through a score and guesses the side: left where the score lies in one region, right
where it lies in another, no guess elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.events.outputs import Outputs
from auditor.events.scores import Region, Score, score_from_dict, stored


@dataclass(frozen=True)
class Event:
    """Guess left where the score lies in `left`, right where it lies in `right`; the two do not overlap."""

    score: Score
    left: Region | None
    right: Region | None
    view: str = "values"

    def __post_init__(self) -> None:
        if self.left is None and self.right is None:
            raise ValueError("an event must guess at least one side")
        if self.left and self.right:
            low, high = (self.left, self.right) if self.left.op == "<=" else (self.right, self.left)
            if low.op == high.op or low.at >= high.at:
                raise ValueError("an event's two regions must not overlap")

    @property
    def directions(self) -> int:
        """How many sides it guesses."""
        return (self.left is not None) + (self.right is not None)

    @property
    def direction(self) -> str:
        """ "left", "right" or "both"."""
        return "both" if self.directions == 2 else ("left" if self.left else "right")

    @np.errstate(all="ignore")  # outputs may be infinite, and no two infinities have a difference
    def guesses(self, outputs: Outputs) -> tuple[int, int]:
        """How many of the outputs make it guess left, and right."""
        left, right = self.score.count(outputs, (self.left, self.right))
        return left, right

    def words(self, side: str, names: Sequence[str] = (), *, again: bool = False) -> str:
        """The region of one side as a clause, `again`: after the other one; `names` are the output's own."""
        region = self.left if side == "left" else self.right
        told = self.score.again if again else self.score.words
        return told(region.op, region.at, names) if region else "nothing"

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `event_from_dict` makes an equal event."""
        return {
            "score": self.score.to_dict(),
            "left": [self.left.op, stored(self.left.at)] if self.left else None,
            "right": [self.right.op, stored(self.right.at)] if self.right else None,
            "view": self.view,
        }

    def __str__(self) -> str:
        sides = [f"{side} when {self.words(side)}" for side in ("left", "right") if getattr(self, side)]
        return "guess " + ", ".join(sides)


def event_from_dict(data: Any) -> Event:
    """The event that `to_dict` described; anything else is a ValueError."""
    try:
        sides = {
            side: Region(data[side][0], float(data[side][1])) if data[side] else None for side in ("left", "right")
        }
        return Event(score_from_dict(data["score"]), sides["left"], sides["right"], str(data["view"]))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"an event must have a score, left, right and view: {error!r}") from error
