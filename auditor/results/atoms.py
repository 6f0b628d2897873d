"""Single values in the picture of an audit's outputs: how each is written, and which side the event guesses there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.events.scores import Labels, Steps, Value
from auditor.events.words import mark

if TYPE_CHECKING:
    from auditor.results.result import AuditResult


def shown(name: str, result: AuditResult) -> str:
    """What stands below the bars of an atom."""
    axis = result.sketch.get("score")
    if axis == "score" and name not in ("⊥", "others"):
        return f"{float(name):.3g}"
    return mark(axis, name) if isinstance(axis, str) else name


def guessed(name: str, result: AuditResult) -> str | None:
    """The side that the witness's event guesses on an atom, where that can be told from its name."""
    event = result.witness.event
    match event.score:
        case _ if name == "others":
            return None
        case Labels(table):
            value = dict(table).get(name, 0.0)
        case Steps() | Value() if name != "⊥":
            return _within(result.sketch.get("shade") or [], name, isinstance(event.score, Value))
        case Steps(bottom=bottom):
            value = bottom
        case _ if result.sketch.get("score") == "score" and name != "⊥":
            return _near(result.sketch.get("shade") or [], float(name))
        case _:
            return None
    for side, region in (("left", event.left), ("right", event.right)):
        if region and (value <= region.at if region.op == "<=" else value >= region.at):
            return side
    return None


def _near(shade: Any, place: float) -> str | None:
    """Regions of a score contain their ends, and an atom's name has six digits."""
    slack = 1e-5 * max(1.0, abs(place))
    for low, high, side in shade:
        if (low is None or float(low) <= place + slack) and (high is None or place - slack <= float(high)):
            return str(side)
    return None


def _within(shade: Any, name: str, closed: bool) -> str | None:
    """A table's steps do not contain their upper end; a threshold's regions do."""
    place = float(name)
    for low, high, side in shade:
        end = high is not None and (place > float(high) or (place == float(high) and not closed))
        if (low is None or float(low) <= place) and not end:
            return str(side)
    return None
