"""Audits of the catalogue: every mechanism is expected "not refuted", every mutant "refuted".

A mechanism is refuted by its privacy audit or by a failed accuracy statement of the notes. So is a mutant
that breaks accuracy; of one that breaks privacy, the audit alone decides.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.notes.by_parts import certified_by_parts
from auditor.notes.run import Interval, Run
from auditor.results.entry import ERROR_OUTCOME, Entry, found
from auditor.results.pictures import profile_picture
from mechanisms.core.catalogue import find
from mechanisms.core.mechanism import Accuracy, Mechanism
from mechanisms.core.pieces import Piece

QUICK_TRIALS = 10_000
FULL_TRIALS = 400_000
ACCURACY_DRAWS = 20_000


def statements(mechanism: Mechanism) -> tuple[Accuracy, ...]:
    """The accuracy statements that are tested with this mechanism."""
    return () if mechanism.of and mechanism.breaks == "privacy" else mechanism.accuracy()


def count_tests(mechanism: Mechanism) -> int:
    """How many random tests its entry makes: one audit, one curve of its parts, one for each accuracy statement."""
    return 1 + bool(pieces(mechanism)) + len(statements(mechanism))


def pieces(mechanism: Mechanism) -> tuple[Piece, ...]:
    """The parts from which a correct composition is certified beside its audit, on its tightest pair."""
    return () if mechanism.of else mechanism.pieces(mechanism.neighbours()[0])


def audit_entry(identifier: str, quick: bool, seed: int, share: float) -> Entry:
    """The audit of one mechanism or mutant of the catalogue, exact and certified value side by side."""
    mechanism = find(identifier)
    run = Run(identifier, share, count_tests(mechanism), seed=seed, quick=quick)
    entry = Entry(
        id=mechanism.id,
        kind="mutant" if mechanism.of else "mechanism",
        title=mechanism.title,
        source=mechanism.source,
        outcome=ERROR_OUTCOME,
        expected="refuted" if mechanism.of else "not refuted",
        of=mechanism.of,
        statement=str(mechanism.claim),
        explanation=mechanism.note,
    )
    start = time.perf_counter()
    try:
        computed = _audited(mechanism, run)
        for statement in statements(mechanism):
            computed |= _accuracy(mechanism, statement, run)
    except Exception as error:  # whatever went wrong belongs to this entry alone
        computed = {"reason": f"{type(error).__name__}: {error}"}
    return replace(entry, **computed | {"seconds": time.perf_counter() - start})


def _audited(mechanism: Mechanism, run: Run) -> dict[str, Any]:
    pairs = mechanism.neighbours()
    if run.quick:
        pairs = pairs[mechanism.worst :][:1]
    result = run.audit(mechanism, pairs=pairs, trials=_trials(mechanism, run.quick))
    return {
        **found(result),
        "by_parts": _by_parts(mechanism, run, result.delta),
        "pictures": () if mechanism.of else (profile_picture(mechanism.claim, mechanism.exact(), result),),
    }


def _by_parts(mechanism: Mechanism, run: Run, delta: float) -> float | None:
    """What the mechanism's parts certify together, where it has some."""
    parts = pieces(mechanism)
    if not parts:
        return None
    trials = _trials(mechanism, run.quick)
    return certified_by_parts(parts, trials, run.spend("by parts"), run.named_seed("by parts")).epsilon_at(delta)


def _accuracy(mechanism: Mechanism, statement: Accuracy, run: Run) -> dict[str, Any]:
    """What changes in the entry when an accuracy statement is refuted; nothing when it is not."""

    def failures(rng: np.random.Generator, n: int) -> int:
        return int(np.count_nonzero(statement.failed(mechanism.sample(statement.dataset, n, rng))))

    drawn: Interval = run.proportion(failures, run.size(ACCURACY_DRAWS), statement.statement)
    if drawn.low <= statement.probability:
        return {}
    return {
        "outcome": "refuted",
        "claimed": statement.probability,
        "exact": None,
        "certified": drawn.low,
        "quantity": "failure probability",
        "trials_used": drawn.trials,
        "witness": f"“{statement.statement}” fails in {drawn}.",
    }


def _trials(mechanism: Mechanism, quick: bool) -> int:
    """A mutant stops as soon as it is refuted, so it may draw as much as its file asks for."""
    if mechanism.of and mechanism.breaks == "privacy":
        return mechanism.trials
    return min(mechanism.trials, QUICK_TRIALS if quick else FULL_TRIALS)
