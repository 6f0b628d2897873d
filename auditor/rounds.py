"""Rounds of an audit: events fixed beforehand are counted on fresh draws, and the evidence grows or falls."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.certify.evidence import BOLD, Evidence, Round
from auditor.errors import MechanismError, TimeLimitError
from auditor.plan import Plan
from auditor.results.counts import Counts
from auditor.sampling.batch import Batch, Tally
from auditor.sampling.repeats import CallsSeen
from auditor.sampling.source import Source
from auditor.sampling.workers import Workers
from auditor.search.candidates import Candidate
from auditor.search.past import Past
from auditor.search.schedule import Phase, Sizes
from mechanisms.core.neighbours import NeighbourPair


@dataclass
class PairState:
    """A pair under audit: where its draws come from, what they showed, and the event that its next draws will test."""

    pair: NeighbourPair
    source: Source
    past: Past
    drawn: int = 0  # coin flips that were made on this pair
    bet: Candidate | None = None
    lone: Candidate | None = None  # a second event: outputs that were seen on one side alone
    growth: float = 0.0  # expected growth of the log evidence by the pair's best event, for each coin flip
    bound: float = -math.inf  # epsilon by which its best event would pass the claim in the last round

    @property
    def rank(self) -> tuple[float, float]:
        """The order of pairs: those that rank low are dropped first."""
        return max(self.growth, self.lone.value if self.lone else 0.0), self.bound


@dataclass(frozen=True)
class Finding:
    """An event on a pair, with its counts on draws that were made after it was chosen."""

    pair: PairState
    candidate: Candidate
    counts: Counts


@dataclass(frozen=True)
class _Gained:
    """What the rounds on one pair added to the log evidence: all together, and the best of them."""

    total: float
    best: float
    round: Finding


class Examiner:
    """Draws rounds and keeps what they say: the evidence, its course, and the round that added most to it."""

    def __init__(
        self, name: str, workers: Workers, plan: Plan, last: int | None = None, before: Sequence[Round] = ()
    ) -> None:
        self.name, self.workers, self.plan = name, workers, plan
        self._last = last  # in a replay, the number of rounds after which the time limit had passed
        self.evidence = Evidence(plan.points, before)
        self.lone_evidence = Evidence(plan.points, stakes=BOLD)
        self._lone: Finding | None = None  # the latest event of outputs seen on one side alone, since it was chosen
        self._before = len(before)
        self.course: list[tuple[int, float]] = []  # coin flips of the pair, and log10 of the evidence
        self._gained: dict[int, _Gained] = {}  # by the index of the pair
        self.measured: tuple[int, int] | None = None  # coin flips of learning and last round after a refutation
        self._calls = CallsSeen()

    @property
    def refuted(self) -> bool:
        """True when the running evidence suffices."""
        return self.evidence.peak >= -math.log(self.plan.running) or self.by_lone

    @property
    def by_lone(self) -> bool:
        """True when outputs that were seen on one side alone, and no others on later draws, refute the claim."""
        return self.lone_evidence.peak >= -math.log(self.plan.lone)

    @property
    def refuting(self) -> tuple[Evidence, float]:
        """The evidence that refutes the claim, or might yet, and its level."""
        return (self.lone_evidence, self.plan.lone) if self.by_lone else (self.evidence, self.plan.running)

    @property
    def strongest(self) -> Finding | None:
        """The event and counts behind the evidence: of the pair that added most to it, the round that added most."""
        if self.by_lone:
            return self._lone
        pair = max(self._gained.values(), key=lambda gained: gained.total, default=None)
        return None if pair is None else pair.round

    @property
    def p_value(self) -> float:
        """The p-value of both kinds of evidence over alpha: at most 1 exactly where one of them suffices."""
        peaks = ((self.evidence.peak, self.plan.running), (self.lone_evidence.peak, self.plan.lone))
        return min(math.exp(-peak) / level for peak, level in peaks)

    @property
    def tonight(self) -> list[Round]:
        """The rounds of this audit alone."""
        return self.evidence.rounds[self._before :]

    @property
    def gained(self) -> bool:
        """True when some round has added to the evidence."""
        return any(pair.best > 0 for pair in self._gained.values())

    def certified(self) -> float:
        """The epsilon that the running evidence certifies so far, which holds whenever it is asked for."""
        evidence, level = self.refuting
        return evidence.epsilon_lower(level, at_peak=True) if self.refuted else evidence.epsilon_below(level)

    @property
    def over(self) -> bool:
        """True when nothing more is drawn: the running evidence suffices, and the audit stops early."""
        return self.refuted and self.plan.stop_early

    def rounds(self, pairs: Sequence[PairState], phase: Phase, sizes: Sizes) -> Counts:
        """Rounds whose events are fixed, all of them unless the audit is over before; all that they counted."""
        todo = [(pair, _batch(pair, phase, index, size)) for index, size in sizes for pair in pairs]
        total = Counts(0, 0, 0, 0, 0, 0)
        with contextlib.closing(self.workers.draw([batch for _, batch in todo])) as tallies:
            for pair, batch in todo:
                if len(self.course) == self._last:
                    raise TimeLimitError(f"{self.name} was cut off after {self._last} rounds")
                total += self.count(pair, batch, next(tallies))
                if self.over and pair is pairs[-1]:
                    break
        return total

    def count(self, pair: PairState, batch: Batch, tally: Tally) -> Counts:
        """Counts a batch: first the guesses of the event that was fixed before it, then the past learns from it."""
        pair.drawn += batch.flips
        if self._calls.repeated(tally.first_outputs):
            raise MechanismError(
                f"{self.name} must draw anew from each stream, got the same outputs from two of them; "
                "it seeds itself or hands out stored draws: use the rng that it is given"
            )
        counts = Counts(*tally.trials, *tally.guesses)
        if pair.bet:
            before = self.evidence.log_value
            bet = pair.bet
            self.evidence.add(Round(counts.correct, counts.wrong, counts.trials, bet.event.directions, bet.point))
            self._add_gain(Finding(pair, bet, counts), self.evidence.log_value - before)
        if pair.lone:
            self._count_lone(pair, pair.lone, Counts(*tally.trials, *tally.lone))
        lone = self.lone_evidence.log_value + math.log(self.plan.lone / self.plan.running)  # to the same line
        self.course.append((pair.drawn, max(self.evidence.log_value, lone) / math.log(10)))
        if tally.left is not None and tally.right is not None:
            pair.past.add(tally.left, tally.right)
        if tally.cells is not None:
            pair.past.count(tally.cells, sum(tally.trials))
        return counts

    def _add_gain(self, found: Finding, gain: float) -> None:
        """Adds a round's gain to that of its pair, of which the round with the largest one is remembered."""
        index = found.pair.source.pair
        before = self._gained.get(index, _Gained(0.0, -math.inf, found))
        best, total = max(gain, before.best), before.total + gain
        self._gained[index] = _Gained(total, best, found if gain >= before.best else before.round)

    def _count_lone(self, pair: PairState, lone: Candidate, counts: Counts) -> None:
        """Adds to the evidence about outputs seen on one side alone; an event that stays is counted on."""
        directions = lone.event.directions
        self.lone_evidence.add(Round(counts.correct, counts.wrong, counts.trials, directions, lone.point))
        before = self._lone
        same = before is not None and before.pair is pair and before.candidate.event == lone.event
        self._lone = Finding(pair, lone, before.counts + counts if before is not None and same else counts)


def _batch(pair: PairState, phase: Phase, index: int, flips: int) -> Batch:
    """A round's draws on one pair. Outputs are kept while the past is not full; where the phase learns, later ones are
    counted."""
    past, event = pair.past, pair.bet.event if pair.bet else None
    keep = past.counted is None and not past.full
    histograms = past.counted.histograms if phase.learns and past.counted is not None else ()
    lone = pair.lone.event if pair.lone else None
    return Batch(pair.source, event, keep, phase.stream(index), flips, histograms, lone)
