"""The stored results: one JSON document of entries, documented in docs/results.md."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.errors import UsageError
from auditor.results import AuditResult, number, parse_number

SCHEMA = "dp-audit/1"

AUDIT_OUTCOMES = ("refuted", "not refuted")
LEDGER_OUTCOMES = ("holds", "holds under condition", "false as printed", "misprint", "definition", "not checked")
ERROR_OUTCOME = "error"


@dataclass(frozen=True)
class Entry:
    """One row of a results document: an audit (mechanism, mutant, someone's code) or a claim of the notes.

    `claimed`, `exact`, `certified` and `detectable` are numbers in the unit that `quantity` names; for an audit that
    is epsilon at `delta`. `finding` and `correction` are for what is false as printed. `audit` is the whole
    AuditResult as plain data, `pictures` what the report draws (see docs/results.md).
    """

    id: str
    kind: str
    title: str
    source: str
    outcome: str
    expected: str | None = None
    claimed: float | None = None
    exact: float | None = None
    certified: float | None = None
    detectable: float | None = None
    p_value: float | None = None
    trials_used: int | None = None
    witness: str | None = None
    seed: int | None = None
    seconds: float = 0.0
    quantity: str = "epsilon"
    delta: float | None = None
    of: str | None = None
    statement: str = ""
    conditions: str = ""
    explanation: str = ""
    finding: str = ""
    correction: str = ""
    reason: str = ""
    replay: str = ""
    location: Mapping[str, Any] | None = None
    audit: Mapping[str, Any] | None = None
    pictures: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)

    @property
    def as_expected(self) -> bool:
        """True where there is no ground truth, or the outcome is it."""
        return self.expected is None or self.outcome == self.expected

    @property
    def audit_result(self) -> AuditResult | None:
        """The stored AuditResult, where the entry has one."""
        return None if self.audit is None else AuditResult.from_dict(self.audit)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        data = dict(vars(self))
        for key in _NUMBERS:
            data[key] = number(data[key])
        data["pictures"] = [dict(picture) for picture in self.pictures]
        return data


_NUMBERS = ("claimed", "exact", "certified", "detectable", "p_value", "delta")
_TEXTS = ("id", "kind", "title", "source", "outcome")


def entry_from_dict(data: Any) -> Entry:
    """The entry that `to_dict` described; anything else is a UsageError."""
    if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in _TEXTS):
        raise UsageError(f"an entry must be an object with text for {', '.join(_TEXTS)}, got {data!r:.80}")
    unknown = set(data) - set(Entry.__dataclass_fields__)
    if unknown:
        raise UsageError(f"an entry has only the keys of docs/results.md, got {sorted(unknown)[:3]} in {data['id']!r}")
    values = dict(data)
    try:
        for key in _NUMBERS:
            if values.get(key) is not None:
                values[key] = parse_number(values[key])
        values["pictures"] = tuple(dict(picture) for picture in values.get("pictures", ()))
        return Entry(**values)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the entry {data['id']!r} does not fit docs/results.md: {error}") from error


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
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"a results file must be JSON: {error}") from error
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise UsageError(f'a results file must say "schema": "{SCHEMA}"; is this one written by dp-audit?')
        if not isinstance(data.get("entries"), list):
            raise UsageError("a results file must have a list of entries")
        entries = tuple(entry_from_dict(entry) for entry in data["entries"])
        known = {key: data[key] for key in Document.__dataclass_fields__ if key in data and key != "entries"}
        return Document(entries=entries, **{"version": "unknown", **known})

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
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the results file {str(path)!r} cannot be read: {error}") from error
    return Document.from_json(text)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file whole or not at all: an interrupted or failed write leaves the old file as it was."""
    target = Path(path)
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            temporary = file.name
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def select(entries: Sequence[Entry], outcome: str) -> tuple[Entry, ...]:
    """The entries with this outcome."""
    return tuple(entry for entry in entries if entry.outcome == outcome)
