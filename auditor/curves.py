"""tradeoff(): a certified trade-off curve of a mechanism or of recorded outputs. The past chooses, the future
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.certify.advantage import advantages
from auditor.certify.hull import Points, certified_hull
from auditor.certify.tradeoff import Certificate, Part, TradeOff
from auditor.engine import pilot
from auditor.errors import MechanismError
from auditor.events.histograms import CellCounts
from auditor.execution import Execution
from auditor.request import Request, request
from auditor.rounds import PairState
from auditor.samples import recorded_request
from auditor.sampling.batch import Batch, Tally
from auditor.sampling.repeats import CallsSeen
from auditor.sampling.workers import Workers
from auditor.search.nested import Nested, nested
from auditor.tuning import TUNING, Curves, Tuning
from mechanisms.core.claims import ApproxDP
from mechanisms.core.neighbours import NeighbourPair

_NO_CLAIM = ApproxDP(0.0)  # stands where a request has its claim; a curve tests no claim


def tradeoff(
    mechanism: Any,
    pair: NeighbourPair | tuple[Any, Any] | None = None,
    *,
    trials: int = 1_000_000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = -1,
    views: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
    time_limit: float | None = None,
) -> TradeOff:
    """What an adversary who sees one output can provably do on one pair of datasets.

    With probability at least 1 - alpha the whole curve, and all that `times`, `then` and `subsampled` make of it, lies
    below the truth. Assumes independent draws.

    Args:
        mechanism: Anything that `audit` takes.
        pair: A NeighbourPair or (left, right); the first of the mechanism's own `neighbours()` where none is given.
        trials: Draws a side, of which a small part chooses the events and the rest is counted.
        alpha: The probability that anything that is certified lies above the truth.
        seed: The same seed gives the same curve, byte for byte, whatever the workers.
        jobs: Workers; -1 for all cores. A joblib backend that is active is used.
        views: "values" and "bits", as in `audit`.
        progress: Called with the draws made and the draws planned, from time to time.
        name: What the curve is called; it is part of the names of its random streams.
        time_limit: Seconds after which the mechanism is stopped; it runs in a process of its own then.

    Returns:
        The certified curve of one run; ask it for `epsilon_at`, `mu`, `times`, `then`, `subsampled`, `refutes`.

    Raises:
        UsageError: An argument breaks a rule.
        MechanismError: The mechanism raises, hangs, or returns what cannot be read.
    """
    asked = request(mechanism, _NO_CLAIM, None if pair is None else [pair], trials, alpha, seed, views, name)
    jobs = Execution(jobs, progress, time_limit).jobs
    workers = Workers(jobs, asked.name, 2 * asked.trials, progress, time_limit, mechanism=asked.sample)
    try:
        return _certified(asked, workers, str(asked.pairs[0]))
    finally:
        workers.close()


def tradeoff_samples(
    left: Any,
    right: Any,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    views: Sequence[str] | None = None,
    name: str | None = None,
) -> TradeOff:
    """A certified trade-off curve of recorded outputs, drawn independently on the left and on the right dataset.

    Args:
        left: Outputs on one dataset, one a row: whatever `audit_samples` takes.
        right: Outputs on its neighbour.
        alpha: The probability that anything that is certified lies above the truth.
        seed: Fixes the order in which outputs are used: a part chooses the events, the rest is counted.
        views: What events may look at: "values" (the default) or "bits" or both.
        name: What the curve is called.
    """
    asked = recorded_request(left, right, _NO_CLAIM, alpha, seed, views, name)
    return _certified(asked, Workers(1, asked.name, 2 * asked.trials), "recorded outputs")


def _certified(asked: Request, workers: Workers, pair: str, tuning: Tuning = TUNING) -> TradeOff:
    """Pilot, learn, count; then counts in, the certified curve out."""
    (state,) = pilot(replace(asked, pairs=asked.pairs[:1]), workers, tuning)  # a curve belongs to one pair
    drawing = _Drawing(asked.name, workers)
    events, learned = _learn(drawing, state, asked.trials, tuning.curves)
    cells: CellCounts = np.zeros((2, 2), dtype=np.int64)
    if events is not None and learned < asked.trials:
        flips = 2 * (asked.trials - learned)
        counted = drawing.draw(Batch(state.source, None, False, ("count",), flips, (events.histogram,)))
        cells = cells if counted.cells is None else counted.cells.sum(axis=1)
    state.source.check_unchanged()
    trials = (int(cells[0].sum()), int(cells[1].sum()))
    points: Points = ((0.0, 0.0), (1.0, 1.0))
    if events is not None and min(trials):
        points = certified_hull(advantages(events.counts(cells), events.slopes, asked.alpha * events.shares))
    score = events.words() if events is not None else ""
    return TradeOff((Part(points),), (Certificate(asked.name, pair, trials, asked.alpha, asked.seed, score),))


def _learn(drawing: _Drawing, state: PairState, trials: int, tuning: Curves) -> tuple[Nested | None, int]:
    """The events, and the draws a side that chose them: more where the first ones tell nothing apart beyond luck."""
    learned, events = 0, None
    for stage, until in enumerate(_lessons(trials, state.source.plain, tuning)):
        tally = drawing.draw(Batch(state.source, None, True, ("learn", stage), 2 * (until - learned)))
        learned = until
        if tally.left is not None and tally.right is not None:
            state.past.add(tally.left, tally.right)
            events = nested(state.past, trials - learned, tuning)
        if events is not None and events.clear:
            break
    return events, learned


def _lessons(trials: int, plain: bool, tuning: Curves) -> list[int]:
    """Draws a side after which the events are learned, a second time only where the first tells nothing apart."""
    share = tuning.learning_numbers if plain else tuning.learning_others
    first = min(max(round(share * trials), min(tuning.least_learning, trials // 2)), tuning.most_learning)
    second = min(round(tuning.unclear_share * trials), tuning.unclear_most)
    return [first, second] if plain and second > 2 * first else [first]


class _Drawing:
    """Draws batches of one pair, and watches for calls that repeat each other."""

    def __init__(self, name: str, workers: Workers) -> None:
        self.name, self.workers, self.calls = name, workers, CallsSeen()

    def draw(self, batch: Batch) -> Tally:
        """The tally of one batch."""
        (tally,) = self.workers.draw([batch])
        if self.calls.repeated(tally.first_outputs):
            raise MechanismError(
                f"{self.name} must draw anew from each stream, got the same outputs from two of them; "
                "it seeds itself or hands out stored draws: use the rng that it is given"
            )
        return tally
