"""Audits of the catalogue: every mechanism is expected "not refuted", every mutant "refuted"."""

from __future__ import annotations

import math
import time
from typing import Any

from auditor.document import ERROR_OUTCOME, Entry
from auditor.ledger.run import Run
from mechanisms.catalogue import find
from mechanisms.mechanism import Mechanism

QUICK_TRIALS = 50_000
FULL_TRIALS = 400_000


def audit_entry(identifier: str, quick: bool, seed: int, share: float) -> Entry:
    """The audit of one mechanism or mutant of the catalogue, exact and certified value side by side."""
    mechanism = find(identifier)
    run = Run(identifier, share, 1, seed=seed, quick=quick)
    described: dict[str, Any] = {
        "id": mechanism.id,
        "kind": "mutant" if mechanism.of else "mechanism",
        "title": mechanism.title,
        "source": mechanism.source,
        "expected": "refuted" if mechanism.of else "not refuted",
        "of": mechanism.of,
        "statement": str(mechanism.claim),
        "explanation": mechanism.note,
    }
    start = time.perf_counter()
    try:
        result = run.audit(mechanism, trials=_trials(mechanism, quick))
    except Exception as error:  # whatever went wrong belongs to this entry alone
        reason = f"{type(error).__name__}: {error}"
        return Entry(**described, outcome=ERROR_OUTCOME, reason=reason, seconds=time.perf_counter() - start)
    exact = mechanism.exact()
    claimed = mechanism.claim.epsilon_at(result.delta)
    return Entry(
        **described,
        outcome=result.verdict.value,
        claimed=None if math.isnan(claimed) else claimed,
        exact=None if exact is None else exact.epsilon_at(result.delta),
        certified=result.epsilon_lower,
        delta=result.delta,
        detectable=result.detectable_epsilon,
        p_value=result.p_value,
        trials_used=result.trials_used,
        witness=str(result.witness),
        seed=result.seed,
        seconds=time.perf_counter() - start,
        audit=result.to_dict(),
    )


def _trials(mechanism: Mechanism, quick: bool) -> int:
    """A mutant stops as soon as it is refuted, so it may draw as much as its file asks for."""
    if mechanism.of:
        return mechanism.trials
    return min(mechanism.trials, QUICK_TRIALS if quick else FULL_TRIALS)
