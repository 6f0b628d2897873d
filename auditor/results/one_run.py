"""What the audit of one training run found, as frozen plain data with an exact JSON round trip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from auditor.errors import UsageError
from auditor.paragraph import headline, paragraph
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
        return self.summary()

    def summary(self) -> str:
        """Verdict, guesses, bounds and what they assume, in at most 12 lines of 80 columns."""
        return paragraph(headline(*self._verdict()), dict(self.parts()))

    def sentence(self) -> str:
        """The same in one line of text."""
        return " ".join(["".join(self._verdict()), *(f"{label.capitalize()}: {text}." for label, text in self.parts())])

    def _verdict(self) -> tuple[str, str, str]:
        if self.refuted:
            return "REFUTED: ", self.name, f" is not {self.claim}."
        return "NOT REFUTED: ", self.name, f" may be {self.claim}. That is no proof."

    def parts(self) -> Iterator[tuple[str, str]]:
        """Label and text of each part, in order."""
        at = f" at delta {self.delta:.3g}" if self.delta else ""
        accuracy = self.correct / max(1, self.guesses)
        yield (
            "guesses",
            f"{self.correct:,} of {self.guesses:,} about {self.canaries:,} canaries correct ({accuracy:.1%})",
        )
        yield "p-value", f"{self.p_value:.3g} (alpha {self.alpha:.3g}: refuted at or below it)"
        claimed = f"claimed {self.claim.epsilon_at(self.delta):.4g}"
        yield "certified", f"epsilon >= {self.epsilon_lower_any:.3g}{at}, {claimed}, whatever the mechanism"
        if self.assumption == GAUSSIAN:
            bounds = f"epsilon >= {self.epsilon_lower:.3g}{at}, mu >= {self.mu_lower:.3g}"
            yield "assuming", f"{bounds}, if its privacy loss is Gaussian"
        yield "blind spot", "other canaries, scores and attacks may tell more"

    def _repr_html_(self) -> str:
        """The card that a notebook shows."""
        from auditor.results.card import table_card

        return table_card(self.refuted, self.name, [("claim", str(self.claim)), *self.parts()])

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
