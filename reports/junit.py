"""JUnit XML, as CI servers read it: one test case an entry."""

from __future__ import annotations

from xml.etree import ElementTree

from auditor.results.document import Document
from auditor.results.entry import Entry
from reports.details import diagnosis, expectation, facts, limits, replay, warnings
from reports.words import clean, line

NAME = "junit"


def render(document: Document) -> str:
    """One suite; refuted or unexpected is a failure, no verdict an error, not checked is skipped."""
    entries = document.entries
    suite = ElementTree.Element(
        "testsuite",
        name=line(document.title),
        tests=str(len(entries)),
        failures=str(sum(e.failed and e.outcome != "error" for e in entries)),
        errors=str(sum(e.outcome == "error" for e in entries)),
        skipped=str(sum(_skipped(e) for e in entries)),
        time=f"{document.seconds:.3f}",
    )
    for entry in entries:
        suite.append(_case(entry))
    root = ElementTree.Element("testsuites", name="dp-audit")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _skipped(entry: Entry) -> bool:
    return entry.outcome == "not checked" and not entry.failed


def _case(entry: Entry) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", name=line(entry.id), classname=f"dp-audit.{entry.kind}", time=f"{entry.seconds:.3f}"
    )
    place = entry.location or {}
    if place.get("file"):
        case.set("file", line(str(place["file"])))
    if place.get("line"):
        case.set("line", str(place["line"]))
    said = clean(_said(entry))
    if entry.failed:
        kind = "error" if entry.outcome == "error" else "failure"
        ElementTree.SubElement(case, kind, message=message(entry), type=entry.outcome).text = said
    elif _skipped(entry):
        ElementTree.SubElement(case, "skipped", message=line(entry.reason) or "not checked")
    else:
        ElementTree.SubElement(case, "system-out").text = said
    return case


def message(entry: Entry) -> str:
    """What went wrong, in one line."""
    if entry.outcome == "error":
        return f"no verdict: {line(entry.reason)}"
    expected = f", expected {entry.expected}" if entry.expected is not None else ""
    witness = f". {line(entry.witness)}" if entry.witness else ""
    return f"{line(entry.title)}: {entry.outcome}{expected}{witness}"


def _said(entry: Entry) -> str:
    lines = [f"{entry.title}: {entry.outcome}", f"source: {entry.source}"]
    lines += [f"{fact.name}: {fact.value} {fact.hint}".strip() for fact in facts(entry)]
    for name in ("statement", "conditions", "witness", "finding", "correction", "reason"):
        if getattr(entry, name):
            lines.append(f"{name}: {getattr(entry, name)}")
        if name == "witness":
            lines += [f"why: {sentence}" for sentence in diagnosis(entry)]
    lines += [f"replay: {replay(entry)}" if replay(entry) else "", expectation(entry), *warnings(entry), *limits(entry)]
    return "\n".join(text for text in lines if text)
