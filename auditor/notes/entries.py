"""One entry of the ledger: what the notes print, and the check that computes whether it is so.

    @entry(
        "000-L4.1",
        kind="P",
        title="Privacy amplification by subsampling",
        statement="A is ε-DP ⇒ A on a Poisson sample of rate ε is 2ε²-DP",
        conditions="0 < ε < 1, add/remove",
        source="000 Lemma 4.1",
        expected="holds",
        tests=1,              # random checks inside: audits and Monte Carlo tests, for the split of alpha
    )
    def subsampling(run: Run) -> Outcome:
        ...
        return judge(printed=[at_most("exact epsilon", value, bound)], claimed=bound, exact=value)

The outcome follows from facts alone:

    printed all true                               holds (definition, for a definition made executable)
    printed fails, all true within `condition`     holds under condition
    printed fails, `intended` all true             misprint: the text itself says elsewhere what was meant
    printed fails, `corrected` all true            false as printed
    anything else, or an anchor that fails         error: the check contradicts itself

`anchors` are facts that must hold whatever the notes say: two ways to one number, a value worked out by hand,
a misprinted line of a proof that fails. They turn an entry red when a formula of the catalogue changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from auditor.notes.facts import Fact
from auditor.notes.run import Run
from auditor.results.entry import ERROR_OUTCOME, LEDGER_OUTCOMES, found
from auditor.results.pictures import profile_picture
from auditor.results.result import AuditResult
from mechanisms.core.claims import Profile

KINDS = {
    "D": "definition",
    "M": "mechanism",
    "P": "privacy",
    "A": "accuracy",
    "L": "lemma",
    "E": "example",
    "R": "remark",
}


@dataclass(frozen=True)
class Outcome:
    """What a check computed, with everything a report shows of it. Built by `judge` or `not_checked`."""

    outcome: str
    claimed: float | None = None
    exact: float | None = None
    certified: float | None = None
    quantity: str = "epsilon"
    delta: float | None = None
    finding: str = ""
    correction: str = ""
    explanation: str = ""
    witness: str | None = None
    reason: str = ""
    p_value: float | None = None
    trials_used: int | None = None
    detectable: float | None = None
    audit: Mapping[str, Any] | None = None
    pictures: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        if self.outcome not in (*LEDGER_OUTCOMES, ERROR_OUTCOME):
            raise ValueError(f"an outcome must be one of {', '.join(LEDGER_OUTCOMES)}, got {self.outcome!r}")


def judge(
    *,
    printed: Sequence[Fact],
    condition: Sequence[Fact] = (),
    intended: Sequence[Fact] = (),
    corrected: Sequence[Fact] = (),
    anchors: Sequence[Fact] = (),
    definition: bool = False,
    audit: AuditResult | None = None,
    curve: Profile | None = None,
    **details: Any,
) -> Outcome:
    """The outcome that the facts imply (see the table at the top of this file).

    `audit` fills in what it certified; with `curve`, the audited mechanism's exact profile, it is drawn as
    well.
    """
    if not printed:
        raise ValueError("a check must have at least one fact about what is printed, got none")
    outcome, reason = _implied(printed, condition, intended, corrected, anchors, definition)
    failing = next((fact for fact in printed if not fact), None)
    details.setdefault("witness", failing.words if failing is not None else None)
    result = Outcome(outcome, explanation=_explain(printed, condition, intended, corrected, anchors), reason=reason)
    if audit is not None:
        said = found(audit)
        for name in ("certified", "delta"):
            details.setdefault(name, said[name])
        details["witness"] = details["witness"] or said["witness"]
        details |= {name: said[name] for name in ("p_value", "trials_used", "detectable", "audit")}
        if curve is not None:
            picture = profile_picture(audit.claim, curve, audit)
            details["pictures"] = (picture, *details.get("pictures", ()))
    return replace(result, **details)


def _implied(
    printed: Sequence[Fact],
    condition: Sequence[Fact],
    intended: Sequence[Fact],
    corrected: Sequence[Fact],
    anchors: Sequence[Fact],
    definition: bool,
) -> tuple[str, str]:
    broken = [fact for fact in anchors if not fact]
    if broken:
        return ERROR_OUTCOME, f"this must hold whatever the notes say: {broken[0].words}"
    if all(printed):
        return ("definition" if definition else "holds"), ""
    for facts, outcome in (
        (condition, "holds under condition"),
        (intended, "misprint"),
        (corrected, "false as printed"),
    ):
        if facts:
            wrong = [fact for fact in facts if not fact]
            if not wrong:
                return outcome, ""
            return ERROR_OUTCOME, f"what is printed fails, and its repair too: {wrong[0].words}"
    failing = next(fact for fact in printed if not fact)
    return ERROR_OUTCOME, f"what is printed fails, and the check knows no repair: {failing.words}"


def _explain(*groups: Sequence[Fact]) -> str:
    names = ("as printed", "within the condition", "as the text means it", "corrected", "cross-checks")
    lines = []
    for name, facts in zip(names, groups, strict=True):
        if facts:
            lines += [f"{name}:", *(f"  {fact}" for fact in facts)]
    return "\n".join(lines)


def not_checked(reason: str) -> Outcome:
    """For what no computation can decide; the reason is part of the outcome."""
    if not reason:
        raise ValueError("what is not checked needs a reason, got an empty one")
    return Outcome("not checked", reason=reason)


@dataclass(frozen=True)
class Check:
    """An entry as registered: the printed claim and the function that checks it."""

    id: str
    kind: str
    title: str
    statement: str
    source: str
    expected: str
    function: Callable[[Run], Outcome] = field(repr=False, compare=False)
    conditions: str = ""
    tests: int = 0

    def __post_init__(self) -> None:
        for letter in self.kind.split(","):
            if letter not in KINDS:
                raise ValueError(f"kind must be letters of {', '.join(KINDS)}, got kind={self.kind!r} in {self.id}")
        if self.expected not in LEDGER_OUTCOMES:
            raise ValueError(
                f"expected must be one of {', '.join(LEDGER_OUTCOMES)}, got {self.expected!r} in {self.id}"
            )

    @property
    def kinds(self) -> str:
        """The kind in words."""
        return ", ".join(KINDS[letter] for letter in self.kind.split(","))


_REGISTERED: dict[str, Check] = {}


def entry(
    identifier: str,
    *,
    kind: str,
    title: str,
    statement: str,
    source: str,
    expected: str,
    conditions: str = "",
    tests: int = 0,
) -> Callable[[Callable[[Run], Outcome]], Callable[[Run], Outcome]]:
    """Registers the decorated check under the ledger's id. `tests` counts its random checks (see `Run`)."""

    def register(function: Callable[[Run], Outcome]) -> Callable[[Run], Outcome]:
        known = _REGISTERED.get(identifier)
        if known is not None and known.function.__module__ != function.__module__:
            raise ValueError(f"ids in the ledger are unique, got {identifier!r} twice")
        _REGISTERED[identifier] = Check(
            identifier, kind, title, statement, source, expected, function, conditions, tests
        )
        return function

    return register


def registered() -> tuple[Check, ...]:
    """Every check that has been imported, in the order of the files and of their lines."""
    return tuple(_REGISTERED.values())
