"""A mechanism, its claim, and the datasets among which a pair must be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis.strategies as st

from auditor import ApproxDP, neighbouring, per_draw


@dataclass(frozen=True)
class Case:
    """`where` says on which pairs it is broken; empty for a correct mechanism."""

    name: str
    mechanism: Any
    claim: Any
    pairs: Any
    where: str = ""


def numbers(low: float, high: float, most: int = 6, least: int = 0) -> Any:
    return st.lists(st.floats(low, high, allow_nan=False), min_size=least, max_size=most)


def wholes(low: int, high: int, most: int = 6) -> Any:
    return st.lists(st.integers(low, high), max_size=most)


def collector(cases: list[Case]) -> Callable[..., Callable[[Any], Any]]:
    """A decorator that adds a function to the list; `one` for functions that return a single output."""

    def case(
        datasets: Any,
        relation: str = "add/remove",
        *,
        where: str = "",
        epsilon: float = 1.0,
        delta: float = 0.0,
        one: bool = False,
        **options: Any,
    ) -> Callable[[Any], Any]:
        def add(function: Any) -> Any:
            pairs = neighbouring(datasets, relation, **options)
            mechanism = per_draw(function) if one else function
            cases.append(Case(function.__name__, mechanism, ApproxDP(epsilon, delta), pairs, where))
            return function

        return add

    return case
