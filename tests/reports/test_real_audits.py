"""Reports of what the engine really gives: vectors, labels, ⊥, atoms, early stops and last rounds."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

import reports
from auditor.notes.catalogue_audits import audit_entry
from auditor.results.document import Document
from reports.pictures import pictures_of

SCHEMA = json.loads(files("auditor").joinpath("results", "schema.json").read_text(encoding="utf-8"))
IDS = (
    "laplace/half-scale", "geometric/one-sided", "name-and-shame",
    "ptr-median/unit-noise", "eye-colour", "vector-laplace/reused-noise",
)  # fmt: skip


@pytest.fixture(scope="module")
def document() -> Document:
    from mechanisms.core.catalogue import catalogue

    known = [mechanism.id for mechanism in catalogue() if mechanism.id in IDS]
    assert len(known) > 3
    return Document(tuple(audit_entry(name, True, 0, 1e-4) for name in known), "1", alpha=0.01)


def test_stored_results_fit_the_schema(document: Document) -> None:
    jsonschema.validate(json.loads(document.to_json()), SCHEMA)
    assert Document.from_json(document.to_json()).to_json() == document.to_json()


def test_every_audit_has_its_pictures(document: Document) -> None:
    for entry in document.entries:
        assert entry.audit is not None, entry.reason
        types = [data["type"] for data in pictures_of(entry)]
        assert types == (["outputs", "tradeoff"] if entry.kind == "mutant" else ["outputs", "tradeoff", "profile"])
    assert "cannot be drawn" not in reports.render(document, "html")


@pytest.mark.parametrize("name", [name for name in reports.formats() if name != "html"])
def test_every_format_renders(document: Document, name: str) -> None:
    text = reports.render(document, name)
    assert text.endswith("\n") or text == ""
