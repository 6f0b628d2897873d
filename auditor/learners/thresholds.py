"""Thresholds and tails of a feature: {x <= t} and {x >= t}, the events that noise added to a number calls for."""

from __future__ import annotations

from auditor.events import Value
from auditor.learners.past import Past, curve_of
from auditor.promise import Promise, Proposal, best_event


def propose(past: Past, promise: Promise) -> list[Proposal]:
    """The best tails of each feature."""
    proposals = []
    for view in ("values", "bits"):
        for feature in past.features(view):
            proposal = best_event(Value(feature), curve_of(*past.ordered(feature)), promise, view)
            if proposal is not None:
                proposals.append(proposal)
    return proposals
