"""When an audit looks at its evidence, and when it learns: the sizes of its rounds, in coin flips."""

from __future__ import annotations

from collections.abc import Iterator

_FIRST = 96  # coin flips of the first round
_LOOK = 0.25, 0.1  # growth of the draws from look to look, at first and later
_LATER = 2**12  # coin flips
_RELEARN = 1.8, 1.4  # growth of the draws from learning to learning: vectors and labels, plain numbers
_SELDOM = 2.0  # the same later, when learning is expensive


def looks(drawn: int, until: int) -> list[tuple[int, int]]:
    """The numbers and sizes of the rounds of a last test from `drawn` flips up to `until`."""
    return list(enumerate(_sizes(drawn, until)))


def lessons(drawn: int, until: int, plain: bool, full: int) -> Iterator[list[tuple[int, int]]]:
    """The numbers and sizes of the rounds up to each time that events are learned anew.

    One such time is when the past is `full`: later draws are counted.
    """
    lesson, learned = [], drawn
    for index, size in enumerate(_sizes(drawn, until), start=1000 * (drawn > 0)):
        lesson.append((index, size))
        drawn += size
        growth = _RELEARN[plain] if drawn < 2**15 else _SELDOM
        if drawn >= until or learned < full <= drawn or drawn >= learned * growth:
            yield lesson
            lesson, learned = [], drawn


def _sizes(drawn: int, until: int) -> Iterator[int]:
    while drawn < until:
        size = min(until - drawn, max(_FIRST, int(_LOOK[drawn >= _LATER] * drawn)))
        if until - drawn - size < size // 4:
            size = until - drawn
        drawn += size
        yield size
