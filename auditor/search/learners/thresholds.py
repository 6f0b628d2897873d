"""Thresholds and tails of a feature: {x <= t} and {x >= t}, the events that noise added to a number calls for."""

from __future__ import annotations

from auditor.events.scores import Value
from auditor.search.candidates import Scored
from auditor.search.past import Past, curve_of


def propose(past: Past) -> list[Scored]:
    """Each feature as it is."""
    return [
        Scored(Value(feature), curve_of(*past.ordered(feature)), view)
        for view in past.views
        for feature in past.features(view)
    ]
