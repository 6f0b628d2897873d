"""JUnit and SARIF: what CI servers and code scanners read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import reports
from auditor.results.document import Document

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
# The required parts of sarif-schema-2.1.0.json (OASIS, 2020), for what this package writes.
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "name": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "help": TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": LEVEL},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "properties": {"executionSuccessful": {"type": "boolean"}},
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "properties": {
                                "message": TEXT,
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": LEVEL,
                                "partialFingerprints": {
                                    "type": "object",
                                    "additionalProperties": {"type": "string"},
                                },
                                "suppressions": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["kind"],
                                        "properties": {"kind": {"enum": ["inSource", "external"]}},
                                    },
                                },
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "properties": {
                                                            "uri": {
                                                                "type": "string",
                                                                "pattern": r"^[A-Za-z0-9._~/%-]+$",
                                                            }
                                                        },
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "properties": {"startLine": {"type": "integer", "minimum": 1}},
                                                    },
                                                },
                                            },
                                            "logicalLocations": {
                                                "type": "array",
                                                "items": {"type": "object"},
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def sarif(document: Document) -> dict[str, Any]:
    data = json.loads(reports.render(document, "sarif"))
    jsonschema.validate(data, SARIF)
    (run,) = data["runs"]
    return dict(run)


def junit(document: Document) -> ElementTree.Element:
    return ElementTree.fromstring(reports.render(document, "junit").encode())


def test_sarif_points_at_the_code(run: Document) -> None:
    refuted, broken = sarif(run)["results"]
    assert refuted["level"] == broken["level"] == "error"
    place = refuted["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src/release.py"}, "region": {"startLine": 42}}
    assert "runs on the right input" in refuted["message"]["text"]
    assert refuted["properties"]["certified"] == pytest.approx(1.94)
    assert (refuted["ruleId"], broken["ruleId"]) == ("claim-refuted", "no-verdict")


def test_sarif_rules_have_help_and_indices_that_fit(notes: Document) -> None:
    run = sarif(notes)
    rules = run["tool"]["driver"]["rules"]
    assert all(len(rule["help"]["text"]) > 60 for rule in rules)
    assert run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_of_the_notes(notes: Document) -> None:
    found = {r["locations"][0]["logicalLocations"][0]["name"]: r for r in sarif(notes)["results"]}
    assert {name: result["level"] for name, result in found.items()} == {
        "004-E1": "error",  # not the recorded outcome
        "004-L15.2": "error",
        "000-R1": "note",
        "002-T5.19": "note",
    }  # a broken twin that was caught is no result
    assert "Correction:" in found["000-R1"]["message"]["text"]


def test_sarif_of_a_twin_that_escaped(notes: Document) -> None:
    escaped = replace(notes.entry("laplace/half-scale"), outcome="not refuted")
    (result,) = sarif(Document((escaped,), "1"))["results"]
    assert (result["ruleId"], result["level"]) == ("unexpected-outcome", "error")


def test_sarif_suppresses_what_was_accepted(run: Document) -> None:
    entry = replace(run.entries[0], expected="refuted", reason="accepted: until the next release")
    (result,) = sarif(Document((entry,), "1"))["results"]
    assert result["suppressions"] == [{"kind": "external", "justification": "until the next release"}]
    assert result["level"] == "note"


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü.py", "a%20b/%C3%BC.py"),
        ("/abs/x.py", "file:///abs/x.py"),
        ("src\\win.py", "src/win.py"),
        ("C:\\x.py", "file:///C%3A/x.py"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
    ],
)
def test_sarif_locations_are_relative_uris_or_files(run: Document, file: str, uri: str) -> None:
    entry = replace(run.entries[0], location={"file": file, "line": None})
    data = json.loads(reports.render(Document((entry,), "1"), "sarif"))
    place = data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": uri}}


def test_sarif_of_a_hostile_file_is_still_sarif(hostile: Document) -> None:
    assert len(sarif(hostile)["results"]) == 3


def test_fingerprints_tell_entries_apart(run: Document) -> None:
    prints = [result["partialFingerprints"]["dpAuditEntry/v1"] for result in sarif(run)["results"]]
    assert len(set(prints)) == len(prints)


def test_junit_counts(notes: Document, run: Document) -> None:
    suite = junit(notes).find("testsuite")
    assert suite is not None
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "16",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    assert len(suite.findall("testcase")) == 16
    assert len(list(suite.iter("failure"))) == 1
    assert len(list(suite.iter("skipped"))) == 1
    assert [case.get("name") for case in junit(run).iter("testcase") if case.find("failure") is not None] == [
        "release.py::histogram"
    ]


def test_junit_failure_explains_itself(run: Document) -> None:
    case = next(junit(run).iter("testcase"))
    failure = case.find("failure")
    assert failure is not None
    assert "refuted" in str(failure.get("message"))
    for words in ("Certified: ε ≥ 1.94", "Blind spot", "replay: dp-audit replay", "witness: On (0, 0, 1)"):
        assert words in str(failure.text)
    assert (case.get("file"), case.get("line")) == ("src/release.py", "42")


def test_junit_of_a_hostile_file_is_xml(hostile: Document) -> None:
    root = junit(hostile)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out",
    }  # fmt: skip
    assert "<script>alert(1)</script>" in str(next(root.iter("failure")).text)
