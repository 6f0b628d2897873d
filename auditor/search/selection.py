"""Which event to bet on: every learner's scores compete, and the region with the largest utility wins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from auditor.events.scores import Rows, Sum, Trees
from auditor.search.candidates import Proposal, Regions, Scored
from auditor.search.counted import Counted
from auditor.search.learners import learners
from auditor.search.past import Past
from auditor.search.utility import Utility

_MOST_HISTOGRAMS = 8, 2  # scores whose cells later draws are counted in: of vectors, of plain numbers


@np.errstate(all="ignore")  # outputs may be infinite or huge: what cannot be computed with them is no event
def best_proposal(past: Past, utilities: Sequence[Utility]) -> Proposal | None:
    """The most promising event of all learners' scores, over the given promises; the first of equals."""
    return past.once("regions", lambda: Regions(_scores(past))).best(utilities)


@np.errstate(all="ignore")
def count_from_now_on(past: Past, now: Sequence[Utility], hoped: Sequence[Utility]) -> None:
    """Later draws are counted in the cells of the scores that promise most, and not remembered.

    `hoped` is what would be promised if all went on as it was seen so far. Sums of tables and tables of rows always
    stay: more draws make them better. Others go when not even the hoped is as much as the best promises now, and
    trees, which take long to evaluate, when another score may hope for more.
    """
    scores = _scores(past)
    hopes = [_utility(scored, hoped) for scored in scores]
    news = [hope not in hopes[:index] for index, hope in enumerate(hopes)]  # not the same events in other words
    if past.counted is None:
        most = sorted((hope for hope, new in zip(hopes, news, strict=True) if new), reverse=True)
        least = most[: _MOST_HISTOGRAMS[past.sides()[0].scalar]][-1]
    else:
        least = max(_utility(scored, now) for scored in scores)
    stay = [
        isinstance(scored.score, Sum | Rows)
        or (new and hope >= (max(hopes) if isinstance(scored.score, Trees) else least))
        for scored, hope, new in zip(scores, hopes, news, strict=True)
    ]
    if past.counted is None:
        past.counted = Counted([scored for scored, stays in zip(scores, stay, strict=True) if stays], past.sides())
    else:
        past.counted.refine(stay)


def _utility(scored: Scored, utilities: Sequence[Utility]) -> float:
    best = Regions([scored]).best(utilities)
    return -math.inf if best is None else best.utility


def _scores(past: Past) -> list[Scored]:
    """Every learner's scores, or those that later draws were counted in."""
    if past.counted is not None and past.counted.trials:
        return past.once("scores", past.counted.scored)
    return past.once("scores", lambda: [scored for learner in learners() for scored in learner(past)])
