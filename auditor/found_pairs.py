"""A request for searched pairs becomes a request for the pairs that were found: before anything is tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auditor.plan import plan_of
from auditor.request import Request, as_pair
from auditor.sampling.draws import with_raises, without_raises
from auditor.search.pairs.draws import Draws
from auditor.search.pairs.sources import constants
from auditor.tuning import Tuning


def with_found_pairs(asked: Request, once: Callable[..., Any], tuning: Tuning) -> Request:
    """The request with the pairs that a search of its strategy found. `once` makes calls of the mechanism."""
    from auditor.search.pairs.judge import Judge
    from auditor.search.pairs.search import search

    bounds = plan_of(asked, True, tuning).bounds()
    mechanism, raises = without_raises(asked.sample)
    draws = Draws(mechanism, asked.seed, asked.name, raises)
    judge = Judge(draws, once, bounds, asked.views, asked.trials, tuning, worst=not asked.stop_early)
    found = search(asked.strategy.map(as_pair), judge, constants(mechanism))
    return replace(asked, sample=with_raises(mechanism, found.raises), pairs=found.pairs, tried=found.tried)
