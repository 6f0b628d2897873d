"""What a results document says, in order: the headline, the findings, the groups, the facts of each entry.

Every format tells the same story; only the markup differs.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditor.results.baseline import reason_of
from auditor.results.counts import Counts
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.result import AuditResult
from mechanisms.core.claims import ApproxDP
from reports.words import count, duration, line, listed, number, several

NOT_PROOF = (
    "Not refuted is not proof: an audit draws finitely often on the inputs it was given. "
    "Other inputs and rarer events may be worse."
)


@dataclass(frozen=True)
class Tile:
    """A number of the headline; `tone` is good, bad, note or plain."""

    amount: int
    words: str
    tone: str


@dataclass(frozen=True)
class Headline:
    """The whole run in a few lines."""

    title: str
    verdict: str
    tone: str
    tiles: tuple[Tile, ...]
    certainty: str
    took: str


def headline(document: Document) -> Headline:
    """How many claims, held, refuted, how sure, how long."""
    failed = [entry for entry in document.entries if entry.failed]
    return Headline(
        title=line(document.title, 200),
        verdict=_verdict(document, failed),
        tone="bad" if failed else "good",
        tiles=_tiles(document),
        certainty=certainty(document),
        took=f"{several(len(document.entries), 'entry', 'entries')} in {duration(document.seconds)}"
        + (f", seed {document.seed}" if document.seed is not None else ""),
    )


def _verdict(document: Document, failed: Sequence[Entry]) -> str:
    cut = "The run was interrupted; this is what was finished. " if document.interrupted else ""
    if not document.entries:
        return cut + "Nothing was audited."
    if not failed:
        judged = any(entry.expected is not None for entry in document.entries)
        accepted = sum(bool(reason_of(entry)) for entry in document.entries)
        known = f" {several(accepted, 'known finding')} accepted." if accepted else ""
        return cut + ("Every outcome is the expected one." if judged else "Nothing was refuted.") + known
    refuted = [entry for entry in failed if entry.outcome == "refuted"]
    errors = [entry for entry in failed if entry.outcome == "error"]
    other = len(failed) - len(refuted) - len(errors)
    parts = [several(len(refuted), "claim") + " refuted"] if refuted else []
    parts += [f"{len(errors)} ended in an error"] if errors else []
    parts += [several(other, "outcome") + " not as expected"] if other else []
    return cut + listed(parts) + "."


def _tiles(document: Document) -> tuple[Tile, ...]:
    def counted(words: str, tone: str, rule: Callable[[Entry], bool]) -> Tile:
        amount = sum(map(rule, document.entries))
        one, _, many = words.partition("|")
        return Tile(amount, one if amount == 1 or not many else many, tone)

    def as_hoped(outcome: str) -> Callable[[Entry], bool]:
        return lambda entry: entry.outcome == outcome and not entry.failed

    tiles = (
        counted("refuted", "bad", lambda e: e.outcome == "refuted" and e.failed),
        counted("error|errors", "bad", lambda e: e.outcome == "error"),
        counted("not as expected", "bad", lambda e: e.failed and e.outcome not in ("refuted", "error")),
        counted("accepted", "note", lambda e: bool(reason_of(e))),
        counted("not refuted", "good", as_hoped("not refuted")),
        counted(
            "broken twin caught|broken twins caught",
            "good",
            lambda e: e.kind == "mutant" and e.outcome == "refuted" and not e.failed,
        ),
        counted("claim holds|claims hold", "good", as_hoped("holds")),
        counted("holds under a condition|hold under a condition", "note", as_hoped("holds under condition")),
        counted("false as printed", "note", as_hoped("false as printed")),
        counted("misprint|misprints", "note", as_hoped("misprint")),
        counted("definition|definitions", "plain", as_hoped("definition")),
        counted("not checked", "plain", as_hoped("not checked")),
    )
    return tuple(tile for tile in tiles if tile.amount)


def certainty(document: Document) -> str:
    """How sure: the error probability of all audits together, added up from what each one spent."""
    spent = [(e.audit or (e.location or {}).get("one_run") or {}).get("alpha") for e in document.entries]
    levels = [float(alpha) for alpha in spent if alpha is not None and _is_level(alpha)]
    if not levels:
        return "Nothing here depends on chance: every outcome is computed." if document.entries else ""
    total = sum(levels)
    if document.alpha is not None and total <= document.alpha * (1 + 1e-9):
        return (
            f"A true claim is refuted anywhere in this run with probability at most {number(document.alpha)}:"
            f" one α for {several(len(levels), 'audit')}."
        )
    each = f" ({number(max(levels))} at most for each)" if len(levels) > 1 else ""
    return (
        f"A true claim is refuted anywhere in this run with probability at most {number(min(total, 1.0))},"
        f" summed over {several(len(levels), 'audit')}{each}."
    )


def _is_level(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1


def attention(document: Document) -> list[Entry]:
    """What turns the run red: refuted, in error, or not as expected."""
    return [entry for entry in document.entries if entry.failed]


def corrections(document: Document) -> list[tuple[str, str, list[Entry]]]:
    """What the notes print and is not so, known and corrected: title, lead and entries of each section."""
    sections = (
        (
            "False as printed",
            "What the notes print, what contradicts it, and what is true instead.",
            "false as printed",
        ),
        (
            "True under a condition",
            "What fails as it stands, where, and what makes it true.",
            "holds under condition",
        ),
        ("Misprints", "Slips of the pen, and how to read them.", "misprint"),
    )
    chosen = [
        (title, lead, [e for e in document.entries if e.outcome == outcome and not e.failed and e.finding])
        for title, lead, outcome in sections
    ]
    return [section for section in chosen if section[2]]


def groups(document: Document) -> list[tuple[str, list[Entry]]]:
    """The entries by what they are: audits, mechanisms with their broken twins, then claims by lecture."""
    kinds = {"audit": "Audits", "mechanism": "Mechanisms", "mutant": "Broken twins"}
    found: dict[str, list[Entry]] = {title: [] for title in kinds.values()}
    for entry in document.entries:
        found.setdefault(kinds.get(entry.kind) or f"Claims of lecture {_lecture(entry)}", []).append(entry)
    order = [*kinds.values(), *sorted(set(found) - set(kinds.values()))]
    return [(title, found[title]) for title in order if found[title]]


def _lecture(entry: Entry) -> str:
    start = entry.id.split("-")[0]
    return start if start.isdigit() else line(entry.source, 40)


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
    result = entry.audit_result
    at = f" at δ = {number(entry.delta)}" if entry.delta else ""
    is_epsilon = entry.quantity == "epsilon"
    unit = "" if is_epsilon else line(entry.quantity, 60)

    def measured(sign: str, value: str) -> str:
        return f"ε {sign} {value}{at}" if is_epsilon else f"{sign} {value}{at}".removeprefix("= ")

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
        found.append(Figure("Blind spot", measured("<", number(entry.detectable)), hint))
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
    result = entry.audit_result
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
    result = entry.audit_result
    return "" if result is not None and entry.statement == str(result.claim) else entry.statement


def explanation(entry: Entry) -> str:
    """The entry's explanation without the lines that stand among its limits and warnings."""
    known = {*limits(entry), *warnings(entry)}
    lines = [text for text in entry.explanation.splitlines() if line(text) not in known]
    return "\n".join(lines).strip()


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


def tone(entry: Entry) -> str:
    """bad for what turns the run red, note for findings, good for what held, plain for the rest."""
    if entry.failed:
        return "bad"
    if entry.outcome in ("false as printed", "misprint", "holds under condition") or reason_of(entry):
        return "note"
    return "plain" if entry.outcome in ("definition", "not checked") else "good"
