"""What runs with the same random numbers show, in sentences. Each is a fact about these runs, none is a proof."""

from __future__ import annotations

from auditor.diagnosis import steps
from auditor.diagnosis.runs import Runs
from auditor.diagnosis.shifts import missing, shifts
from mechanisms.core.claims import Claim

_ELSEWHERE = "It does not take its randomness from the rng that it is given: nothing can be said of its noise."


def sentences(runs: Runs, claim: Claim, delta: float) -> tuple[str, ...]:
    """The first kind of finding that there is: what comes later would mean little beside it."""
    if all(run.error for run in runs.left + runs.right):
        return tuple(filter(None, [steps.exceptions(runs)]))
    found = (
        steps.exceptions(runs) or ("" if runs.replayable else _ELSEWHERE) or steps.silence(runs) or steps.branch(runs)
    )
    if found:
        return (found,)
    kinds = (steps.parameters(runs), shifts(runs, claim, delta), missing(runs), steps.repeated(runs))
    return next((said for kind in kinds if (said := tuple(kind))), ())
