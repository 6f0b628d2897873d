"""What proposes events: one learner a file, each with `propose(past) -> list of scores with their curves`.

A learner sees past draws only, and says through which score the outputs are best looked at. Which region of it to
bet on is the promise's choice, for which every learner's scores compete.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from auditor.learners.counted import Counted
from auditor.learners.past import Past
from auditor.promise import Promise
from auditor.regions import Proposal, Regions, Scored
from auditor.scores import Rows, Sum, Trees

_GAUGES = 8, 2  # scores whose cells later draws are counted in: of vectors, of plain numbers
Learner = Callable[[Past], list[Scored]]


@cache
def learners() -> tuple[Learner, ...]:
    """Every learner in this folder."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(module.propose for module in modules if hasattr(module, "propose"))


@np.errstate(all="ignore")  # outputs may be infinite or huge: what cannot be computed with them is no event
def best_proposal(past: Past, promises: Sequence[Promise]) -> Proposal | None:
    """The most promising event of all learners' scores, over the given promises; the first of equals."""
    return past.once("regions", lambda: Regions(_scores(past))).best(promises)


@np.errstate(all="ignore")
def count_from_now_on(past: Past, now: Sequence[Promise], hoped: Sequence[Promise]) -> None:
    """Later draws are counted in the cells of the scores that promise most, and not remembered.

    `hoped` is what would be promised if all went on as it was seen so far. Sums of tables and tables of rows always
    stay: more draws make them better. Others go when not even the hoped is as much as the best promises now, and
    trees, which take long to evaluate, when another score may hope for more.
    """
    scores = _scores(past)
    hopes = [_promised(scored, hoped) for scored in scores]
    news = [hope not in hopes[:place] for place, hope in enumerate(hopes)]  # not the same events in other words
    if past.counted is None:
        most = sorted((hope for hope, new in zip(hopes, news, strict=True) if new), reverse=True)
        least = most[: _GAUGES[past.sides()[0].scalar]][-1]
    else:
        least = max(_promised(scored, now) for scored in scores)
    stay = [
        isinstance(scored.score, Sum | Rows)
        or (new and hope >= (max(hopes) if isinstance(scored.score, Trees) else least))
        for scored, hope, new in zip(scores, hopes, news, strict=True)
    ]
    if past.counted is None:
        past.counted = Counted([scored for scored, stays in zip(scores, stay, strict=True) if stays], past.sides())
    else:
        past.counted.refine(stay)


def _promised(scored: Scored, promises: Sequence[Promise]) -> float:
    best = Regions([scored]).best(promises)
    return -math.inf if best is None else best.promise


def _scores(past: Past) -> list[Scored]:
    """Every learner's scores, or those that later draws were counted in."""
    if past.counted is not None and past.counted.trials:
        return past.once("scores", past.counted.scored)
    return past.once("scores", lambda: [scored for learner in learners() for scored in learner(past)])
