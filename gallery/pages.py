"""The pages of docs/gallery: an overview, and a page and a picture for each case. Pure functions of stored outcomes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

from auditor import AuditResult
from auditor.escaping import clean
from gallery.case import KINDS, NOT_REFUTED, REFUTED, Listed
from gallery.outcome import Outcome, shown
from gallery.pictures import draw
from reports.markdown import code, text

INDEX = "README.md"
INTRODUCTION = """# Gallery: what dp-audit found in libraries

Each row is one claim of one library, audited by the few lines on its page in an environment of its own. `make gallery`
makes the environments, runs all cases and writes these pages; `make gallery CASE=name` runs one. It ends with an
error where a verdict is not the expected one. The cases stand in `gallery/cases`, the figures in
[results.json](results.json). What else of these libraries was audited, and came out as it should, is told under
[sweeps](sweeps.md).

A refutation is false with probability at most .01 (`alpha` of each audit); a deterministic check is certain. *Not
refuted is not proof.* Each page says who claims what, and for which neighbours: a claim that is true for one relation
of neighbours and false for another is a difference of definitions, and not a defect. Libraries draw from randomness of
their own, so figures differ a little from run to run.
"""
FOUND = {
    "finding": "A public report, and a release on PyPI in which it can be seen.",
    "bits": "Noise that is added to doubles leaves traces in their last bits (Mironov 2012; Haney, Desfontaines et al. "
    "2022). Someone who sees all digits of a release gains by it; a release that is rounded to a coarse grid "
    "independently of the data does not show them.",
    "definition": "No defects: the documentation or the source settles which neighbours are meant and what a user must "
    "give. A claim that is true for one relation of neighbours may be false for another.",
    "control": "Sound as far as these audits can see.",
}


def write(folder: Path, listed: Mapping[str, Listed], outcomes: Mapping[str, Outcome]) -> None:
    """All pages and pictures. Findings that their maintainers do not know of are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {name: one for name, one in listed.items() if one.case.reported and name in outcomes}
    (folder / INDEX).write_text(overview(known, outcomes), encoding="utf-8")
    for name, one in known.items():
        draw(folder / f"{name}.svg", outcomes[name])
        (folder / f"{name}.md").write_text(page(one, outcomes[name]), encoding="utf-8")


def overview(listed: Mapping[str, Listed], outcomes: Mapping[str, Outcome]) -> str:
    """The tables, one for each kind of case."""
    parts = [INTRODUCTION]
    for kind, title in KINDS.items():
        rows = [row(one, outcomes[name]) for name, one in listed.items() if one.case.kind == kind]
        if rows:
            parts.append("\n".join([f"## {title}", "", FOUND[kind], "", *HEADER, *rows, ""]))
    return "\n".join(parts)


HEADER = (
    "| library | what | verdict | claimed | found | draws | seconds | lines | reference |",
    "|---|---|---|--:|--:|--:|--:|--:|---|",
)


def row(one: Listed, outcome: Outcome) -> str:
    """One row of the overview."""
    bold = "**" if outcome.verdict != one.case.expected else ""
    cells = [
        text(library(one.case.packages[0])),
        f"[{text(one.case.title)}]({one.name}.md)",
        f"{bold}{outcome.verdict}{bold}",
        f"{shown(outcome.claimed)}{_at(outcome)}",
        found(outcome),
        f"{outcome.draws:,}" if outcome.audit else f"{outcome.draws:,} pairs",
        f"{outcome.seconds:.1f}",
        str(outcome.lines),
        ", ".join(link(reference) for reference in one.case.references),
    ]
    return f"| {' | '.join(cells)} |"


def library(package: str) -> str:
    """A pinned package as people name it: without extras."""
    return re.sub(r"\[.*?\]", "", package).replace("==", " ")


def found(outcome: Outcome) -> str:
    """What an audit certifies, or the difference that was found."""
    if not outcome.audit:
        return f"{shown(outcome.found)} (distance)"
    passed = outcome.verdict == REFUTED and shown(outcome.found) == shown(outcome.claimed)
    return f"> {shown(outcome.claimed)}" if passed else f"≥ {shown(outcome.found)}"


def _at(outcome: Outcome) -> str:
    return f", delta {outcome.delta:.3g}" if outcome.delta else ""


def link(reference: str) -> str:
    """A reference: an address becomes a link with a short name."""
    words, _, address = reference.rpartition(" ")
    if not re.fullmatch(r"https://[\w./#%?=&-]+", address):
        return text(reference)
    issue = re.search(r"github\.com/[\w.-]+/([\w.-]+)/(?:issues|pull)/(\d+)", address)
    return f"[{text(words) or (f'{issue[1]} {issue[2]}' if issue else address.split('/')[2])}]({address})"


def page(one: Listed, outcome: Outcome) -> str:
    """The page of a case."""
    return "\n".join(_page(one, outcome)).rstrip() + "\n"


def _page(one: Listed, outcome: Outcome) -> Iterator[str]:
    case = one.case
    yield from (f"# {text(case.title)}", "", f"*{KINDS[case.kind]}.* [All cases]({INDEX})", "")
    yield f"- Library: {text(', '.join(map(library, case.packages)))}"
    yield f"- Claimed: {prose(case.claimed)}"
    yield f"- Neighbours: {prose(case.neighbours)}"
    yield f"- Expected: {case.expected}"
    if case.references:
        yield f"- Public reference: {', '.join(link(reference) for reference in case.references)}"
    yield from ("", "## The audit", "", *fenced(one.code, "python"), "", "What came out:", "")
    told = str(AuditResult.from_dict(outcome.audit)) if outcome.audit else _wrapped(outcome.printed)
    yield from (*fenced(told, "text"), "")
    yield from (f"![{alternative(outcome)}]({one.name}.svg)", "")
    yield from ("## Why", "", prose(case.why), "", "## In practice", "", prose(case.practice), "")
    installed = ", ".join(f"{name} {version}" for name, version in outcome.versions.items())
    yield f"{outcome.lines} lines, {outcome.seconds:.1f} seconds, on {code(outcome.date)} with {code(installed)}."


def alternative(outcome: Outcome) -> str:
    """The picture in words."""
    what = "The outputs on both inputs" if outcome.audit else "Claimed and found distances"
    verdict = {REFUTED: "the claim is refuted", NOT_REFUTED: "the claim is not refuted"}.get(outcome.verdict, "")
    return f"{what}: {verdict}"


def prose(words: str) -> str:
    """Our own words on one line; Markdown in them is meant."""
    return " ".join(words.split())


def fenced(words: str, language: str) -> list[str]:
    """Text as it is, in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", clean(words).rstrip(), fence]


def _wrapped(words: str) -> str:
    """Each line of a text in lines of 80 columns."""
    return "\n".join(textwrap.fill(line, 80, break_on_hyphens=False) for line in words.splitlines())
