"""When an audit looks at its evidence, and when it learns: its phases and the sizes of its rounds, in coin flips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from auditor.tuning import Rounds


@dataclass(frozen=True)
class Phase:
    """A part of an audit. No two rounds of an audit share a stream, because no two have the same `stream(index)`."""

    name: str
    first: int  # number of its first round
    learns: bool  # its draws join the past from which the tested event is learned, and are counted once that is full

    def stream(self, index: int) -> tuple[str, int]:
        """The name of the random streams of the round with this index; an index beyond the phase is an error."""
        if not 0 <= index < ROUNDS:
            raise ValueError(f"a phase must have at most {ROUNDS} rounds, got index={index}")
        return self.name, self.first + index


ROUNDS = 1000  # most rounds of a phase; each is larger by at least a tenth, so 1,000 of them would be 1e40 draws
EXPLORE = Phase("round", 0, learns=True)
EXPLORE_MORE = Phase("round", ROUNDS, learns=True)
MEASURE = Phase("round", 2 * ROUNDS, learns=True)
CONFIRM = Phase("last", 0, learns=False)
PHASES = (EXPLORE, EXPLORE_MORE, MEASURE, CONFIRM)

Sizes = list[tuple[int, int]]  # index of each round in its phase, and its coin flips


def looks(drawn: int, until: int, tuning: Rounds) -> Sizes:
    """The rounds of a last test from `drawn` flips up to `until`."""
    return list(enumerate(_sizes(drawn, until, tuning)))


def lessons(drawn: int, until: int, numbers: bool, full: int, tuning: Rounds) -> Iterator[Sizes]:
    """The rounds up to each time that events are learned anew; `numbers` where outputs are plain numbers.

    One such time is when the past is `full`: later draws are counted.
    """
    lesson, learned = [], drawn
    relearn = tuning.relearn_numbers if numbers else tuning.relearn_others
    for index, size in enumerate(_sizes(drawn, until, tuning)):
        lesson.append((index, size))
        drawn += size
        growth = relearn if drawn < tuning.learning_is_late else tuning.relearn_late
        if drawn >= until or learned < full <= drawn or drawn >= learned * growth:
            yield lesson
            lesson, learned = [], drawn


def _sizes(drawn: int, until: int, tuning: Rounds) -> Iterator[int]:
    while drawn < until:
        growth = tuning.early_growth if drawn < tuning.young else tuning.late_growth
        size = min(until - drawn, max(tuning.first, int(growth * drawn)))
        if until - drawn - size < size // 4:
            size = until - drawn
        drawn += size
        yield size
