"""audit(): the whole flow. The past chooses, the future certifies.

Rounds grow. In each, pairs and events fixed by earlier rounds are tested on fresh draws (the running evidence, an
e-process), which then join the past from which better events are learned. The last round keeps one event; its exact
test gives the reported bound. alpha is spent once, in two explicit parts: one on the evidence, the rest on the last
round.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.conclusion import conclude
from auditor.confirmation import confirm, last_event
from auditor.cut_off import CutOff, shown_finding, tested
from auditor.errors import TimeLimitError
from auditor.execution import Execution
from auditor.exploration import explore
from auditor.found_pairs import with_found_pairs
from auditor.history import Night, opened
from auditor.measuring import Measure, measured_on
from auditor.notebook import listener
from auditor.plan import plan_of
from auditor.request import Request, request
from auditor.results.result import AuditResult
from auditor.rounds import Examiner, Finding, PairState
from auditor.sampling import parallel as sharing
from auditor.sampling.checkpoint import Checkpoint
from auditor.sampling.workers import Workers
from auditor.search.past import Past
from auditor.slow_note import SlowNote
from auditor.time_budget import within_seconds
from auditor.tuning import TUNING, Tuning
from mechanisms.core.claims import Claim
from mechanisms.core.neighbours import NeighbourPair

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def audit(
    mechanism: Any,
    claim: Claim | None = None,
    pairs: Sequence[NeighbourPair | tuple[Any, Any]] | SearchStrategy[Any] | None = None,
    *,
    trials: int = 1_000_000,
    alpha: float = 0.01,
    seed: int = 0,
    jobs: int = -1,
    views: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
    name: str | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    raises: str = "error",
    stop_early: bool = True,
    seconds: float | None = None,
    history: str | os.PathLike[str] | None = None,
    measure_seconds: float | None = None,
) -> AuditResult:
    """Tests a privacy claim on pairs of neighbours, and certifies how large epsilon must at least be.

    With probability at least 1 - alpha a true claim is not refuted and `epsilon_lower` is at most the true epsilon.

    Args:
        mechanism: `sample(dataset, n, rng)` that returns n independent outputs, an object with it, or `per_draw(f)`.
        claim: `ApproxDP`, `GaussianDP`, `ZCDP`, …; the mechanism's own `claim` where none is given.
        pairs: `NeighbourPair` or (left, right), or a strategy from `neighbouring`; else `mechanism.neighbours()`.
        trials: Draws for each side and pair at the most. An audit stops early when the claim is refuted.
        alpha: False-alarm probability of the whole audit: all pairs, directions, events and looks together.
        seed: The same seed gives the same result, byte for byte, whatever the workers.
        jobs: Workers; -1 for all cores. A joblib backend that is active is used.
        views: What events see: "values", "bits" (which floating-point numbers occur); else the mechanism's, or both.
        progress: Called with the draws made and the draws planned; True shows them, as a notebook does by itself.
        name: What the audit is called in messages; it is part of the names of its random streams.
        time_limit: Seconds after which the mechanism is stopped; the result is what the evidence had shown by then.
        checkpoint: A file in which finished draws are kept, so that an interrupted audit goes on where it stopped.
        raises: What an exception is: "error" ends the audit, "output" makes its kind an output like any other.
        stop_early: False goes on after the claim is refuted, through all trials, and so certifies a larger epsilon.
        seconds: A budget of time: lowers `trials`, before anything is tested, to what one worker draws in that time.
        history: A folder in which evidence is kept for the next audit of the same mechanism, claim and pairs.
        measure_seconds: After an early refutation the audit draws on for about so long, for a larger epsilon.

    Raises:
        UsageError: An argument breaks a rule.
        MechanismError: The mechanism raises, hangs, or returns what cannot be audited.
    """
    asked = request(mechanism, claim, pairs, trials, alpha, seed, views, name, raises, stop_early)
    execution = Execution(jobs, progress, time_limit, checkpoint, seconds, history, measure_seconds)
    return execute(asked, execution)


def execute(asked: Request, execution: Execution) -> AuditResult:
    """A checked audit, with its display of progress, and as a night of its history where it has one."""
    told = listener(execution.progress, asked.name)
    measure = None if execution.measure_seconds is None else Measure(execution.measure_seconds)

    def carried_out(asked: Request, night: Night | None = None) -> AuditResult:
        limit, file, seconds = execution.time_limit, execution.checkpoint, execution.seconds
        return carry_out(asked, execution.jobs, told, limit, file, TUNING, seconds, night=night, measure=measure)

    try:
        return carried_out(asked) if execution.history is None else with_history(asked, execution.history, carried_out)
    finally:
        if callable(close := getattr(told, "close", None)):
            close()


def replayed(
    mechanism: Any,
    claim: Claim | None,
    pairs: Any,
    name: str,
    options: Mapping[str, Any],
    cut: CutOff | None = None,
    progress: Callable[[int, int], None] | None = None,
    night: Night | None = None,
    measured: tuple[int, int] | None = None,
) -> AuditResult:
    """Repeats an audit that was made with these options of `audit`.

    `cut` is where its time limit ended it, `night` is where it stood in a history, and `measured` are the coin flips
    through which it was measured on after its refutation. The repetition has as many trials as the first audit had,
    however long they take.
    """
    running = ("jobs", "progress", "time_limit", "checkpoint", "seconds", "history", "measure_seconds")
    defaults = {"trials": 1_000_000, "alpha": 0.01, "seed": 0, "views": None}
    asking = defaults | {key: value for key, value in options.items() if key not in running}
    asked = request(mechanism, claim, pairs, name=name, **asking)
    jobs = Execution(options.get("jobs", -1), progress).jobs
    measure = None if measured is None else Measure(0.0, measured)
    return carry_out(asked, jobs, progress, cut=cut, night=night, measure=measure)


def carry_out(
    asked: Request,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    tuning: Tuning = TUNING,
    seconds: float | None = None,
    cut: CutOff | None = None,
    night: Night | None = None,
    measure: Measure | None = None,
) -> AuditResult:
    """An audit whose arguments were checked: pilot, explore, confirm, conclude.

    `cut` replays one that was cut off; `night` is where the audit stands in a history; `measure` says how long an early
    refutation is measured on.
    """
    start = time.perf_counter()
    workers = Workers(
        jobs, asked.name, 2 * asked.trials, progress, time_limit, mechanism=asked.sample, tuning=tuning.sharing
    )
    saved = None
    try:
        if seconds is not None:
            asked = within_seconds(asked, seconds, workers.once, tuning)
            workers.expect(2 * asked.trials)
        if asked.strategy is not None:
            asked = with_found_pairs(asked, workers.once, tuning)
        if checkpoint is not None:  # after the search: the found pairs are part of the audit's identity
            saved = workers.checkpoint = Checkpoint(checkpoint, asked.identity())
            saved.write()  # a place that cannot be written to is known before anything is drawn
            if (stored := saved.result(asked)) is not None:
                return stored
        result = replace(_result(asked, workers, tuning, cut, night, measure), seconds=time.perf_counter() - start)
    except BaseException:
        if saved is not None:
            saved.keep()
        raise
    finally:
        workers.close()
    if saved is not None and result.cut_off is None:
        saved.finish(result.to_dict())
    elif saved is not None:
        saved.write()  # with more time the next run goes on from there
    return result


def with_history(
    asked: Request, folder: str | os.PathLike[str], carried_out: Callable[[Request, Night], AuditResult]
) -> AuditResult:
    """A night of a history: with a seed of its own, and with the evidence of the nights before."""
    with opened(folder, asked) as book:
        if (found := book.refuted()) is not None:
            return found
        result = carried_out(*book.begin(asked))
        book.finish(result)
        return result


def _result(
    asked: Request,
    workers: Workers,
    tuning: Tuning,
    cut: CutOff | None = None,
    night: Night | None = None,
    measure: Measure | None = None,
) -> AuditResult:
    """The four steps of an audit; one that its time limit cuts off is concluded from its running evidence."""
    pairs = pilot(asked, workers, tuning)
    plan = plan_of(asked, all(pair.source.plain for pair in pairs), tuning)
    plan = plan if night is None else night.plan(plan)
    before = () if night is None else night.before
    examiner = Examiner(asked.name, workers, plan, None if cut is None else cut.rounds, before)
    finding: Finding | None = None
    if callable(follow := getattr(workers.progress, "follow", None)):
        follow(examiner.certified)
    try:
        longer = explore(pairs, examiner, workers, plan)
        if not examiner.over:
            finding = confirm(pairs, examiner, longer)
        elif measure is not None and examiner.strongest is not None:
            finding = measured_on(examiner, workers, longer, measure, len(pairs), confirm)
    except TimeLimitError:
        if not tested(examiner, pairs):
            raise
        limit = workers.time_limit if cut is None else cut.seconds
        ended = CutOff(limit or 0.0, len(examiner.course))
        finding = shown_finding(examiner, last_event(pairs, plan))
        result = conclude(asked, pairs, examiner, plan, finding, workers, ended, night)
        return replace(result, measured=examiner.measured)
    if finding is None and examiner.strongest is None:  # a history that suffices at once, at a larger alpha
        finding = shown_finding(examiner, last_event(pairs, plan))
    result = conclude(asked, pairs, examiner, longer, finding, workers, None, night)
    return replace(result, measured=examiner.measured)


def pilot(asked: Request, workers: Workers, tuning: Tuning) -> list[PairState]:
    """A few first draws on each pair, which fix the form in which its outputs are read, and are not used otherwise."""
    found = []
    note = SlowNote(asked, sharing.workers(workers.jobs), tuning, workers.progress)
    workers.slow = note.timed
    lines = any(delta > 0 for _, delta in asked.claim.points())
    for index, pair in enumerate(asked.pairs):
        source = asked.source(asked.sample, pair.left, pair.right, asked.seed, asked.name, index, tuning=tuning.sharing)
        n, replayed = tuning.rounds.pilot_draws(asked.trials)
        start = time.perf_counter()
        piloted, habits = workers.once(source.piloted, n, replayed, *([note.timed] if workers.here else []))
        if not index:
            note.timed(habits.draws, time.perf_counter() - start)
        workers.notice(habits)
        source = replace(source, form=piloted.form, datasets=piloted.datasets)
        found.append(PairState(pair, source, Past(asked.views, tuning.learning, lines)))
    return found
