"""audit(): the whole flow. The past chooses, the future certifies.

Rounds grow. In each, pairs and events fixed by earlier rounds are tested on fresh draws (the running evidence, an
e-process), which then join the past from which better events are learned. The last round keeps one event; its exact
test gives the reported bound. alpha is spent once, in two explicit parts: `RUNNING` of it on the evidence, the
rest on the last round.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from auditor.certify.evidence import Evidence, Point, Round
from auditor.conclusion import outcome
from auditor.errors import MechanismError
from auditor.events.event import Event
from auditor.events.scores import Region, Steps
from auditor.request import Request, check_running, request
from auditor.results.result import AuditResult, Counts
from auditor.sampling.batch import Batch, Tally
from auditor.sampling.checkpoint import Checkpoint
from auditor.sampling.independence import CallsSeen
from auditor.sampling.source import Source
from auditor.sampling.workers import Workers
from auditor.search.candidates import Proposal
from auditor.search.past import Past
from auditor.search.schedule import lessons, looks
from auditor.search.selection import best_proposal, count_from_now_on
from auditor.search.utility import Growth, LowerBound
from mechanisms.core.claims import Claim
from mechanisms.core.neighbours import NeighbourPair

RUNNING = 0.3  # share of alpha for the running evidence; the rest is for the last round's exact test
_PILOT = 32  # draws a side that fix the form of the outputs, and are not used otherwise
_CLEARLY = 0.3  # by how much, in claimed epsilons, a rare event must promise more to be worth more learning
_ALL_PAIRS = 2**16  # coin flips that all pairs together may take before some are dropped
_LEARNING = 0.1  # share of the draws that may choose the last round's event
_LEAST_LEARNING = 4096  # coin flips: a small audit chooses with up to half of its draws
_HOPED = 16.0  # times as many draws as a score has seen, for which it may hope before it is given up
_LARGEST = 600.0  # epsilon: beyond it e^epsilon does not fit a double, and no audit could tell
_LONG = 2**18  # remembered numbers a side, from which pairs are learned from side by side
_REMEMBERED = 2**17  # draws a side that a pair's past keeps for learning; later ones are counted


def audit(
    mechanism: Any,
    claim: Claim | None = None,
    pairs: Sequence[NeighbourPair | tuple[Any, Any]] | None = None,
    *,
    trials: int = 1_000_000,
    alpha: float = 0.01,
    seed: int = 0,
    jobs: int = -1,
    views: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> AuditResult:
    """Tests a privacy claim on pairs of neighbours, and certifies how large epsilon must at least be.

    The null hypothesis is that the claim holds on every given pair; it is refuted falsely with probability at most
    alpha, and `epsilon_lower` exceeds the truth with probability at most alpha, both together. Assumes independent
    draws.
    """
    start = time.perf_counter()
    asked = request(mechanism, claim, pairs, trials, alpha, seed, views, name)
    check_running(jobs, progress, time_limit, checkpoint)
    saved = None if checkpoint is None else Checkpoint(checkpoint, asked.identity())
    if saved is not None and saved.result is not None:
        return AuditResult.from_dict(saved.result)
    workers = Workers(jobs, asked.name, 2 * asked.trials, progress, time_limit, saved)
    try:
        run = Run(asked, workers)
        run.explore()
        if not run.refuted:
            run.confirm()
        result = outcome(run, time.perf_counter() - start)
    except BaseException:
        if saved is not None:
            saved.keep()
        raise
    if saved is not None:
        saved.finish(result.to_dict())
    return result


@dataclass
class Candidate:
    """A pair under audit: its source, its past, and the event that its next draws will test."""

    pair: NeighbourPair
    source: Source
    past: Past
    drawn: int = 0
    bet: Proposal | None = None
    utility: tuple[float, float] = (0.0, -math.inf)  # growth of the evidence, then the bound


@dataclass
class Run:
    """The state of one audit: what was drawn, what is believed, what the evidence says."""

    asked: Request
    workers: Workers
    calls: CallsSeen = field(default_factory=CallsSeen)
    trace: list[tuple[int, float]] = field(default_factory=list)
    last: tuple[Candidate, Proposal, Counts] | None = None
    gain: float = -math.inf
    confirmed: bool = False

    def __post_init__(self) -> None:
        a = self.asked
        self.candidates = [
            Candidate(pair, self._source(pair, index), Past(a.views, _REMEMBERED)) for index, pair in enumerate(a.pairs)
        ]
        self.plain = all(candidate.source.plain for candidate in self.candidates)
        self.points = [Point(min(epsilon, _LARGEST), delta) for epsilon, delta in a.claim.points()]
        self.evidence = Evidence(self.points)
        self.budget = 2 * a.trials
        enough = max(2**20, self.budget // 20 - 2**21) if self.plain else 2**23  # flips; learning is on one core
        share = min(int(_LEARNING * self.budget), enough)
        self.learning = min(max(share, _LEAST_LEARNING), self.budget // 2)
        self.most_learning = max(self.learning, min(2 * _REMEMBERED, self.budget // 2))
        self.alphas = RUNNING * a.alpha, (1 - RUNNING) * a.alpha  # of the running evidence, of the last test
        self.hopeless = self.budget * max(_fastest(point) for point in self.points) < -math.log(self.alphas[0])

    def _source(self, pair: NeighbourPair, index: int) -> Source:
        """Where a pair's draws come from; a few first ones fix the form in which its outputs are read."""
        a = self.asked
        source = Source(a.sample, pair.left, pair.right, a.seed, a.name, index)
        piloted, again = self.workers.once(source.piloted, _PILOT)
        self.workers.replayable &= again
        return replace(source, form=piloted.form, datasets=piloted.datasets)

    @property
    def refuted(self) -> bool:
        """True when the running evidence suffices."""
        return self.evidence.peak >= -math.log(self.alphas[0])

    def explore(self) -> None:
        """Rounds on all promising pairs, until the evidence suffices or it is time for the last round."""
        active = self.candidates
        self._lessons(active, 0)
        if not self.refuted and self._more_to_learn():
            start, self.learning = self.learning, self.most_learning
            self._lessons([c for c in active if c.drawn >= start], start)

    def _lessons(self, active: Sequence[Candidate], start: int) -> None:
        """Rounds from `start` flips to the end of learning; events are learned anew from time to time."""
        for lesson in lessons(start, self.learning, self.plain, 2 * _REMEMBERED):
            self._rounds(active, "round", lesson)
            if self.refuted or active[0].drawn >= self.learning:
                return
            self.workers.each(self._learn, active, long=min(c.past.numbers for c in active) >= _LONG)
            ranked = sorted(active, key=lambda c: c.utility, reverse=True)
            active = ranked[: self._survivors(active[0].drawn)]

    def _followed(self) -> float:
        """Coin flips up to which every pair is followed: a rare leak may stand beside one that is tight in epsilon."""
        return max(1024.0, max(_ALL_PAIRS, self.learning / 2) / len(self.candidates))

    def _survivors(self, drawn: int) -> int:
        """How many pairs are still followed: all at first, then half as many each time the draws grow fourfold."""
        halvings = max(0, int(math.log(drawn / self._followed(), 4)))
        return max(1, -(-len(self.candidates) // (1 << halvings)))

    def _more_to_learn(self) -> bool:
        """True where an event too rare to be chosen yet would win clearly, if it went on as it was seen so far.

        So an audit is never much worse than one that learns on half of its draws and tests on the other half.
        """
        half, now = self.most_learning, self._last_utilities()
        if half < 2 * self.learning:
            return False
        later = [replace(p, trials=self.budget - half, more=half / self.learning) for p in now]
        pasts = [c.past for c in self.candidates if c.past.trials]
        best = [max((p.utility for past in pasts if (p := best_proposal(past, w))), default=0.0) for w in (now, later)]
        return best[1] > best[0] + _CLEARLY * max(1.0, self.points[0].epsilon)

    def confirm(self) -> None:
        """The last round: one pair, one event, all the remaining draws; then its exact test."""
        size = self.budget - self.learning
        utilities = self._last_utilities()
        found = [
            (p, c) for c in self.candidates if c.past.trials and (p := best_proposal(c.past, utilities)) is not None
        ]
        proposal, candidate = max(found, key=lambda pair: pair[0].utility, default=self._no_event())
        candidate.bet = proposal
        counts = self._rounds([candidate], "last", looks(candidate.drawn, candidate.drawn + size))
        self.last = (candidate, proposal, counts)
        self.confirmed = not self.refuted

    def _no_event(self) -> tuple[Proposal, Candidate]:
        """Where nothing can be told apart (⊥ always, or hardly a draw): guess left whatever the output is."""
        anything = Event(Steps("x", (), (1.0,), 1.0), Region(">=", 1.0), None)
        return Proposal(anything, 0.0, self.points[0]), self.candidates[0]

    def _rounds(self, active: Sequence[Candidate], phase: str, sizes: Sequence[tuple[int, int]]) -> Counts:
        """Rounds whose events are fixed, until the evidence suffices; all that they counted."""
        plan: list[tuple[Candidate, Batch]] = []
        for index, size in sizes:
            for c in active:
                learns, counted = phase == "round", c.past.counted
                keep = learns and counted is None and not c.past.full
                event = c.bet.event if c.bet else None
                histograms = counted.histograms if learns and counted is not None else ()
                plan.append((c, Batch(c.source, event, keep, (phase, index), size, histograms)))
        total = Counts(0, 0, 0, 0, 0, 0)
        with contextlib.closing(self.workers.draw([batch for _, batch in plan])) as tallies:
            for (candidate, batch), tally in zip(plan, tallies, strict=True):
                total += self._count(candidate, batch, tally)
                if self.refuted and candidate is active[-1]:
                    break
        return total

    def _count(self, candidate: Candidate, batch: Batch, tally: Tally) -> Counts:
        bet = candidate.bet
        candidate.drawn += batch.flips
        if self.calls.repeated(tally.first_outputs):
            raise MechanismError(
                f"{self.asked.name} must draw anew from each stream, got the same outputs from two of them; "
                "it seeds itself or hands out stored draws: use the rng that it is given"
            )
        if tally.left is not None and tally.right is not None:
            candidate.past.add(tally.left, tally.right)
        if tally.cells is not None:
            candidate.past.count(tally.cells, sum(tally.trials))
        counts = _counts(tally)
        if bet:
            before = self.evidence.log_value
            self.evidence.add(Round(counts.correct, counts.wrong, counts.trials, bet.event.directions))
            gain = self.evidence.log_value - before
            if gain >= self.gain:
                self.last, self.gain = (candidate, bet, counts), gain
        self.trace.append((candidate.drawn, self.evidence.log_value / math.log(10)))
        return counts

    def _learn(self, candidate: Candidate) -> None:
        """Fixes the event of the pair's next round; no event where none promises growth."""
        if not candidate.past.trials:
            return
        if not self.hopeless:
            best = best_proposal(candidate.past, [Growth(point) for point in self.points])
            candidate.bet = best if best is not None and best.utility > 0 else None
        if len(self.candidates) > 1 and candidate.drawn > self._followed():
            bound = best_proposal(candidate.past, self._last_utilities())
            grows = candidate.bet.utility if candidate.bet else 0.0
            candidate.utility = (grows, bound.utility if bound is not None else -math.inf)
        if candidate.past.full:
            now = self._last_utilities()
            count_from_now_on(candidate.past, now, [replace(utility, more=_HOPED) for utility in now])

    def _last_utilities(self) -> list[LowerBound]:
        return [LowerBound(point, self.budget - self.learning, self.alphas[1]) for point in self.points]


def _fastest(point: Point) -> float:
    """The most that one coin flip can add to the evidence against a point of the claim."""
    return math.inf if point.delta else math.log1p(math.exp(-point.epsilon))


def _counts(tally: Tally) -> Counts:
    return Counts(*tally.trials, *tally.guesses)
