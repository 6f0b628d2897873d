"""An empirical auditor for differential privacy.

>>> from auditor import audit, ApproxDP
>>> result = audit(mechanism, claim=ApproxDP(epsilon=1.0), pairs=[(left, right)])
>>> result.verdict, result.epsilon_lower, str(result.witness)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.certify.tradeoff import TradeOff
    from auditor.engine import audit
    from auditor.errors import AuditError, MechanismError, UsageError
    from auditor.events.event import Event
    from auditor.results.result import AuditResult, Counts, Verdict, Witness
    from auditor.sampling.source import per_draw
    from auditor.curves import tradeoff, tradeoff_samples
    from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP
    from mechanisms.core.claims_curves import ProfileClaim, RenyiDP, TradeOffClaim
    from mechanisms.core.neighbours import NeighbourPair, Relation

_HOMES = {
    "TradeOff": "auditor.certify.tradeoff",
    "audit": "auditor.engine",
    "AuditError": "auditor.errors",
    "MechanismError": "auditor.errors",
    "UsageError": "auditor.errors",
    "Event": "auditor.events.event",
    "AuditResult": "auditor.results.result",
    "Counts": "auditor.results.result",
    "Verdict": "auditor.results.result",
    "Witness": "auditor.results.result",
    "per_draw": "auditor.sampling.source",
    "tradeoff": "auditor.curves",
    "tradeoff_samples": "auditor.curves",
    "ApproxDP": "mechanisms.core.claims",
    "Claim": "mechanisms.core.claims",
    "GaussianDP": "mechanisms.core.claims",
    "ZCDP": "mechanisms.core.claims",
    "ProfileClaim": "mechanisms.core.claims_curves",
    "RenyiDP": "mechanisms.core.claims_curves",
    "TradeOffClaim": "mechanisms.core.claims_curves",
    "NeighbourPair": "mechanisms.core.neighbours",
    "Relation": "mechanisms.core.neighbours",
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
    "ProfileClaim",
    "Relation",
    "RenyiDP",
    "TradeOff",
    "TradeOffClaim",
    "UsageError",
    "Verdict",
    "Witness",
    "audit",
    "per_draw",
    "tradeoff",
    "tradeoff_samples",
]


def __getattr__(name: str) -> object:
    """Imports on first use: a worker process that only draws does not load the statistics."""
    if name not in _HOMES:
        raise AttributeError(f"module 'auditor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
