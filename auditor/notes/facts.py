"""Facts: sentences that were computed, with the numbers that made them true or false.

A check of the ledger is a list of facts; `judge` turns them into an outcome. No check states its outcome.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

SLACK = 1e-9  # relative; comparisons of exactly computed numbers that may be equal


@dataclass(frozen=True)
class Fact:
    """A sentence with its truth value; `value` and `bound` are the numbers compared, where there are some."""

    words: str
    true: bool
    value: float | None = None
    bound: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "true", bool(self.true))  # numpy's own truth values become Python's

    def __bool__(self) -> bool:
        return self.true

    def __str__(self) -> str:
        return f"{'✓' if self.true else '✗'} {self.words}"


def fact(words: str, true: object) -> Fact:
    """A sentence that is true or not, without a number."""
    return Fact(words, bool(true))


def at_most(words: str, value: float, bound: float, slack: float = SLACK) -> Fact:
    """value <= bound, up to a relative slack for rounding."""
    return Fact(f"{words}: {value:.6g} ≤ {bound:.6g}", value <= bound + slack * abs(bound), value, bound)


def at_least(words: str, value: float, bound: float, slack: float = SLACK) -> Fact:
    """value >= bound, up to a relative slack for rounding."""
    return Fact(f"{words}: {value:.6g} ≥ {bound:.6g}", value >= bound - slack * abs(bound), value, bound)


def close(words: str, value: float, expected: float, rel: float = 1e-9, absolute: float = 0.0) -> Fact:
    """value = expected up to `rel`; for two ways to the same number, or a number the notes print."""
    true = math.isclose(value, expected, rel_tol=rel, abs_tol=absolute)
    return Fact(f"{words}: {value:.6g} = {expected:.6g}", true, value, expected)


def everywhere(words: str, rows: Iterable[tuple[str, float, float]], slack: float = SLACK) -> Fact:
    """value <= bound on every row (where, value, bound); the words name the worst row. No row is no fact."""
    worst: tuple[float, str, float, float] | None = None
    count = 0
    true = True
    for where, value, bound in rows:
        count += 1
        true = true and value <= bound + slack * abs(bound)
        # ratio where the bound is positive, else difference; only the row that is shown depends on it
        excess = value / bound - 1 if bound > 0 else value - bound
        if worst is None or not excess <= worst[0]:
            worst = (excess, where, value, bound)
    if worst is None:
        raise ValueError(f"a fact about a grid needs at least one row, got none for {words!r}")
    _, where, value, bound = worst
    sentence = f"{words}: {value:.6g} ≤ {bound:.6g} at {where}, the worst of {count} cases"
    return Fact(sentence, true, value, bound)


def fails(claim: Fact) -> Fact:
    """The opposite fact: what is printed does not hold."""
    return Fact(f"does not hold: {claim.words}", not claim.true, claim.value, claim.bound)
