"""SARIF 2.1.0: what was found, at the file and line of the audited mechanism (OASIS standard, 2020)."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from auditor.results.baseline import reason_of
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.plain import number
from reports.details import replay
from reports.junit import message
from reports.words import line

NAME = "sarif"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_RULES: dict[str, tuple[str, str, str]] = {
    "claim-refuted": (
        "ClaimRefuted",
        "A privacy claim was refuted.",
        "On neighbouring inputs an event is more likely than the claimed (epsilon, delta) allows: the"
        " message names the event, the inputs and the counts. A true claim is refuted with probability at"
        " most the audit's alpha. Look at the sensitivity, the scale of the noise, reused randomness and,"
        " for the bits view, at floating-point noise; the replay line shows the same counts again.",
    ),
    "unexpected-outcome": (
        "UnexpectedOutcome",
        "An outcome is not the one that was recorded.",
        "A claim of the notes came out differently from the outcome stated in the ledger, or a broken"
        " mechanism was not caught. Either the code changed its meaning or the recorded outcome is wrong.",
    ),
    "no-verdict": (
        "NoVerdict",
        "An audit ended without a verdict.",
        "The mechanism raised, returned something that is not n outputs, or ran past its time limit."
        " Nothing is known about its privacy until it runs.",
    ),
    "false-as-printed": (
        "FalseAsPrinted",
        "A printed claim is false.",
        "The lecture notes print a claim that a computation contradicts; the message has the correction.",
    ),
}
_ORDER = list(_RULES)


def render(document: Document) -> str:
    """A result for what is refuted, without a verdict, unexpected or false as printed; the rest is silent."""
    results = [_result(entry, rule) for entry in document.entries if (rule := _rule(entry))]
    run = {
        "tool": {"driver": _driver(document)},
        "invocations": [{"executionSuccessful": not document.interrupted, "commandLine": line(document.command)}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    data = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _driver(document: Document) -> dict[str, Any]:
    rules = [
        {
            "id": identifier,
            "name": name,
            "shortDescription": {"text": short},
            "fullDescription": {"text": long},
            "help": {"text": long},
            "defaultConfiguration": {"level": "note" if identifier == "false-as-printed" else "error"},
        }
        for identifier, (name, short, long) in _RULES.items()
    ]
    return {"name": "dp-audit", "version": line(document.version), "rules": rules}


def _rule(entry: Entry) -> str | None:
    if entry.outcome == "error":
        return "no-verdict"
    if entry.outcome == "refuted":
        caught = entry.kind == "mutant" and entry.as_expected  # broken on purpose
        return None if caught else "claim-refuted"
    if not entry.as_expected:
        return "unexpected-outcome"
    return "false-as-printed" if entry.outcome == "false as printed" else None


def _result(entry: Entry, rule: str) -> dict[str, Any]:
    correction = f" Correction: {line(entry.correction)}" if entry.correction else ""
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": _ORDER.index(rule),
        "level": "error" if entry.failed else "note",
        "message": {"text": (line(entry.finding) or message(entry)) + correction},
        "locations": [_location(entry)],
        "partialFingerprints": {"dpAuditEntry/v1": hashlib.sha256(entry.id.encode("utf-8", "replace")).hexdigest()},
        "properties": _properties(entry),
    }
    if reason_of(entry):
        result["suppressions"] = [{"kind": "external", "justification": line(reason_of(entry))}]
    return result


def _location(entry: Entry) -> dict[str, Any]:
    named: dict[str, Any] = {
        "logicalLocations": [{"name": line(entry.id), "fullyQualifiedName": line(entry.id), "kind": "function"}]
    }
    place = entry.location or {}
    if place.get("file"):
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(str(place["file"]))}}
        if place.get("line"):
            physical["region"] = {"startLine": place["line"]}
        named["physicalLocation"] = physical
    return named


def _uri(path: str) -> str:
    """A relative path as a relative URI, an absolute one as file://; nothing else can come out."""
    posix = PurePosixPath(path.replace("\\", "/"))
    quoted = quote(posix.as_posix().encode("utf-8", "replace"), safe="/")
    if posix.is_absolute():
        return f"file://{quoted}"
    return f"file:///{quoted}" if path[1:3] in (":\\", ":/") else quoted


def _properties(entry: Entry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in ("claimed", "exact", "certified", "detectable", "p_value")}
    known: dict[str, Any] = {name: number(value) for name, value in values.items() if value is not None}
    known |= {"kind": entry.kind, "outcome": entry.outcome}
    return known | ({"replay": replay(entry)} if replay(entry) else {})
