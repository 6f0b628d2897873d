"""What proposes events: one learner a file, each with `propose(past)`, a list of scores with their curves.

A learner sees past draws only, and says through which score the outputs are best looked at. Which region of it to
bet on is chosen in `selection`, where every learner's scores compete. A new file in this folder is a new learner.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

from auditor.search.candidates import Scored
from auditor.search.past import Past

Learner = Callable[[Past], list[Scored]]


@cache
def learners() -> tuple[Learner, ...]:
    """Every learner in this folder."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(module.propose for module in modules if hasattr(module, "propose"))
