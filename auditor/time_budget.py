"""A budget of time becomes a number of trials: before anything is tested, so the audit is one of a fixed budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auditor.found_pairs import with_found_pairs
from auditor.request import Request
from auditor.tuning import Tuning


def within_seconds(asked: Request, seconds: float, once: Callable[..., Any], tuning: Tuning) -> Request:
    """The request with as many trials as one worker draws in about so many seconds, and at most those it has.

    The calls that are timed draw from streams of their own and decide nothing else. `once` makes calls of the
    mechanism. An audit may draw on all m pairs while it learns, on at most half of its coin flips, and then on one of
    them: (m + 1) / 2 times its coin flips at the most.
    """
    timed = asked
    if asked.strategy is not None:
        timed = with_found_pairs(replace(asked, trials=min(tuning.timing.rough, asked.trials)), once, tuning)
    many = len(timed.pairs)
    enough = min(tuning.timing.longest, tuning.timing.share * seconds / many)
    sources = [
        asked.source(timed.sample, pair.left, pair.right, asked.seed, asked.name, index, tuning=tuning.sharing)
        for index, pair in enumerate(timed.pairs)
    ]
    took = sum(once(source.seconds_a_draw, enough) for source in sources) / many
    draws = seconds / (took + tuning.timing.own)
    return replace(asked, trials=max(1, int(min(asked.trials, draws / (many + 1)))))
