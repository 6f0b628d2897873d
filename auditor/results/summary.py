"""A result for people to read: at most 12 lines of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor import paragraph
from auditor.results.words import follows, seen

if TYPE_CHECKING:
    from auditor.results.result import AuditResult

_RECORDED = "recorded outputs"  # samples.py: what an audit of recorded outputs is called where it has no name
_BITS = (
    "This is seen in the bits of floating-point numbers: which of them can occur at all depends on the data, whatever "
    "the mathematics says (Mironov 2012). Round to a lattice (dp-audit show lattice-laplace, lattice-gaussian), or say "
    'that only the mathematics is claimed: views=("values",).'
)


def headline(result: AuditResult) -> str:
    """The verdict on the claim."""
    name = "what drew the outputs" if result.name == _RECORDED else result.name
    if result.refuted:
        return paragraph.headline("REFUTED: ", name, f" is not {result.claim}.")
    return paragraph.headline("NOT REFUTED: ", name, f" may be {result.claim}. That is no proof.")


def certified(result: AuditResult) -> str:
    """The lower bound beside what is claimed and, where it is known, exactly true; and how sure it is."""
    at = f" at delta {result.delta:.3g}" if result.delta else ""
    sure = f"alpha {result.alpha:.3g}, {result.trials_used:,} draws a side, seed\u00a0{result.seed}"
    if result.history:
        sure += f", night\u00a0{result.history.get('night', '?')} of its history"
    if result.cut_off is not None:
        sure += f", cut off after {result.cut_off:.3g}\u00a0s"
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


def by_bits(result: AuditResult) -> tuple[str, ...]:
    """What a refutation means that rests on the bits of numbers, and what to do about it."""
    return (_BITS,) if result.refuted and result.witness.event.view == "bits" else ()


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
    for sentence in (*by_bits(result), *result.warnings):
        yield "noticed", sentence
    yield "blind spot", blind_spot(result)


def summary(result: AuditResult) -> str:
    """Verdict, claim, certified, witness, diagnosis, blind spot, in at most 12 lines of 80 columns."""
    first: dict[str, str] = {}  # the first sentence of each kind; the result has the others
    for label, text in parts(result):
        first.setdefault(label, text)
    return paragraph.paragraph(headline(result), first)
