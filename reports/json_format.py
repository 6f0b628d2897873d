"""The results file itself (schema: auditor/results/schema.json, words: docs/results.md)."""

from __future__ import annotations

from auditor.results.document import Document

NAME = "json"


def render(document: Document) -> str:
    """The JSON text."""
    return document.to_json() + "\n"
