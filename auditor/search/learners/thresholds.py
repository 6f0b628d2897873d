"""Thresholds and tails of a feature: {x <= t} and {x >= t}, the events that noise added to a number calls for."""

from __future__ import annotations

from auditor.events.scores import Value
from auditor.search.candidates import Curve, Scored
from auditor.search.lines import with_line
from auditor.search.past import Past, curve_of


def propose(past: Past) -> list[Scored]:
    """Each feature as it is; a plain number with the line of its log-ratios, where it has one."""
    return [
        Scored(Value(feature), curve(past, feature), view, past.judged)
        for view in past.views
        for feature in past.features(view)
    ]


def curve(past: Past, feature: str) -> Curve:
    """What the past saw beyond each threshold of a feature."""
    left, right = past.ordered(feature)
    seen = curve_of(left, right)
    return with_line(seen, left, right, past.tuning.line) if past.lines and feature == "x" else seen
