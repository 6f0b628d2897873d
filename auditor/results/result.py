"""What an audit found, as frozen plain data with an exact JSON round trip."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from auditor.errors import UsageError
from auditor.results import schema
from auditor.results.plain import number, parse_number, parsed
from auditor.results.witness import Witness
from mechanisms.core.claims import ZCDP, Claim, GaussianDP, claim_from_dict


class Verdict(StrEnum):
    """Never "private", never "pass": not refuted is not proof."""

    REFUTED = "refuted"
    NOT_REFUTED = "not refuted"


@dataclass(frozen=True, repr=False)
class AuditResult:
    """The outcome of one audit. Every number in it holds together, with one alpha for all."""

    name: str
    claim: Claim
    verdict: Verdict
    epsilon_lower: float
    delta: float
    p_value: float
    trials_used: int
    trials: int
    alpha: float
    seed: int
    views: tuple[str, ...]
    witness: Witness
    detectable_epsilon: float
    limits: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()  # what was noticed about the mechanism, beside its privacy
    diagnosis: tuple[str, ...] = ()  # why, as far as runs with the same random numbers show it; no part of the proof
    replayable: bool = True
    evidence: tuple[tuple[int, float], ...] = ()
    sketch: Mapping[str, Any] = field(default_factory=dict)
    pairs_tried: int = 0  # pairs that a search looked at; 0 where the pairs were given
    seconds: float = 0.0
    delta_lower: float | None = None  # for a Gaussian DP or zCDP claim: a lower bound on delta at the witness's epsilon
    cut_off: float | None = None  # seconds of the time limit that ended it; the rounds counted are those of `evidence`
    measured: tuple[int, int] | None = None  # coin flips, learning and last round, after an early refutation
    history: Mapping[str, Any] = field(default_factory=dict)  # the night of a nightly audit, and all rounds so far
    exact: float | None = None  # what is exactly true at `delta`, where the mechanism knows it

    @property
    def refuted(self) -> bool:
        """True when the claim was refuted."""
        return self.verdict is Verdict.REFUTED

    @property
    def mu_lower(self) -> float | None:
        """Of a Gaussian DP claim: a certified lower bound on mu; None for other claims."""
        return self._in_its_unit(GaussianDP) if isinstance(self.claim, GaussianDP) else None

    @property
    def rho_lower(self) -> float | None:
        """Of a zCDP claim: a certified lower bound on rho; None for other claims."""
        return self._in_its_unit(ZCDP) if isinstance(self.claim, ZCDP) else None

    def _in_its_unit(self, claim: Callable[[float], Claim]) -> float:
        """The larger of what epsilon at the result's delta says, and delta at the witness's epsilon: both hold."""
        from auditor.certify.units import largest_refuted

        found = largest_refuted(claim, self.epsilon_lower, self.delta) if self.epsilon_lower > 0 else 0.0
        if self.delta_lower is None:
            return found
        return max(found, largest_refuted(claim, self.witness.epsilon, self.delta_lower))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<AuditResult of {self.name!r}: {self.claim} {self.verdict}, epsilon >= {self.epsilon_lower:.6g}>"

    def summary(self) -> str:
        """Verdict, claim, certified, witness, diagnosis and blind spot in at most 12 lines of 80 columns."""
        from auditor.results.summary import summary

        return summary(self)

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        from auditor.results.card import card

        return card(self)

    def plot(self, ax: Any = None) -> Any:
        """The outputs on both datasets and where the event lies, in a matplotlib Axes (a new one without `ax`)."""
        from auditor.results.plot import plot

        return plot(self, ax)

    def to_frame(self) -> Any:
        """The result as one row of a pandas DataFrame; results of several audits can be concatenated."""
        from auditor.results.frame import frame

        return frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; infinities are the string "inf"."""
        return {
            "name": self.name,
            "claim": self.claim.to_dict(),
            "verdict": self.verdict.value,
            "epsilon_lower": number(self.epsilon_lower),
            "delta": self.delta,
            **({} if self.delta_lower is None else {"delta_lower": self.delta_lower}),
            "p_value": self.p_value,
            "trials_used": self.trials_used,
            "trials": self.trials,
            "alpha": self.alpha,
            "seed": self.seed,
            "views": list(self.views),
            "witness": self.witness.to_dict(),
            "detectable_epsilon": number(self.detectable_epsilon),
            "limits": list(self.limits),
            "warnings": list(self.warnings),
            "diagnosis": list(self.diagnosis),
            "replayable": self.replayable,
            "evidence": [list(point) for point in self.evidence],
            "sketch": dict(self.sketch),
            **({"pairs_tried": self.pairs_tried} if self.pairs_tried else {}),
            "seconds": self.seconds,
            **({} if self.cut_off is None else {"cut_off": self.cut_off}),
            **({} if self.measured is None else {"measured": list(self.measured)}),
            **({"history": dict(self.history)} if self.history else {}),
            **({} if self.exact is None else {"exact": number(self.exact)}),
        }

    def to_json(self) -> str:
        """One JSON document; `from_json` gives an equal result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @staticmethod
    def from_dict(data: Any) -> AuditResult:
        """The result that `to_dict` described; anything else is a UsageError."""
        schema.check("audit", data, "a stored audit result")
        given = {name: data[name] for name in _AS_STORED if name in data}
        given |= {name: parse_number(data[name]) for name in _NUMBERS if name in data}
        given |= {name: tuple(data[name]) for name in _TUPLES if name in data}
        try:
            return AuditResult(
                claim=claim_from_dict(data["claim"]),
                verdict=Verdict(data["verdict"]),
                witness=Witness.from_dict(data["witness"]),
                evidence=tuple((drawn, float(value)) for drawn, value in data["evidence"]),
                **given,
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"a stored audit result must be as in docs/results.md: {error}") from error

    @staticmethod
    def from_json(text: str) -> AuditResult:
        """The result that `to_json` wrote."""
        return AuditResult.from_dict(parsed(text, "a stored audit result"))

    def without_timings(self) -> AuditResult:
        """The same result with its seconds set to zero: equal for equal seeds."""
        return replace(self, seconds=0.0)


_AS_STORED = ("name", "trials_used", "trials", "seed", "replayable", "sketch", "pairs_tried", "history")
_NUMBERS = (
    "epsilon_lower",
    "delta",
    "p_value",
    "alpha",
    "detectable_epsilon",
    "seconds",
    "delta_lower",
    "cut_off",
    "exact",
)
_TUPLES = ("views", "limits", "warnings", "diagnosis", "measured")
