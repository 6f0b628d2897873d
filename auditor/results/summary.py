"""A result for people to read: at most 12 lines of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.results.words import follows, seen

if TYPE_CHECKING:
    from auditor.results.result import AuditResult

_WIDTH = 80
_LINES = 12
_MARGIN = 11  # columns that the labels take
_MOST = {"certified": 2, "so": 2, "why": 3, "noticed": 2}  # most lines of a part; the witness has the remaining lines


def headline(result: AuditResult) -> str:
    """The verdict on the claim."""
    name = textwrap.shorten(result.name, 40, placeholder="…") or "it"
    if result.refuted:
        return f"REFUTED: {name} is not {result.claim}."
    return f"NOT REFUTED: {name} may be {result.claim}. That is no proof."


def certified(result: AuditResult) -> str:
    """The lower bound beside what is claimed and, where it is known, exactly true; and how sure it is."""
    at = f" at delta {result.delta:.3g}" if result.delta else ""
    sure = f"alpha {result.alpha:.3g}, {result.trials_used:,} draws a side, seed {result.seed}"
    own = next((f"{unit} >= {v:.4g}; " for unit, v in (("mu", result.mu_lower), ("rho", result.rho_lower)) if v), "")
    return f"{own}epsilon {beyond(result)}{at}, claimed {claimed_and_exact(result)} ({sure})"


def claimed_and_exact(result: AuditResult) -> str:
    """The claimed epsilon and, where the mechanism knows it, the exact one."""
    exact = "" if result.exact is None else f", exactly {result.exact:.4g}"
    return f"{result.claim.epsilon_at(result.delta):.4g}{exact}"


def beyond(result: AuditResult) -> str:
    """The certified epsilon, in as many digits as it takes to see on which side of the claimed one it lies."""
    claimed, bound = result.claim.epsilon_at(result.delta), result.epsilon_lower
    if result.refuted and bound <= claimed:
        return f"> {claimed:.4g}"
    digits = next((d for d in range(4, 16) if f"{bound:.{d}g}" != f"{claimed:.{d}g}"), 4)
    return f">= {bound:.{digits}g}"


def blind_spot(result: AuditResult) -> str:
    """What this audit could not have seen."""
    at = f" at delta {result.delta:.3g}" if result.delta else ""
    return f"epsilon below {result.detectable_epsilon:.4g}{at}; other pairs and other events"


def parts(result: AuditResult) -> Iterator[tuple[str, str]]:
    """Label and text of each part, in order."""
    yield "certified", certified(result)
    yield "witness", seen(result.witness)
    yield "so", follows(result.witness)
    for sentence in result.diagnosis:
        yield "why", sentence
    for sentence in result.warnings:
        yield "noticed", sentence
    yield "blind spot", blind_spot(result)


def summary(result: AuditResult) -> str:
    """Verdict, claim, certified, witness, diagnosis, blind spot; what does not fit ends in an ellipsis."""
    first: dict[str, str] = {}  # the first sentence of each kind; the result has the others
    for label, text in parts(result):
        first.setdefault(label, text)
    told = {label: _wrapped(label, text, _MOST.get(label, 1)) for label, text in first.items() if label != "witness"}
    told["witness"] = _wrapped("witness", first["witness"], _LINES - 1 - sum(map(len, told.values())))
    head = textwrap.wrap(_clean(headline(result)), _WIDTH, max_lines=1, placeholder=" …")
    return "\n".join([*head, *(line for label in first for line in told[label])])


def _wrapped(label: str, text: str, most: int) -> list[str]:
    return textwrap.wrap(
        _clean(text),
        _WIDTH,
        initial_indent=f"  {label:<{_MARGIN}}",
        subsequent_indent=" " * (_MARGIN + 2),
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )


def _clean(text: str) -> str:
    """Foreign text without control characters: a terminal would obey them."""
    return "".join(character if character.isprintable() or character.isspace() else "�" for character in text)
