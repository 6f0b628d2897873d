"""Tables for the terminal, readable at 80 columns."""

from __future__ import annotations

import io
import re
import textwrap
from typing import TYPE_CHECKING

from auditor.paragraph import paragraph
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.summary import summary
from reports import details, story
from reports.words import inert, line, number

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAME = "terminal"

_STYLES = {"bad": "bold red", "note": "yellow", "good": "green", "plain": "dim"}
_WIDTH = 80
_NUMBER = 9  # columns that a number takes
_NUMBERS = {"claimed": "claimed", "exact": "exact", "certified": "certified"}
_NUMBERS_OF_AUDITS = {"claimed": "claimed", "certified": "certified", "blind below": "detectable"}
_LEAST_TITLE = 10
_WORD = r"""(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+"""
_SHELL_WORDS = re.compile(rf"--[\w-]+ (?!-){_WORD}|{_WORD}")
_NOTICED = "Noticed"
_FEW = 3  # so few entries of the notes are told in detail


def render(document: Document, width: int = _WIDTH, colour: bool = False) -> str:
    """The run as plain text; with `colour`, with terminal colours."""
    from rich.console import Console

    text = io.StringIO()
    console = Console(
        file=text,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        emoji=False,
        highlight=False,
    )
    show(document, console)
    return "\n".join(row.rstrip() for row in text.getvalue().splitlines()) + "\n"


def show(document: Document, console: Console | None = None) -> None:
    """Prints tables by group, then the findings, then the headline: what is read last stands last."""
    from rich.console import Console

    console = console or Console(highlight=False, emoji=False)
    with console.capture() as captured:
        _tell(document, console)
    told = "\n".join(row.rstrip(" ") for row in captured.get().split("\n"))  # it may be pasted somewhere
    console.file.write(inert(told))  # once its lines are broken: a CI server looks at their starts


def _tell(document: Document, console: Console) -> None:
    """One audit is a paragraph that can be pasted as it is; several are tables, findings and a headline."""
    from rich.text import Text

    alone = document.entries[0] if len(document.entries) == 1 and console.width >= _WIDTH else None
    if alone is not None and (said := _said(alone)):
        _paragraph(alone, said, console)
        if alone.outcome == "error":
            return
        head = story.headline(document)
        console.print(Text(f"{head.title}: {head.verdict} {head.took}, dp-audit {line(document.version, 40)}."))
        if alone.outcome == "not refuted":
            console.print(Text(details.NOT_PROOF, style="dim"))
        return
    for title, entries in story.groups(document):
        console.print(Text(title, style="bold"))
        console.print(_table(entries, console.width))
        console.print()
    _findings(document, console)
    head = story.headline(document)
    console.print(Text(head.title, style="bold"))
    console.print(Text(head.verdict, style=_STYLES[head.tone]))
    console.print(Text(", ".join(f"{tile.amount} {tile.words}" for tile in head.tiles)))
    for words in filter(None, (head.certainty, details.NOT_PROOF)):
        console.print(Text(words, style="dim"))
    console.print(Text(f"{head.took}, dp-audit {line(document.version, 40)}."))


def _said(entry: Entry) -> str:
    """What `print(result)` says of an audit, or why there is no verdict; empty for entries of the notes."""
    result = entry.audit_result
    if entry.kind != "audit":
        return ""
    if entry.outcome == "error":
        return paragraph(f"NO VERDICT: {line(entry.id)} could not be audited.", {"why": line(entry.reason)})
    if entry.reason:
        return ""
    return summary(result) if result is not None else "" if entry.one_run is None else entry.one_run.summary()


def _paragraph(entry: Entry, said: str, console: Console) -> None:
    """What is said of one audit, and the line that repeats it."""
    from rich.text import Text

    verdict, *rest = said.splitlines()
    console.print(Text(verdict, style=_STYLES[details.tone(entry)]), soft_wrap=True)
    for row in rest:
        console.print(Text(row), soft_wrap=True)
    for index, words in enumerate(_replay(entry, console.width - 13)):
        label, words = "" if index else "replay", words.removeprefix("Replay: ")
        console.print(Text(f"  {label:<11}{words}"), soft_wrap=True)
    console.print()


