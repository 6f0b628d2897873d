"""One row of a results document, and the one mapping from an audit to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from auditor.results import schema
from auditor.results.one_run import OneRunResult
from auditor.results.plain import parse_number, plain
from auditor.results.result import AuditResult

KINDS = ("mechanism", "mutant", "claim", "audit")
AUDIT_OUTCOMES = ("refuted", "not refuted")
LEDGER_OUTCOMES = (
    "holds",
    "holds under condition",
    "false as printed",
    "misprint",
    "definition",
    "not checked",
)
ERROR_OUTCOME = "error"
_OUTCOMES = (*AUDIT_OUTCOMES, *LEDGER_OUTCOMES, ERROR_OUTCOME)


@dataclass(frozen=True)
class Entry:
    """One row of a results document: an audit (mechanism, mutant, someone's code) or a claim of the notes.

    `claimed`, `exact`, `certified` and `detectable` are numbers in the unit that `quantity` names; for an audit that
    is epsilon at `delta`. `by_parts` is what a composition's parts certify together. `finding` and `correction` are
    for what is false as printed. `audit` is the whole AuditResult as plain data, `location` the file and line of the
    audited code with what a replay needs, `pictures` what the report draws (see docs/results.md).
    """

    id: str
    kind: str
    title: str
    source: str
    outcome: str
    expected: str | None = None
    claimed: float | None = None
    exact: float | None = None
    certified: float | None = None
    detectable: float | None = None
    p_value: float | None = None
    trials_used: int | None = None
    witness: str | None = None
    seed: int | None = None
    seconds: float = 0.0
    quantity: str = "epsilon"
    delta: float | None = None
    of: str | None = None
    statement: str = ""
    conditions: str = ""
    explanation: str = ""
    finding: str = ""
    correction: str = ""
    reason: str = ""
    replay: str = ""
    location: Mapping[str, Any] | None = None
    audit: Mapping[str, Any] | None = None
    pictures: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)
    by_parts: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got kind={self.kind!r:.80}")
        for name in ("outcome", "expected"):
            value = getattr(self, name)
            if value not in _OUTCOMES and not (name == "expected" and value is None):
                raise ValueError(f"{name} must be one of {', '.join(_OUTCOMES)}, got {name}={value!r:.80}")

    @property
    def as_expected(self) -> bool:
        """True where there is no ground truth, or the outcome is it."""
        return self.expected is None or self.outcome == self.expected

    @property
    def failed(self) -> bool:
        """True for what turns a run red: an error, an unexpected outcome, a refutation nobody expected."""
        unforeseen = self.expected is None and self.outcome == AUDIT_OUTCOMES[0]
        return self.outcome == ERROR_OUTCOME or not self.as_expected or unforeseen

    @cached_property
    def audit_result(self) -> AuditResult | None:
        """The stored AuditResult, where the entry has one."""
        return None if self.audit is None else AuditResult.from_dict(self.audit)

    @cached_property
    def one_run(self) -> OneRunResult | None:
        """The stored OneRunResult, where the entry is an audit of one training run."""
        stored = (self.location or {}).get("one_run")
        return None if stored is None else OneRunResult.from_dict(stored)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return {name: plain(value) for name, value in values.items() if name != "by_parts" or value is not None}


_NUMBERS = ("claimed", "exact", "certified", "detectable", "p_value", "delta", "by_parts")


def entry_from_dict(data: Any) -> Entry:
    """The entry that `to_dict` described; anything else is a UsageError."""
    schema.check("entry", data, "an entry")
    return entry_of_checked(data)


def entry_of_checked(data: Mapping[str, Any]) -> Entry:
    """The entry of data that fits the schema."""
    numbers = {key: parse_number(data[key]) for key in _NUMBERS if data.get(key) is not None}
    return Entry(**{**data, **numbers, "pictures": tuple(data.get("pictures", ()))})


def found(result: AuditResult) -> dict[str, Any]:
    """What an audit says of its entry: outcome, numbers, witness. Title, place and prose are the caller's."""
    claimed = result.claim.epsilon_at(result.delta)
    return {
        "outcome": result.verdict.value,
        "claimed": None if math.isnan(claimed) else claimed,
        "exact": result.exact,
        "certified": result.epsilon_lower,
        "delta": result.delta,
        "detectable": result.detectable_epsilon,
        "p_value": result.p_value,
        "trials_used": result.trials_used,
        "witness": str(result.witness),
        "seed": result.seed,
        "seconds": result.seconds,
        "statement": str(result.claim),
        "audit": result.to_dict(),
    }
