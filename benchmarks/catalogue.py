"""Every mechanism and mutant of the catalogue, audited with its own number of trials.

Beside the certified epsilon stands the oracle's: what the same last round would have certified if the best event had
been known beforehand (`benchmarks/oracle.py`). No audit of so many draws is much nearer to the exact value than that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from auditor import audit
from auditor.tuning import TUNING
from benchmarks.oracle import oracle
from benchmarks.runs import draws
from benchmarks.tables import Table, count, number, track
from mechanisms.core.catalogue import catalogue
from mechanisms.core.mechanism import Mechanism

TITLE = "Catalogue"
ALPHA = 0.01  # for the table as a whole, shared by those whose claim is true
QUICK = 20_000


def holds(mechanism: Mechanism) -> bool:
    """True where no audit may refute the claim; a mutant may break accuracy alone."""
    return mechanism.of is None or mechanism.breaks != "privacy"


def measure(mechanism: Mechanism, trials: int, alpha: float, jobs: int) -> dict[str, Any]:
    """A row: claimed, exact and certified epsilon at the delta that was tested, and the outcome."""
    result = audit(mechanism, trials=trials, alpha=alpha, jobs=jobs)
    exact, claimed = mechanism.exact(), mechanism.claim.epsilon_at(result.delta)
    last = result.witness.phase == "last round"  # an audit that stopped before it has no fixed number of draws
    known = None
    if exact is not None and last:
        level = (1 - TUNING.rounds.evidence_share(alpha)) * alpha  # what an audit keeps for its last round
        known = oracle(exact, result.delta, result.witness.counts.trials, level)
    expected = "not refuted" if holds(mechanism) else "refuted"
    return {
        "id": mechanism.id,
        "claim": str(mechanism.claim),
        "claimed": None if math.isnan(claimed) else claimed,
        "exact": None if exact is None else exact.epsilon_at(result.delta),
        "oracle": known,
        "certified": result.epsilon_lower,
        "delta": result.delta,
        "outcome": result.verdict.value,
        "expected": expected,
        "as expected": "yes" if result.verdict.value == expected else "NO",
        "draws": draws(result),
        "seconds": result.seconds,
        "witness": str(result.witness),
    }


def table(mechanisms: Sequence[Mechanism], most: int | None, jobs: int) -> Table:
    """One row a mechanism or mutant; `most` limits the trials."""
    alpha = ALPHA / max(1, sum(map(holds, mechanisms)))
    rows = [
        measure(mechanism, min(mechanism.trials, most or mechanism.trials), alpha, jobs)
        for mechanism in track(mechanisms, TITLE, len(mechanisms))
    ]
    wrong = [row["id"] for row in rows if row["as expected"] != "yes"]
    seconds = sum(row["seconds"] for row in rows)
    return Table(
        f"The catalogue: {len(rows)} mechanisms and mutants, alpha = {ALPHA:g} for all true claims together",
        {
            "id": str,
            **dict.fromkeys(("claimed", "exact", "oracle", "certified"), number),
            "delta": "{:.3g}".format,
            "outcome": str,
            "as expected": str,
            "draws": count,
            "seconds": "{:.2f}".format,
        },
        rows,
        f"{seconds:.0f} s in all; not as expected: {', '.join(wrong) or 'none'}. Epsilons are at this delta. "
        "Oracle: what the last round would certify with the best event known beforehand.",
    )


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part."""
    yield table(catalogue(), QUICK if quick else None, jobs)
