"""What the audit of one training run found, as frozen plain data with an exact JSON round trip."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from auditor.errors import UsageError
from auditor.results import schema
from auditor.results.plain import number, parse_number, parsed
from auditor.results.result import Verdict
from mechanisms.core.claims import ApproxDP, Claim, claim_from_dict

GAUSSIAN = "Gaussian"  # the mechanism's trade-off curve is that of mu-GDP for some mu, as for many noisy steps
NONE = "none"


@dataclass(frozen=True)
class OneRunResult:
    """The outcome of an audit of one run. Each of its three bounds holds with probability at least 1 - alpha.

    `verdict` and `p_value` are about the claim as it stands, whatever the mechanism. `mu_lower` bounds the smallest mu
    for which the mechanism is mu-GDP, whatever the mechanism. `epsilon_lower_any` bounds epsilon at `delta` whatever
    the mechanism. `epsilon_lower` bounds epsilon at `delta` under `assumption`: "Gaussian" says that the mechanism's
    curve is mu-GDP's for some mu, and then epsilon is that of `mu_lower`.
    """

    claim: Claim
    verdict: Verdict
    epsilon_lower: float
    epsilon_lower_any: float
    mu_lower: float
    delta: float
    assumption: str
    p_value: float
    canaries: int
    included: int
    guesses: int
    correct: int
    alpha: float
    limits: tuple[str, ...] = ()
    name: str = "one run"
    source: str = ""  # the hash of the file from which the scores were read
    seconds: float = 0.0

    @property
    def refuted(self) -> bool:
        """True when the claim was refuted."""
        return self.verdict is Verdict.REFUTED

    def __str__(self) -> str:
        at = f" at delta {self.delta:.3g}" if self.delta else ""
        accuracy = self.correct / max(1, self.guesses)
        bounds = f"With {1 - self.alpha:.0%} confidence epsilon is at least {self.epsilon_lower_any:.3g}{at}"
        if self.assumption == GAUSSIAN:
            bounds += (
                f" for any mechanism, and at least {self.epsilon_lower:.3g} if its privacy loss is Gaussian "
                f"(mu at least {self.mu_lower:.3g})"
            )
        return (
            f"{self.name}: {self.claim} is {self.verdict.value} (p = {self.p_value:.3g}): {self.correct:,} of "
            f"{self.guesses:,} guesses about {self.canaries:,} canaries were correct ({accuracy:.1%}). {bounds}."
            + ("" if self.refuted else " Not refuted is not proof.")
        )

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        from auditor.results.card import text_card

        return text_card(self.refuted, self.name, str(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; infinities are the string "inf"."""
        plain = {key: value for key, value in vars(self).items() if key not in ("claim", "verdict", "limits")}
        numbers = {key: number(value) if isinstance(value, float) else value for key, value in plain.items()}
        return {
            "kind": "one run",
            "claim": self.claim.to_dict(),
            "verdict": self.verdict.value,
            **numbers,
            "limits": list(self.limits),
        }

    def to_json(self) -> str:
        """One JSON document; `from_json` gives an equal result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @staticmethod
    def from_dict(data: Any) -> OneRunResult:
        """The result that `to_dict` described; anything else is a UsageError."""
        schema.check("one_run", data, "a stored one-run result")
        given = {part.name: data[part.name] for part in fields(OneRunResult)}
        given |= {name: parse_number(data[name]) for name in _NUMBERS}
        try:
            claim = claim_from_dict(data["claim"])
        except ValueError as error:
            raise UsageError(f"a stored one-run result must be as in docs/training.md: {error}") from error
        verdict, limits = Verdict(data["verdict"]), tuple(data["limits"])
        return OneRunResult(**{**given, "claim": claim, "verdict": verdict, "limits": limits})

    @staticmethod
    def from_json(text: str) -> OneRunResult:
        """The result that `to_json` wrote."""
        return OneRunResult.from_dict(parsed(text, "a stored one-run result"))


_NUMBERS = ("epsilon_lower", "epsilon_lower_any", "mu_lower", "delta", "p_value", "alpha", "seconds")


def delta_of(claim: Claim) -> float:
    """The delta at which epsilon is bounded: the claim's own, or one in 100,000 where a claim is a whole curve."""
    return claim.delta if isinstance(claim, ApproxDP) else 1e-5
