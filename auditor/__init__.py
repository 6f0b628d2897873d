"""An empirical auditor for differential privacy.

>>> from auditor import audit, ApproxDP
>>> result = audit(mechanism, claim=ApproxDP(epsilon=1.0), pairs=[(left, right)])
>>> result.verdict, result.epsilon_lower, str(result.witness)
"""

from __future__ import annotations

__version__ = "0.2.0"  # the only place: the build reads it here

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` for it costs milliseconds
if TYPE_CHECKING:
    from auditor.certify.tradeoff import TradeOff
    from auditor.curves import tradeoff, tradeoff_samples
    from auditor.engine import audit
    from auditor.errors import AuditError, MechanismError, UsageError
    from auditor.events.event import Event
    from auditor.one_run import audit_one_run
    from auditor.results.counts import Counts
    from auditor.results.many import Results
    from auditor.results.one_run import OneRunResult
    from auditor.results.result import AuditResult, Verdict
    from auditor.results.witness import Witness
    from auditor.samples import audit_samples
    from auditor.sampling.built import built_in_worker
    from auditor.sampling.command import command
    from auditor.sampling.draws import batched, per_draw
    from auditor.search.pairs.sensitivity import Sensitivity, sensitivity
    from auditor.search.pairs.strategies import neighbouring
    from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP
    from mechanisms.core.claims_curves import ProfileClaim, RenyiDP, TradeOffClaim
    from mechanisms.core.neighbours import NeighbourPair, Relation

_HOMES = {
    "TradeOff": "auditor.certify.tradeoff",
    "audit": "auditor.engine",
    "audit_one_run": "auditor.one_run",
    "audit_samples": "auditor.samples",
    "OneRunResult": "auditor.results.one_run",
    "AuditError": "auditor.errors",
    "MechanismError": "auditor.errors",
    "UsageError": "auditor.errors",
    "Event": "auditor.events.event",
    "AuditResult": "auditor.results.result",
    "Results": "auditor.results.many",
    "Counts": "auditor.results.counts",
    "Verdict": "auditor.results.result",
    "Witness": "auditor.results.witness",
    "command": "auditor.sampling.command",
    "batched": "auditor.sampling.draws",
    "built_in_worker": "auditor.sampling.built",
    "per_draw": "auditor.sampling.draws",
    "tradeoff": "auditor.curves",
    "tradeoff_samples": "auditor.curves",
    "Sensitivity": "auditor.search.pairs.sensitivity",
    "sensitivity": "auditor.search.pairs.sensitivity",
    "neighbouring": "auditor.search.pairs.strategies",
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
    "OneRunResult",
    "ProfileClaim",
    "Relation",
    "RenyiDP",
    "Results",
    "Sensitivity",
    "TradeOff",
    "TradeOffClaim",
    "UsageError",
    "Verdict",
    "Witness",
    "audit",
    "audit_one_run",
    "audit_samples",
    "batched",
    "built_in_worker",
    "command",
    "neighbouring",
    "per_draw",
    "sensitivity",
    "tradeoff",
    "tradeoff_samples",
]


def __getattr__(name: str) -> object:
    """Imports on first use: a worker process that only draws does not load the statistics."""
    if name not in _HOMES:
        raise AttributeError(f"module 'auditor' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
