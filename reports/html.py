"""One self-contained page: no network, no external script or font, no foreign text that could run."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from auditor import __version__
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.result import AuditResult
from reports import details, story
from reports.answer import Answer, answer
from reports.chapters import chapters, foremost, what_was_audited
from reports.formulas import with_formulas
from reports.pictures import Picture, drawn
from reports.words import clean, duration, line, number

if TYPE_CHECKING:
    from jinja2 import Environment

NAME = "html"

_KINDS = {"mechanism": "mechanism", "mutant": "broken twin", "claim": "claim", "audit": "audit"}
_ASIDE = ("Canaries", "p-value", "Draws a side", "Error probability", "Views", "Seed", "Took")
_CHARTED = ("audit", "mechanism")  # what the first picture shows: what is claimed to be private


def render(document: Document) -> str:
    """The page's HTML."""
    views = _views(document)
    return shell(
        "page.html.j2",
        document=document,
        head=story.headline(document),
        audited=what_was_audited(document),
        views=list(views.values()),
        view_of=lambda entry: views[id(entry)],
        answer=_charted(document, _CHARTED),
        twins=_charted(document, ("mutant",)),
        foremost=[views[id(entry)] for entry in foremost(document)],
        findings=[chapter for chapter in chapters(document) if chapter.finding],
        chapters=[chapter for chapter in chapters(document) if not chapter.finding],
        outcomes=sorted({entry.outcome for entry in document.entries}),
        kinds=[(kind, words) for kind, words in _KINDS.items() if any(e.kind == kind for e in document.entries)],
        not_proof=details.NOT_PROOF,
    )


def shell(template: str, **parts: Any) -> str:
    """A page of this package with its own style and script, and a policy that allows these alone."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _environment().get_template(template)
    return page.render(policy=policy, style=_trusted(style), script=_trusted(script), version=__version__, **parts)


@dataclass(frozen=True)
class EntryView:
    """An entry with everything the template shows of it."""

    entry: Entry
    anchor: str
    kind: str
    tone: str
    expectation: str
    facts: list[details.Figure]
    result: AuditResult | None
    guesses: list[details.Guess]
    verdict: str
    witness: str
    diagnosis: list[str]
    warnings: list[str]
    limits: list[str]
    statement: str
    explanation: str
    replay: str
    pictures: list[Picture]
    undrawn: list[str]

    @property
    def numbers(self) -> list[tuple[str, str, str]]:
        """The row's numbers: name, shown, and to sort by."""
        names = (("claimed", "claimed"), ("exact", "exact"), ("certified", "certified"), ("detectable", "blind below"))
        return [(title, number(getattr(self.entry, name)), _key(getattr(self.entry, name))) for name, title in names]

    @property
    def checks(self) -> bool:
        """Whether the explanation is a list of checks."""
        return details.is_list_of_checks(self.explanation)

    @property
    def main_facts(self) -> list[details.Figure]:
        """What was claimed and found."""
        return [fact for fact in self.facts if fact.name not in _ASIDE]

    @property
    def other_facts(self) -> list[details.Figure]:
        """How it was found."""
        return [fact for fact in self.facts if fact.name in _ASIDE]

    @property
    def gap(self) -> str:
        """Claimed against the truth, in a few words; empty where there is nothing to compare."""
        entry = self.entry
        if entry.claimed is None or (entry.exact is None and entry.certified is None):
            return ""
        unit = "ε" if entry.quantity == "epsilon" else line(entry.quantity, 60)
        known = [f"{number(entry.exact)} exactly"] if entry.exact is not None else []
        if entry.certified is not None:
            hidden = entry.outcome == "refuted" and number(entry.certified) == number(entry.claimed)
            known += [f"{'more than' if hidden else 'at least'} {number(entry.certified)} certified"]
        return f"{unit}: {number(entry.claimed)} claimed, {', '.join(known)}"


def _views(document: Document) -> dict[int, EntryView]:
    from joblib import Parallel, delayed

    # In this process, or in as many as `joblib.parallel_config` asks for; not in threads, which share their settings.
    tasks = (delayed(drawn)(entry, f"p{place}") for place, entry in enumerate(document.entries))
    drawings = Parallel(backend="loky")(tasks)
    taken: set[str] = set()
    views = {}
    for entry, (pictures, undrawn) in zip(document.entries, drawings, strict=True):
        result = entry.audit_result
        views[id(entry)] = EntryView(
            entry=entry,
            anchor=_anchor(entry.id, taken),
            kind=_KINDS[entry.kind],
            tone=details.tone(entry),
            expectation=details.expectation(entry),
            facts=details.facts(entry),
            result=result,
            guesses=details.guesses(result) if result is not None else [],
            verdict=details.verdict(entry),
            witness=details.witness(entry),
            diagnosis=details.diagnosis(entry),
            warnings=details.warnings(entry),
            limits=details.limits(entry),
            statement=details.statement(entry),
            explanation=details.explanation(entry),
            replay=details.replay(entry),
            pictures=pictures,
            undrawn=undrawn,
        )
    return views


def _charted(document: Document, kinds: tuple[str, ...]) -> Answer | None:
    return answer(tuple(entry for entry in document.entries if entry.kind in kinds))


def _anchor(identifier: str, taken: set[str]) -> str:
    """A link target made of harmless characters, unique on the page."""
    base = "e-" + (re.sub(r"[^A-Za-z0-9._-]+", "-", identifier)[:80].strip("-") or "entry")
    anchor, number = base, 2
    while anchor in taken:
        anchor, number = f"{base}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _key(value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    return ("Infinity" if value > 0 else "-Infinity") if math.isinf(value) else repr(value)


def _formulas(text: str, entry: Entry) -> Any:
    """The notes' own text with its formulas set; anyone else's text is shown as it is."""
    return _trusted(with_formulas(text)) if entry.kind == "claim" else text


def _unbroken(text: str) -> str:
    """A line may end after a hyphen, but not after that of 1e-5: a word joiner follows it."""
    return re.sub(r"(?<=\de-)(?=\d)", "\u2060", text)


@cache
def _asset(name: str) -> str:
    return files("reports").joinpath(name).read_text(encoding="utf-8").strip()


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _trusted(text: str) -> Any:
    """Marks text of this package, or SVG and MathML that this package wrote, as markup. Never foreign text."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters.update(
        number=number,
        line=line,
        duration=duration,
        svg=lambda drawn: _trusted(drawn.svg),
        formulas=_formulas,
        unbroken=_unbroken,
    )
    return environment