def _table(entries: list[Entry], width: int) -> Table:
    """A table of entries: the id whole where it fits, and the title in the remaining columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    numbers = _NUMBERS if any(entry.kind != "audit" for entry in entries) else _NUMBERS_OF_AUDITS
    outcomes = max(7, *(len(entry.outcome) for entry in entries))
    widths = {name: max(_NUMBER, len(name)) for name in numbers}
    room = width - outcomes - sum(widths.values()) - 8
    ids = min(max(len(line(entry.id)) for entry in entries), max(12, min(room, width // 2 - 6)))
    remaining = width - ids - outcomes - sum(widths.values()) - 10  # two blanks between columns
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("id", width=ids, overflow="fold")
    titled = remaining >= _LEAST_TITLE and any(entry.title != entry.id for entry in entries)
    if titled:
        table.add_column("what", width=remaining, overflow="ellipsis", no_wrap=True)
    table.add_column("outcome", width=outcomes)
    for name, columns in widths.items():
        table.add_column(name, justify="right", width=columns, no_wrap=True)
    for entry in entries:
        style = _STYLES[details.tone(entry)]
        values = [number(getattr(entry, field), 3) for field in numbers.values()]
        what = [Text(line(entry.title))] if titled else []
        table.add_row(Text(_broken(line(entry.id), ids)), *what, Text(entry.outcome, style=style), *map(Text, values))
    return table


def _broken(identifier: str, width: int) -> str:
    """An id that is too long for its column goes on below from its `::`; of a long path the end is shown."""
    if len(identifier) <= width:
        return identifier
    file, colons, name = identifier.rpartition("::")
    end = file if len(file) <= width else f"…{file[len(file) - width + 1 :]}"
    return f"{end}\n  {colons}{name}" if colons else identifier


def _findings(document: Document, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    few = len(document.entries) <= _FEW and all(entry.kind != "audit" for entry in document.entries)
    sections = [("Needs attention", story.attention(document))]
    sections += [(_NOTICED, [e for e in document.entries if details.warnings(e) and not e.failed])]
    sections += [(title, entries) for title, _, entries in story.corrections(document)]
    if few:
        sections = [("In detail", list(document.entries))]
    for title, entries in sections:
        if not entries:
            continue
        console.print(Text(title, style="bold"))
        for entry in entries:
            expected = details.expectation(entry)
            said = f" ({expected})" if entry.failed and expected else ""
            console.print(
                Text.assemble("  ", (line(entry.id), "bold"), " ", (entry.outcome, _STYLES[details.tone(entry)]), said)
            )
            for indent, words in [*(_told(entry) if few else ()), *((4, words) for words in _why(entry, title))]:
                console.print(Padding(Text(words), (0, 0, 0, indent)))
            for words in _replay(entry, console.width - 6) if title != _NOTICED else ():
                console.print(Text(f"    {words}"), soft_wrap=True)
            for indent, words in _checked(entry) if few else ():
                console.print(Padding(Text(words, style="dim"), (0, 0, 0, indent)))
        console.print()


def _told(entry: Entry) -> list[tuple[int, str]]:
    """What it is, as it is printed, and under which conditions."""
    found = [f"{entry.title}, {entry.source}"]
    found += [f"Printed: {entry.statement}" if entry.kind == "claim" else f"Claimed: {entry.statement}"]
    found += [f"Conditions: {entry.conditions}"] if entry.conditions else []
    return [(4, line(words)) for words in found]


def _checked(entry: Entry) -> list[tuple[int, str]]:
    """Every fact that the outcome rests on."""
    rows = details.explanation(entry).splitlines()
    return [(6 if row.startswith(" ") else 4, line(row)) for row in rows]


def _why(entry: Entry, section: str) -> list[str]:
    if section == _NOTICED:
        return [line(words) for words in details.warnings(entry)]
    found = [entry.finding or entry.witness or "", entry.reason if entry.outcome == "error" else ""]
    found += [f"Why: {sentence}" for sentence in details.diagnosis(entry)] if not entry.finding else []
    found += details.warnings(entry)
    found += [f"Correction: {entry.correction}" if entry.correction else ""]
    return [line(words) for words in found if words]


def _replay(entry: Entry, width: int) -> list[str]:
    """The command that repeats an audit, which a shell still understands where it takes several lines."""
    command = line(details.replay(entry)) if entry.failed else ""
    if not command.startswith(("dp-audit ", "pytest ")):
        rows = textwrap.wrap(f"Replay: {command}", max(20, width), subsequent_indent="  ", break_on_hyphens=False)
        return rows if command else []
    rows = ["Replay:"]
    for word in _SHELL_WORDS.findall(
        command
    ):  # a line ends neither within quotation marks nor before an option's value
        if len(rows[-1]) + len(word) + 3 <= max(20, width):
            rows[-1] += f" {word}"
        else:
            rows.append(f"  {word}")
    return [row + (" \\" if number < len(rows) else "") for number, row in enumerate(rows, 1)]
