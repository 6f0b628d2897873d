"""What a run of a case gave, as plain data: everything that the pages need."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auditor import ApproxDP, AuditResult, Sensitivity, TradeOff
from auditor.errors import UsageError
from auditor.libraries.opendp import Stability
from auditor.results.plain import number, parse_number
from gallery.case import NOT_REFUTED, REFUTED

SCHEMA = "dp-audit-gallery/1"
ERROR = "error"
_NUMBERS = ("claimed", "found", "delta")


@dataclass(frozen=True)
class Outcome:
    """A verdict with its figures.

    `claimed` and `found` are epsilons at `delta` for an audit (found: certified at least), and distances for a
    deterministic check. `draws` are draws a side, or pairs that were tried.
    """

    name: str
    verdict: str
    claimed: float | None = None
    found: float | None = None
    delta: float = 0.0
    claim: str = ""
    draws: int = 0
    seconds: float = 0.0
    lines: int = 0
    printed: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    audit: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), **{key: number(getattr(self, key)) for key in _NUMBERS}}

    @staticmethod
    def from_dict(data: Any) -> Outcome:
        """The outcome that `to_dict` described."""
        try:
            numbers = {key: None if data[key] is None else parse_number(data[key]) for key in _NUMBERS}
            return Outcome(**{**data, **numbers})
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(f"an outcome must be as the gallery wrote it, got: {error}") from error


def outcome_of(name: str, found: Any) -> Outcome:
    """The outcome of what a case returned: a result, or a sensitivity or trade-off curve with what is claimed of it."""
    match found:
        case AuditResult():
            return Outcome(
                name,
                REFUTED if found.refuted else NOT_REFUTED,
                claimed=found.claim.epsilon_at(found.delta),
                found=found.epsilon_lower,
                delta=found.delta,
                claim=str(found.claim),
                draws=found.trials_used,
                printed=str(found),
                audit=found.to_dict(),
            )
        case (Sensitivity() as sensitivity, at_most):
            broken = sensitivity.value > at_most
            says = f"The library says at most {at_most:.6g}."
            return Outcome(
                name,
                REFUTED if broken else NOT_REFUTED,
                claimed=float(at_most),
                found=sensitivity.value,
                claim=f"{sensitivity.norm} distance of at most {at_most:.6g}",
                draws=sensitivity.tried,
                printed=f"{sensitivity}\n{says}",
            )
        case (TradeOff() as curve, ApproxDP() as claim):
            certified = curve.epsilon_at(claim.delta)
            return Outcome(
                name,
                REFUTED if certified > claim.epsilon else NOT_REFUTED,
                claimed=claim.epsilon,
                found=certified,
                delta=claim.delta,
                claim=str(claim),
                draws=min(min(one.trials) for one in curve.certificates),
                printed=str(curve),
            )
        case Stability():
            return Outcome(
                name,
                REFUTED if found.refuted else NOT_REFUTED,
                claimed=_number(found.allowed),
                found=_number(found.distance),
                claim=f"{found.metric} of at most {found.allowed}",
                draws=found.tried,
                printed=str(found),
            )
    raise UsageError(
        "a case returns a result, a stability, (sensitivity, what is claimed) or (trade-off curve, claim); "
        f"got {type(found).__name__}"
    )


def _number(distance: Any) -> float | None:
    """A distance of one number; None where it has several."""
    return None if isinstance(distance, tuple) else float(distance)


def write(path: Path, outcomes: Mapping[str, Outcome]) -> None:
    """Stores outcomes in the order of their names."""
    data = {"schema": SCHEMA, "outcomes": [outcomes[name].to_dict() for name in sorted(outcomes)]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Outcome]:
    """The outcomes that `write` stored; none where there is no file."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise UsageError(f"{path.name} must say schema {SCHEMA}; is it written by the gallery?")
    return {one.name: one for one in map(Outcome.from_dict, data["outcomes"])}


def shown(value: float | None) -> str:
    """A number as the tables show it."""
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞"
    return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
