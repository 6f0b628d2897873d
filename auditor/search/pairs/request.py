"""A request for searched pairs becomes one for the pairs that were found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from auditor.certify.evidence import Point
from auditor.request import Request, as_pair
from auditor.search.pairs.draws import Draws, OneByOne
from auditor.search.pairs.sources import constants

_LARGEST = 600.0  # epsilon: beyond it e^epsilon does not fit a double


def searched(asked: Request, once: Callable[..., Any]) -> Request:
    """The request with the pairs that a search of its strategy found. `once` makes calls of the mechanism."""
    from auditor.search.pairs.search import Judge, search

    points = [Point(min(epsilon, _LARGEST), delta) for epsilon, delta in asked.claim.points()]
    judge = Judge(Draws(asked.sample, asked.seed, asked.name), once, points, asked.views, asked.trials, asked.alpha)
    found = search(asked.strategy.map(as_pair), judge, constants(asked.sample))
    sample = OneByOne(asked.sample) if found.single else asked.sample
    return replace(asked, sample=sample, pairs=found.pairs, tried=found.tried)
