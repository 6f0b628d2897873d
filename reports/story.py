"""What a results document says as a whole, in order: the headline, the findings, the groups.

Every format tells the same story; only the markup differs. What is said of one entry stands in details.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditor.results.baseline import reason_of
from auditor.results.document import Document
from auditor.results.entry import Entry
from reports.words import count, duration, line, listed, number, several


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
        computed = any(entry.outcome != "error" for entry in document.entries)
        return "Nothing here depends on chance: every outcome is computed." if computed else ""
    total = sum(levels)
    if len(levels) == 1:
        return f"A true claim is refuted with probability at most {number(total)}."
    if document.alpha is not None and total <= document.alpha * (1 + 1e-9):
        return (
            f"A true claim is refuted anywhere in this run with probability at most {number(document.alpha)}:"
            f" one α for {count(len(levels))} audits."
        )
    return (
        f"A true claim is refuted anywhere in this run with probability at most {number(min(total, 1.0))},"
        f" summed over {count(len(levels))} audits ({number(max(levels))} at most for each)."
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
