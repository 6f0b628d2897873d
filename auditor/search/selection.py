"""Which event to bet on: every learner's scores compete, and the region that is worth most wins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from auditor.search.candidates import Candidate, Regions, Scored
from auditor.search.counted import Counted
from auditor.search.learners import learners
from auditor.search.past import Past
from auditor.search.second_look import looked_at_again
from auditor.search.utility import LowerBound, Utility


@np.errstate(all="ignore")  # outputs may be infinite or huge: what cannot be computed with them is no event
def best_candidate(past: Past, utilities: Sequence[Utility]) -> Candidate | None:
    """The event of all learners' scores that is worth most, over the given utilities; the first of equals.

    Where that is one of the bits, an event of the values that is worth almost as much is preferred: people understand
    it, and a mistake in the mathematics is not taken for one in the floating-point numbers.
    """
    best = _best(past, past.once("regions", lambda: Regions(_scores(past))), utilities)
    if best is None or best.event.view != "bits":
        return best
    plain = past.once("plain regions", lambda: Regions([one for one in _scores(past) if one.view == "values"]))
    rival = _best(past, plain, utilities)
    least = best.value - (1 - past.tuning.plain_share) * abs(best.value)
    return rival if rival is not None and rival.value >= least else best


def _best(past: Past, regions: Regions, utilities: Sequence[Utility]) -> Candidate | None:
    """The best region; where bounds are asked for, the best of a few is judged again on draws that chose none."""
    bounds = [utility for utility in utilities if isinstance(utility, LowerBound)]
    if len(bounds) < len(utilities) or (past.counted is not None and past.counted.trials):
        return regions.best(utilities)
    later = past.later()
    return regions.best(utilities) if later is None else looked_at_again(regions, bounds, later, past.tuning)


@np.errstate(all="ignore")
def count_from_now_on(past: Past, now: Sequence[Utility], hoped: Sequence[Utility]) -> None:
    """Later draws are counted in the cells of the scores that are worth most, and not remembered.

    `hoped` is what a score would be worth if all went on as it was seen so far. A score that improves with more draws
    always stays. Another one goes when even what it may hope for is less than the best is worth now, and a slow one
    when another score may hope for more.
    """
    scores = _scores(past)
    hopes = [_worth(scored, hoped) for scored in scores]
    # a score whose hopes equal an earlier one's shows the same events
    news = [hope not in hopes[:index] for index, hope in enumerate(hopes)]
    if past.counted is None:
        most = sorted((hope for hope, new in zip(hopes, news, strict=True) if new), reverse=True)
        tuning = past.tuning
        least = most[: tuning.counted_numbers if past.sides()[0].scalar else tuning.counted_others][-1]
    else:
        least = max(_worth(scored, now) for scored in scores)
    stay = [
        scored.score.improves or (new and hope >= (max(hopes) if scored.score.slow else least))
        for scored, hope, new in zip(scores, hopes, news, strict=True)
    ]
    if past.counted is None:
        kept = [scored for scored, stays in zip(scores, stay, strict=True) if stays]
        past.counted = Counted(kept, past.sides(), past.tuning)
    else:
        past.counted.refine(stay)


def _worth(scored: Scored, utilities: Sequence[Utility]) -> float:
    best = Regions([scored]).best(utilities)
    return -math.inf if best is None else best.value


def _scores(past: Past) -> list[Scored]:
    """Every learner's scores, or those that later draws were counted in."""
    if past.counted is not None and past.counted.trials:
        return past.once("scores", past.counted.scored)
    return past.once("scores", lambda: [scored for learner in learners() for scored in learner(past)])
