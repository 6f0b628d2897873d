"""What proposes events: one learner a file, each with `propose(past, promise) -> list of proposals`.

A learner sees past draws only. The engine takes the proposal that promises most for the next round.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache

from auditor.learners.past import Past
from auditor.promise import Promise, Proposal, choose

Learner = Callable[[Past, Promise], list[Proposal]]


@cache
def learners() -> tuple[Learner, ...]:
    """Every learner in this folder."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(module.propose for module in modules if hasattr(module, "propose"))


def best_proposal(past: Past, promises: Sequence[Promise]) -> Proposal | None:
    """The most promising proposal of all learners over the given promises."""
    return choose(
        [proposal for promise in promises for learner in learners() for proposal in learner(past, promise)]
    )
