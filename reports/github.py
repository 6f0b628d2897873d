"""GitHub: annotation lines for the log, and a summary for the job's page.

`annotations` are workflow commands, to be printed when GITHUB_ACTIONS is set; `summary` is Markdown, to be
appended to the file that GITHUB_STEP_SUMMARY names.
"""

from html import escape

from auditor.results.document import Document
from auditor.results.entry import Entry
from reports import details, story
from reports.junit import message
from reports.markdown import findings, opening, table
from reports.words import inert, line

NAME = "github"

_MOST_ANNOTATIONS = 50
_MOST_FINDINGS = 40
_MOST_ROWS = 400
_MOST_BYTES = 1_000_000  # GitHub drops a summary above 1 MiB


def render(document: Document) -> str:
    """The annotation lines."""
    return "".join(f"{text}\n" for text in annotations(document))


def annotations(document: Document) -> list[str]:
    """One `::error` line for each entry that turns the run red, at its file and line."""
    failed = story.attention(document)
    lines = [_annotation(entry) for entry in failed[:_MOST_ANNOTATIONS]]
    if len(failed) > _MOST_ANNOTATIONS:
        lines.append(f"::error title=dp-audit::{len(failed) - _MOST_ANNOTATIONS} more are in the report")
    return lines


def _annotation(entry: Entry) -> str:
    place = entry.location or {}
    properties = {
        "file": place.get("file"),
        "line": place.get("line"),
        "title": f"dp-audit: {line(entry.id, 80)} {entry.outcome}",
    }
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value)
    again = f"\nreplay: {details.replay(entry)}" if details.replay(entry) else ""
    return f"::error {given}::{_data(message(entry) + again)}"


def _data(text: str) -> str:
    return inert(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(line(text)).replace(":", "%3A").replace(",", "%2C")


def summary(document: Document) -> str:
    """Headline, findings and one table each group, within GitHub's limit."""
    parts = [*opening(document), *findings(document, _MOST_FINDINGS)]
    for title, entries in story.groups(document):
        rows = table(entries[:_MOST_ROWS])
        more = [f"\n{len(entries) - _MOST_ROWS} more are in the report."] if len(entries) > _MOST_ROWS else []
        folded = [
            "<details><summary>",
            f"{escape(title)}: {len(entries)}",
            "</summary>",
            "",
            *rows,
            *more,
            "",
            "</details>",
        ]
        parts += [*folded, ""]
    text = "\n".join(parts)
    if len(text.encode("utf-8", "replace")) > _MOST_BYTES:
        text = "\n".join([*opening(document), "The rest is too long for this page: see the report."])
    return text.rstrip() + "\n"
