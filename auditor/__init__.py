"""An empirical auditor for differential privacy.

>>> from auditor import audit, ApproxDP
>>> result = audit(mechanism, claim=ApproxDP(epsilon=1.0), pairs=[(left, right)])
>>> result.verdict, result.epsilon_lower, str(result.witness)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.engine import audit
    from auditor.errors import AuditError, MechanismError, UsageError
    from auditor.events import Event
    from auditor.results import AuditResult, Counts, Verdict, Witness
    from auditor.trials import per_draw
    from mechanisms.claims import ZCDP, ApproxDP, Claim, GaussianDP
    from mechanisms.neighbours import NeighbourPair, Relation

_HOMES = {
    "audit": "auditor.engine",
    "AuditError": "auditor.errors",
    "MechanismError": "auditor.errors",
    "UsageError": "auditor.errors",
    "Event": "auditor.events",
    "AuditResult": "auditor.results",
    "Counts": "auditor.results",
    "Verdict": "auditor.results",
    "Witness": "auditor.results",
    "per_draw": "auditor.trials",
    "ApproxDP": "mechanisms.claims",
    "Claim": "mechanisms.claims",
    "GaussianDP": "mechanisms.claims",
    "ZCDP": "mechanisms.claims",
    "NeighbourPair": "mechanisms.neighbours",
    "Relation": "mechanisms.neighbours",
}

__all__ = [
    "ZCDP",
    "ApproxDP",
    "AuditError",
    "AuditResult",
    "Claim",
    "Counts",
    "Event",
    "GaussianDP",
    "MechanismError",
    "NeighbourPair",
    "Relation",
    "UsageError",
    "Verdict",
    "Witness",
    "audit",
    "per_draw",
]


def __getattr__(name: str) -> object:
    """Imports on first use: a worker process that only draws does not load the statistics."""
    if name not in _HOMES:
        raise AttributeError(f"module 'auditor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
