"""What an audit found, as frozen plain data with an exact JSON round trip."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from auditor.errors import UsageError
from auditor.events.event import Event, event_from_dict
from auditor.results.words import witness_words
from mechanisms.core.claims import ZCDP, Claim, GaussianDP, claim_from_dict


class Verdict(StrEnum):
    """Never "private", never "pass": not refuted is not proof."""

    REFUTED = "refuted"
    NOT_REFUTED = "not refuted"


@dataclass(frozen=True)
class Counts:
    """How often the event guessed, on draws made after the event was chosen.

    Each trial flips a fair coin for its side, and the event guesses the side from the output or abstains.
    `left_guessed_left` of the `left_trials` outputs drawn on the left dataset made it guess left, and so on.
    """

    left_trials: int
    right_trials: int
    left_guessed_left: int
    left_guessed_right: int
    right_guessed_left: int
    right_guessed_right: int

    def __post_init__(self) -> None:
        parts = (
            self.left_guessed_left,
            self.left_guessed_right,
            self.right_guessed_left,
            self.right_guessed_right,
        )
        if min(parts) < 0 or parts[0] + parts[1] > self.left_trials or parts[2] + parts[3] > self.right_trials:
            raise ValueError(f"guesses must be counts within their side's trials, got {self}")

    @property
    def correct(self) -> int:
        """Guesses that named the true side."""
        return self.left_guessed_left + self.right_guessed_right

    @property
    def wrong(self) -> int:
        """Guesses that named the other side."""
        return self.left_guessed_right + self.right_guessed_left

    @property
    def trials(self) -> int:
        """Coin flips: draws on both sides together."""
        return self.left_trials + self.right_trials

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(_row(self), _row(other), strict=True)))


def _row(counts: Counts) -> tuple[int, ...]:
    return (
        counts.left_trials,
        counts.right_trials,
        counts.left_guessed_left,
        counts.left_guessed_right,
        counts.right_guessed_left,
        counts.right_guessed_right,
    )


@dataclass(frozen=True)
class PairDescription:
    """A pair as text: results do not carry anyone's data."""

    index: int
    left: str
    right: str
    relation: str = "unspecified"
    why: str = ""
    group: int = 1

    def __str__(self) -> str:
        how = [] if self.relation == "unspecified" else [self.relation]
        how += [f"group of {self.group}"] if self.group > 1 else []
        return f"{self.left} and {self.right}" + (f" ({', '.join(how)})" if how else "")


@dataclass(frozen=True)
class Witness:
    """The pair, the direction and the event on which the claim fails worst, with its counts."""

    pair: PairDescription
    direction: str
    event: Event
    counts: Counts
    epsilon: float
    delta: float
    phase: str
    names: tuple[str, ...] = ()  # of the output's numbers, where it names them

    def __str__(self) -> str:
        return witness_words(self)


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
    pairs_tried: int = 0  # by a search; 0 where the pairs were given
    seconds: float = 0.0
    delta_lower: float | None = None  # of a Gaussian DP or zCDP claim: a lower bound on delta at the witness's epsilon
    cut_off: float | None = None  # seconds of the time limit that ended it; the rounds counted are those of `evidence`
    measured: tuple[int, int] | None = None  # coin flips, learning and last round, after an early refutation
    history: Mapping[str, Any] = field(default_factory=dict)  # of a nightly audit: its night, and all rounds so far

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
        w = self.witness
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
            "witness": {
                "pair": dict(vars(w.pair)),
                "direction": w.direction,
                "event": w.event.to_dict(),
                "counts": dict(vars(w.counts)),
                "epsilon": w.epsilon,
                "delta": w.delta,
                "phase": w.phase,
                "names": list(w.names),
                "words": str(w),
            },
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
        }

    def to_json(self) -> str:
        """One JSON document; `from_json` gives an equal result."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @staticmethod
    def from_dict(data: Any) -> AuditResult:
        """The result that `to_dict` described; anything else is a UsageError."""
        try:
            w = data["witness"]
            return AuditResult(
                name=_typed(data["name"], str),
                claim=claim_from_dict(data["claim"]),
                verdict=Verdict(data["verdict"]),
                epsilon_lower=parse_number(data["epsilon_lower"]),
                delta=_measure(data["delta"]),
                p_value=_measure(data["p_value"]),
                trials_used=_typed(data["trials_used"], int),
                trials=_typed(data["trials"], int),
                alpha=_measure(data["alpha"]),
                seed=_typed(data["seed"], int),
                views=tuple(_typed(view, str) for view in data["views"]),
                witness=Witness(
                    pair=_pair(w["pair"]),
                    direction=_typed(w["direction"], str),
                    event=event_from_dict(w["event"]),
                    counts=Counts(**{key: _typed(value, int) for key, value in w["counts"].items()}),
                    epsilon=_measure(w["epsilon"]),
                    delta=_measure(w["delta"]),
                    phase=_typed(w["phase"], str),
                    names=tuple(_typed(name, str) for name in w.get("names", ())),
                ),
                detectable_epsilon=parse_number(data["detectable_epsilon"]),
                limits=tuple(_typed(line, str) for line in data["limits"]),
                warnings=tuple(_typed(line, str) for line in data["warnings"]),
                diagnosis=tuple(_typed(line, str) for line in data.get("diagnosis", ())),
                replayable=_typed(data["replayable"], bool),
                evidence=tuple((_typed(t, int), _measure(v)) for t, v in data["evidence"]),
                sketch=_typed(data["sketch"], dict),
                pairs_tried=_typed(data.get("pairs_tried", 0), int),
                seconds=_measure(data["seconds"]),
                delta_lower=_measure(data["delta_lower"]) if "delta_lower" in data else None,
                cut_off=_measure(data["cut_off"]) if "cut_off" in data else None,
                measured=_flips(data["measured"]) if "measured" in data else None,
                history=_typed(data.get("history", {}), dict),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"a stored audit result must have the fields of docs/results.md: {error}") from error

    @staticmethod
    def from_json(text: str) -> AuditResult:
        """The result that `to_json` wrote."""
        try:
            data = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"a stored audit result must be JSON: {error}") from error
        return AuditResult.from_dict(data)

    def without_timings(self) -> AuditResult:
        """The same result with its seconds set to zero: equal for equal seeds."""
        return replace(self, seconds=0.0)


def _pair(data: Mapping[str, Any]) -> PairDescription:
    kinds = {"index": int, "group": int}
    return PairDescription(**{key: _typed(value, kinds.get(key, str)) for key, value in data.items()})


def _measure(value: Any) -> float:
    """A number that is there and finite."""
    if value is None or not math.isfinite(parse_number(value)):
        raise ValueError(f"expected a finite number, got {value!r:.60}")
    return parse_number(value)


def _flips(value: Any) -> tuple[int, int]:
    learning, last = (_typed(part, int) for part in value)
    return learning, last


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON; a number that does not exist is null, an infinity "inf"')


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"expected {kind.__name__}, got {value!r:.60}")
    return value


def number(value: float | None) -> float | str | None:
    """A number for JSON: null where there is none, "inf" and "-inf" for infinities."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def parse_number(value: Any) -> float:
    """The number that `number` wrote (null is NaN)."""
    if value is None:
        return math.nan
    if value in ("inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"expected a number, got {value!r:.60}")
    return float(value)
