"""The page's order: the findings that matter most, then every entry once, in chapters, findings first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from auditor.results.document import Document, Entry
from reports import story
from reports.words import listed, several

_MOST = 3
_RANK = {"false as printed": 0, "holds under condition": 1, "misprint": 2}
_OUTCOMES = {
    "False as printed": "false as printed",
    "True under a condition": "holds under condition",
    "Misprints": "misprint",
}
_PRIVACY = ("epsilon", "delta", "δ", "P[loss")  # quantities of which more is less private


@dataclass(frozen=True)
class Chapter:
    """Entries that belong together; `finding` chapters come first."""

    title: str
    lead: str
    entries: tuple[Entry, ...]
    finding: bool

    @property
    def uniform(self) -> bool:
        """Whether the title says the outcome of every entry already."""
        return {entry.outcome for entry in self.entries} == {_OUTCOMES.get(self.title)}

    @property
    def anchor(self) -> str:
        """A link target: the title in small letters."""
        return "chapter-" + "".join(letter if letter.isalnum() else "-" for letter in self.title.lower())


def chapters(document: Document) -> list[Chapter]:
    """What turns the run red, what is not as printed, and the rest by kind."""
    red = tuple(story.attention(document))
    found = [Chapter("Needs attention", "", red, True)] if red else []
    for title, lead, entries in story.corrections(document):
        found.append(Chapter(title, lead, tuple(entries), True))
    told = {id(entry) for chapter in found for entry in chapter.entries}
    for title, entries in story.groups(document):
        rest = tuple(entry for entry in entries if id(entry) not in told)
        if rest:
            found.append(Chapter(title, "", rest, False))
    return found


def foremost(document: Document) -> list[Entry]:
    """The three findings that matter most: what fails worst, then what is printed and understates a loss of privacy."""
    red = sorted(story.attention(document), key=_badness)
    notes = [entry for _, _, entries in story.corrections(document) for entry in entries]
    return [*red, *sorted(notes, key=_weight)][:_MOST]


def _badness(entry: Entry) -> tuple[int, float]:
    """Refuted before unexpected before errors; the larger excess of the certified over the claimed first."""
    order = {"refuted": 0, "error": 2}.get(entry.outcome, 1)
    known = entry.certified is not None and entry.claimed is not None
    excess = (entry.certified or 0.0) - (entry.claimed or 0.0) if known else 0.0
    return order, -excess if not math.isnan(excess) else 0.0


def _weight(entry: Entry) -> tuple[bool, bool, bool, float, int]:
    """Slips of the pen last; shown on draws before computed; privacy before the rest; the larger factor first."""
    claimed, exact, certified = entry.claimed or 0.0, entry.exact or 0.0, entry.certified or 0.0
    private = entry.quantity.startswith(_PRIVACY) and exact > claimed > 0
    shown = private and certified > claimed
    factor = exact / claimed if private else 0.0
    return entry.outcome == "misprint", not shown, not private, -factor, _RANK.get(entry.outcome, 3)


def what_was_audited(document: Document) -> str:
    """How many mechanisms, broken twins, claims and audits."""
    names = {
        "audit": ("audit", "audits"),
        "mechanism": ("mechanism", "mechanisms"),
        "mutant": ("broken twin of them", "broken twins of them"),
        "claim": ("claim of the notes", "claims of the notes"),
    }
    counted = {kind: sum(entry.kind == kind for entry in document.entries) for kind in names}
    return listed([several(amount, *names[kind]) for kind, amount in counted.items() if amount])
