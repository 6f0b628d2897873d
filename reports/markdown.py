"""Markdown for pull requests and READMEs: the same facts as the page, without its pictures."""

from __future__ import annotations

import re

from auditor.results.document import Document
from auditor.results.entry import Entry
from reports import details, story
from reports.words import clean, count, line, number

NAME = "markdown"

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_LEADING = re.compile(r"^(\d*)([-+=.)])")  # would start a list or a rule
_LINKED = re.compile(r"(?i)(://|\bwww(?=\.)|(?<=\w)@(?=\w))")


def text(foreign: str, most: int | None = None) -> str:
    """Foreign text on one line that Markdown shows as it is: no markup, no HTML, no links."""
    escaped = _SPECIAL.sub(r"\\\1", line(foreign, most))
    escaped = _LEADING.sub(r"\1\\\2", escaped)
    return _LINKED.sub(lambda found: "\u200b".join((found[0][:1], found[0][1:])), escaped)


def code(foreign: str) -> str:
    """Foreign text as code; a fence longer than any inside keeps it there."""
    flat = line(foreign) or "–"
    fence = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    return f"{fence} {flat} {fence}" if "`" in flat else f"`{flat}`"


def cell(foreign: str, most: int | None = None) -> str:
    """Code in a table cell: a bar would end the cell even there."""
    return code(line(foreign, most)).replace("|", "\\|")


def render(document: Document) -> str:
    """Headline, findings, a table for each group, then every entry."""
    parts = [*opening(document), *findings(document)]
    for title, entries in story.groups(document):
        parts += [f"## {text(title)}", "", *table(entries), ""]
    parts += ["## Entries", ""]
    for entry in document.entries:
        parts += [*_section(entry), ""]
    return "\n".join(parts).rstrip() + "\n"


def opening(document: Document) -> list[str]:
    """The headline."""
    head = story.headline(document)
    tiles = " · ".join(f"**{tile.amount}** {tile.words}" for tile in head.tiles)
    run = f" Made by dp-audit {text(document.version)}"
    run += f" with {code(document.command)}." if document.command else "."
    return [
        f"# {text(head.title)}",
        "",
        f"**{text(head.verdict)}**",
        "",
        *([tiles, ""] if tiles else []),
        f"{head.certainty} {head.took}.{run}".strip(),
        "",
        f"_{details.NOT_PROOF}_",
        "",
    ]


def findings(document: Document, most: int = 1000) -> list[str]:
    """What needs attention, then what the notes should print instead."""
    parts: list[str] = []
    attention = story.attention(document)
    if attention:
        parts += ["## Needs attention", ""]
        for entry in attention[:most]:
            parts += [*_finding(entry), ""]
        if len(attention) > most:
            parts += [f"… and {len(attention) - most} more.", ""]
    for title, _, entries in story.corrections(document):
        parts += [f"## {title}", "", *(_correction(entry) for entry in entries[:most]), ""]
    return parts


def _finding(entry: Entry) -> list[str]:
    expected = details.expectation(entry)
    found = [f"### {code(entry.id)} {entry.outcome}" + (f" ({text(expected)})" if expected else ""), ""]
    found += [f"{text(entry.title)}, {text(entry.source)}.", ""]
    found += [f"{text(value)}\n" for value in (entry.finding, entry.reason, details.witness(entry)) if value]
    found += [f"Why: {text(sentence)}\n" for sentence in details.diagnosis(entry)]
    found += [f"Correction: {text(entry.correction)}\n"] if entry.correction else []
    found += [f"- {_fact(fact)}" for fact in details.facts(entry)[:4]]
    found += [f"- Replay: {code(details.replay(entry))}"] if details.replay(entry) else []
    return found


def _correction(entry: Entry) -> str:
    why = text(entry.finding or details.witness(entry))
    said = f"- {code(entry.id)} {text(entry.title)} ({text(entry.source)}). {why}"
    return said + (f" **Correction:** {text(entry.correction)}" if entry.correction else "")


def table(entries: list[Entry]) -> list[str]:
    """One row an entry."""
    rows = [
        "| id | what | outcome | claimed | exact | certified | blind below | draws |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for entry in entries:
        unit = "" if entry.quantity == "epsilon" else f" ({text(entry.quantity, 40)})"
        values = [number(getattr(entry, name)) for name in ("claimed", "exact", "certified", "detectable")]
        mark = "**" if entry.failed else ""
        rows.append(
            f"| {cell(entry.id)} | {text(entry.title)}{unit} | {mark}{entry.outcome}{mark} | "
            + " | ".join([*values, count(entry.trials_used)])
            + " |"
        )
    return rows


def _fact(fact: details.Figure) -> str:
    return f"{fact.name}: {text(fact.value)}" + (f" ({text(fact.hint)})" if fact.hint else "")


def _section(entry: Entry) -> list[str]:
    parts = [f"### {code(entry.id)} {text(entry.title)}", ""]
    expected = details.expectation(entry)
    parts.append(f"- Outcome: **{entry.outcome}**" + (f" ({text(expected)})" if expected else ""))
    parts.append(f"- Source: {text(entry.source)}")
    for name in ("statement", "conditions", "finding", "correction", "witness", "reason"):
        told = {"statement": details.statement, "witness": details.witness}
        value = told[name](entry) if name in told else getattr(entry, name)
        if value:
            parts.append(f"- {name.capitalize()}: {text(value)}")
    parts += [f"- Why: {text(sentence)}" for sentence in details.diagnosis(entry)]
    parts += [f"- {_fact(fact)}" for fact in details.facts(entry)]
    parts += [f"- Noticed: {text(warning)}" for warning in details.warnings(entry)]
    parts += [f"- Limit: {text(limit)}" for limit in details.limits(entry)]
    parts += [f"- Checked {text(row)}" for row in clean(details.explanation(entry)).splitlines() if row.strip()]
    return parts + ([f"- Replay: {code(details.replay(entry))}"] if details.replay(entry) else [])
