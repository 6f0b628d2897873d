"""The stored results: one JSON document of entries, documented in docs/results.md."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from pathlib import Path

from auditor.errors import UsageError
from auditor.results import schema
from auditor.results.entry import Entry as Entry
from auditor.results.entry import entry_of_checked
from auditor.results.files import write_text as write_text
from auditor.results.plain import parsed

SCHEMA = "dp-audit/1"


@dataclass(frozen=True)
class Document:
    """Entries with what the whole run shares: its alpha, its seed, its command."""

    entries: tuple[Entry, ...]
    version: str
    title: str = "dp-audit"
    alpha: float | None = None
    seed: int | None = None
    command: str = ""
    seconds: float = 0.0
    interrupted: bool = False

    def to_json(self) -> str:
        """The results.json text."""
        data = {"schema": SCHEMA, **vars(self), "entries": [entry.to_dict() for entry in self.entries]}
        return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)

    @staticmethod
    def from_json(text: str) -> Document:
        """The document that `to_json` wrote; anything else is a UsageError."""
        data = parsed(text, "a results file", from_file=True)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise UsageError(f'a results file must say "schema": "{SCHEMA}"; is this one written by dp-audit?')
        schema.check("document", data, "the results file")
        shared = {part.name: data[part.name] for part in fields(Document) if part.name in data}
        return Document(**{**shared, "entries": tuple(map(entry_of_checked, data["entries"]))})

    def entry(self, identifier: str) -> Entry:
        """The entry with this id."""
        for entry in self.entries:
            if entry.id == identifier:
                return entry
        raise UsageError(f"the id must be one of the {len(self.entries)} in the results file, got {identifier!r}")


def read(path: str | os.PathLike[str]) -> Document:
    """The document stored at `path`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"the results file {str(path)!r} cannot be read: {why}") from error
    return Document.from_json(text)
