"""What a report says of one entry: its facts, its witness's counts, its limits and warnings, how to see it again."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass

from auditor.results.baseline import reason_of
from auditor.results.counts import Counts
from auditor.results.entry import Entry
from auditor.results.one_run import GAUSSIAN, OneRunResult
from auditor.results.result import AuditResult
from mechanisms.core.claims import ApproxDP
from reports.words import count, duration, line, number

NOT_PROOF = (
    "Not refuted is not proof: an audit draws finitely often on the inputs it was given. "
    "Other inputs and rarer events may be worse."
)


@dataclass(frozen=True)
class Figure:
    """A labelled value of an entry; `hint` says how to read it."""

    name: str
    value: str
    hint: str = ""


def _in_its_unit(result: AuditResult | None) -> tuple[tuple[str, float | None], ...]:
    """What was certified of a claim that is a curve, in the claim's own unit."""
    return () if result is None else (("μ", result.mu_lower), ("ρ", result.rho_lower))


def facts(entry: Entry) -> list[Figure]:
    """Claimed, exactly true, certified, blind spot, and how sure."""
    return _facts_of_draws(entry) if entry.one_run is None else _facts_of_one_run(entry.one_run)


def _facts_of_one_run(found: OneRunResult) -> list[Figure]:
    """Claimed, certified with and without an assumption, and the guesses that show it."""
    at = f" at δ = {number(found.delta)}" if found.delta else ""
    figures = [
        Figure("Claimed", str(found.claim)),
        Figure("Certified", f"ε ≥ {number(found.epsilon_lower_any)}{at}", "whatever the mechanism"),
    ]
    if found.assumption == GAUSSIAN:
        bounds = f"ε ≥ {number(found.epsilon_lower)}{at}, μ ≥ {number(found.mu_lower)}"
        figures.append(Figure("If its privacy loss is Gaussian", bounds, "as after many noisy steps"))
    return [
        *figures,
        Figure("Canaries", count(found.canaries), f"{count(found.included)} of them included"),
        Figure("p-value", number(found.p_value, 3), f"refuted at or below {number(found.alpha)}"),
        *([Figure("Took", duration(found.seconds))] if found.seconds else []),
    ]


def witness(entry: Entry) -> str:
    """What was seen, in a sentence or two; empty where the explanation of a claim says it.

    Of one run it is the guesses: its bounds stand among the facts.
    """
    found = entry.one_run
    if found is None:
        told = entry.kind == "claim" and line(entry.witness or "") in line(entry.explanation)
        return "" if told else entry.witness or ""
    if not found.guesses:
        return f"No guess was made about {count(found.canaries)} canaries."
    claimed, share = found.claim.epsilon_at(found.delta), 100 * found.correct / found.guesses
    allowed = "" if math.isnan(claimed) else f"; the claim allows about {number(100 / (1 + math.exp(-claimed)), 3)} %"
    seen = f"{count(found.correct)} of {count(found.guesses)} guesses whether a canary was included were right"
    return f"{seen}, {number(share, 3)} %{allowed}."


def _facts_of_draws(entry: Entry) -> list[Figure]:
    result = entry.audit_result
    at = f" at δ = {number(entry.delta)}" if entry.delta else ""
    is_epsilon = entry.quantity == "epsilon"
    unit = "" if is_epsilon else line(entry.quantity, 60)

    def measured(sign: str, value: str, in_epsilon: bool = is_epsilon) -> str:
        return f"ε {sign} {value}{at}" if in_epsilon else f"{sign} {value}".removeprefix("= ")

    found = []
    if entry.claimed is not None or result is not None:
        promised = measured("=", number(entry.claimed))
        if result is not None and is_epsilon:
            plain = isinstance(result.claim, ApproxDP)
            promised = str(result.claim) if plain else f"{result.claim}: {promised}"
        found.append(Figure("Claimed", promised, unit))
    if entry.exact is not None:
        found.append(Figure("Exactly true", measured("=", number(entry.exact, 6)), unit))
    if entry.certified is not None:
        sure = f"with probability at least {1 - result.alpha:.6g}" if result is not None else ""
        found.append(Figure("Certified", measured("≥", number(entry.certified)), sure))
    if entry.by_parts is not None:
        what = "from draws of its parts alone, composed exactly"
        found.append(Figure("Certified by parts", measured("≥", number(entry.by_parts)), what))
    for name, least in _in_its_unit(result):
        if least is not None:
            found.append(Figure("In the claim's unit", f"{name} ≥ {number(least)}"))
    if entry.detectable == math.inf:
        found.append(Figure("Blind spot", "everywhere", "no excess would have been refuted with probability 0.9"))
    elif entry.detectable is not None:
        hint = "a larger one would have been refuted with probability 0.9"
        of_audit = result is not None and entry.detectable == result.detectable_epsilon
        found.append(Figure("Blind spot", measured("<", number(entry.detectable), is_epsilon or of_audit), hint))
    if entry.p_value is not None:
        found.append(Figure("p-value", number(entry.p_value, 3), "of the whole audit"))
    if entry.trials_used is not None:
        most = f"of at most {count(result.trials)}" if result is not None else ""
        found.append(Figure("Draws a side", count(entry.trials_used), most))
    if result is not None:
        found.append(Figure("Error probability", number(result.alpha), "all pairs, directions, events and looks"))
        found.append(Figure("Views", ", ".join(result.views)))
    if entry.seed is not None and entry.trials_used is not None:
        found.append(Figure("Seed", str(entry.seed)))
    if entry.seconds:
        found.append(Figure("Took", duration(entry.seconds)))
    return found


