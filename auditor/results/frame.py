"""A result as a row of a table, for those who compare many. Needs pandas, which dp-audit itself does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.results.result import AuditResult


def frame(result: AuditResult) -> Any:
    """One row: what was claimed, what was found, and how sure."""
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise UsageError("to_frame() needs pandas, got none; pip install pandas, or use to_dict()") from error
    row = {
        "name": result.name,
        "claim": str(result.claim),
        "verdict": str(result.verdict),
        "claimed": result.claim.epsilon_at(result.delta),
        "exact": result.exact,
        "epsilon_lower": result.epsilon_lower,
        "delta": result.delta,
        "p_value": result.p_value,
        "detectable_epsilon": result.detectable_epsilon,
        "trials_used": result.trials_used,
        "alpha": result.alpha,
        "seed": result.seed,
        "witness": str(result.witness),
        "diagnosis": " ".join(result.diagnosis),
        "seconds": result.seconds,
    }
    return DataFrame([row])
