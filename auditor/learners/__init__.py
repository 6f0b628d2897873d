"""What proposes events: one learner a file, each with `propose(past) -> list of scores with their curves`.

A learner sees past draws only, and says through which score the outputs are best looked at. Which region of it to
bet on is the promise's choice, for which every learner's scores compete.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from auditor.learners.past import Past
from auditor.promise import Promise, Proposal, Scored, best_event

Learner = Callable[[Past], list[Scored]]


@cache
def learners() -> tuple[Learner, ...]:
    """Every learner in this folder."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(module.propose for module in modules if hasattr(module, "propose"))


@np.errstate(all="ignore")  # outputs may be infinite or huge: what cannot be computed with them is no event
def best_proposal(past: Past, promises: Sequence[Promise]) -> Proposal | None:
    """The most promising event of all learners' scores, over the given promises; the first of equals."""
    scores = past.once("scores", lambda: [scored for learner in learners() for scored in learner(past)])
    found = (best_event(scored, promise) for promise in promises for scored in scores)
    return max((p for p in found if p is not None), key=lambda p: p.promise, default=None)