@dataclass(frozen=True)
class Guess:
    """The witness's event for one side: how often it came up on each input."""

    side: str
    words: str
    left: str
    right: str


def guesses(result: AuditResult) -> list[Guess]:
    """The witness's counts, a row for each side that its event guesses."""
    witness = result.witness
    sides = ("left", "right") if witness.direction == "both" else (witness.direction,)
    return [_guess(side, witness.event.words(side, witness.names), witness.counts) for side in sides]


def _guess(side: str, words: str, counts: Counts) -> Guess:
    hits = (
        (counts.left_guessed_left, counts.right_guessed_left)
        if side == "left"
        else (counts.left_guessed_right, counts.right_guessed_right)
    )
    return Guess(side, line(words), _share(hits[0], counts.left_trials), _share(hits[1], counts.right_trials))


def _share(hits: int, trials: int) -> str:
    percent = f" ({number(100 * hits / trials, 3)} %)" if trials else ""
    return f"{count(hits)} of {count(trials)}{percent}"


def limits(entry: Entry) -> list[str]:
    """What an audit cannot see: its own limits, and that not refuted is not proof."""
    result = entry.audit_result or entry.one_run
    if result is None:
        return []
    found = [line(limit) for limit in result.limits]
    if entry.outcome == "not refuted" and not any("not proof" in limit for limit in found):
        found.insert(0, NOT_PROOF)
    return found


def warnings(entry: Entry) -> list[str]:
    """What an audit noticed about the mechanism, beside its privacy."""
    result = entry.audit_result
    return [] if result is None else [line(warning) for warning in result.warnings]


def diagnosis(entry: Entry) -> list[str]:
    """Why a claim fails, as far as runs with the same random numbers show it."""
    result = entry.audit_result
    return [] if result is None else [line(sentence) for sentence in result.diagnosis]


def statement(entry: Entry) -> str:
    """What is claimed in words, unless that is only the claim itself."""
    result = entry.audit_result or entry.one_run
    return "" if result is not None and entry.statement == str(result.claim) else entry.statement


def explanation(entry: Entry) -> str:
    """The entry's explanation without the lines that stand among its limits and warnings."""
    known = {*limits(entry), *warnings(entry)}
    lines = [text for text in entry.explanation.splitlines() if line(text) not in known]
    return "\n".join(lines).strip()


def is_list_of_checks(words: str) -> bool:
    """Whether an explanation lists checks, a line each, and is no prose."""
    return any(row.startswith(" ") for row in words.splitlines())


def replay(entry: Entry) -> str:
    """The line that shows it again; an entry of the notes is computed anew from its results file."""
    result = entry.audit_result
    if entry.replay or entry.kind == "audit" or (result is not None and not result.replayable):
        return line(entry.replay)
    return f"dp-audit replay results.json {shlex.quote(line(entry.id))}"


def expectation(entry: Entry) -> str:
    """How the outcome compares with the ground truth, where there is one."""
    if reason_of(entry):
        return f"known and accepted: {line(reason_of(entry))}"
    if entry.expected is None:
        return ""
    return "as expected" if entry.as_expected else f"expected: {entry.expected}"


def verdict(entry: Entry) -> str:
    """The verdict on one audit's claim in a sentence; empty for other entries."""
    result = entry.audit_result or entry.one_run
    if result is None or entry.kind != "audit" or entry.expected is not None:
        return ""
    return f"Refuted: it is not {result.claim}." if result.refuted else f"Not refuted: it may be {result.claim}."


def tone(entry: Entry) -> str:
    """bad for what turns the run red, note for findings, good for what held, plain for the rest."""
    if entry.failed:
        return "bad"
    if entry.outcome in ("false as printed", "misprint", "holds under condition") or reason_of(entry):
        return "note"
    return "plain" if entry.outcome in ("definition", "not checked") else "good"
