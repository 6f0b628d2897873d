"""After a refutation: how wrong is the claim? A little more learning and a last round on the witness's pair.

The claim is refuted by then. How many coin flips follow is fixed by what the past and the clock have shown before the
first of them, so the last round's exact test holds at its level beside the evidence (docs/method.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from auditor.exploration import learn_in_rounds
from auditor.plan import Plan
from auditor.rounds import Examiner, Finding, PairState
from auditor.sampling.workers import Workers
from auditor.search.schedule import MEASURE
from auditor.tuning import TUNING, Timing


@dataclass(frozen=True)
class Measure:
    """For how many seconds an audit measures on, or, in a replay, through how many coin flips."""

    seconds: float
    flips: tuple[int, int] | None = None  # coin flips of learning, and of the last round


Confirm = Callable[[list[PairState], Examiner, Plan], Finding]


def measured_on(
    examiner: Examiner, workers: Workers, plan: Plan, measure: Measure, pairs: int, confirm: Confirm
) -> Finding | None:
    """The last round on a refuted claim's witness; None where there is no time or no budget for more."""
    assert examiner.strongest is not None
    pair = examiner.strongest.pair
    tuning, remaining = TUNING.timing, plan.budget - pair.drawn
    if measure.flips is None:
        enough = workers.rate * measure.seconds / 4
        learning = _size(min(enough, remaining / 4, tuning.measured_learning), tuning)
    else:
        learning = measure.flips[0]
    if learning < tuning.least_measured:
        return None
    until, examiner.measured = pair.drawn + learning, (learning, 0)
    examiner.plan = plan = replace(plan, learning=until, budget=until, stop_early=False)
    learn_in_rounds([pair], examiner, workers, plan, MEASURE, pair.drawn, pairs)
    if measure.flips is None:
        enough = min(workers.rate * measure.seconds / 2, remaining - learning, tuning.measured)
        last = max(learning, _size(enough, tuning))
    else:
        last = measure.flips[1]
    examiner.measured = learning, last
    return confirm([pair], examiner, replace(plan, budget=until + last))


def _size(most: float, tuning: Timing) -> int:
    """The largest of the least size, and of this times powers of a step, that is at most `most`; 0 where none is."""
    size = tuning.least_measured
    while size * tuning.measured_step <= most:
        size *= tuning.measured_step
    return size if size <= most else 0
