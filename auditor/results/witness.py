"""On what a claim fails worst: the pair as text, the event and its counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.events.event import Event, event_from_dict
from auditor.results.counts import Counts
from auditor.results.words import witness_words


@dataclass(frozen=True)
class PairDescription:
    """A pair as text: results do not carry anyone's data."""

    index: int
    left: str
    right: str
    relation: str = "unspecified"
    why: str = ""
    group: int = 1

    def __str__(self) -> str:
        how = [] if self.relation == "unspecified" else [self.relation]
        how += [f"group of {self.group}"] if self.group > 1 else []
        return f"{self.left} and {self.right}" + (f" ({', '.join(how)})" if how else "")


@dataclass(frozen=True)
class Witness:
    """The pair, the direction and the event on which the claim fails worst, with its counts."""

    pair: PairDescription
    direction: str
    event: Event
    counts: Counts
    epsilon: float
    delta: float
    phase: str
    names: tuple[str, ...] = ()  # names of the output's numbers, where it names them

    def __str__(self) -> str:
        return witness_words(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, with the witness in words beside it."""
        return {
            "pair": dict(vars(self.pair)),
            "direction": self.direction,
            "event": self.event.to_dict(),
            "counts": dict(vars(self.counts)),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "phase": self.phase,
            "names": list(self.names),
            "words": str(self),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Witness:
        """The witness that `to_dict` described, from data that fits the schema."""
        return Witness(
            pair=PairDescription(**data["pair"]),
            direction=data["direction"],
            event=event_from_dict(data["event"]),
            counts=Counts(**data["counts"]),
            epsilon=float(data["epsilon"]),
            delta=float(data["delta"]),
            phase=data["phase"],
            names=tuple(data.get("names", ())),
        )
