"""The stored results: one JSON document of entries, documented in docs/results.md."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any

from auditor.errors import UsageError
from auditor.results.files import write_text as write_text
from auditor.results.result import AuditResult, number, parse_number

SCHEMA = "dp-audit/1"

KINDS = ("mechanism", "mutant", "claim", "audit")
AUDIT_OUTCOMES = ("refuted", "not refuted")
LEDGER_OUTCOMES = (
    "holds",
    "holds under condition",
    "false as printed",
    "misprint",
    "definition",
    "not checked",
)
ERROR_OUTCOME = "error"


@dataclass(frozen=True)
class Entry:
    """One row of a results document: an audit (mechanism, mutant, someone's code) or a claim of the notes.

    `claimed`, `exact`, `certified` and `detectable` are numbers in the unit that `quantity` names; for an audit that
    is epsilon at `delta`. `by_parts` is what a composition's parts certify together. `finding` and `correction` are
    for what is false as printed. `audit` is the whole AuditResult as plain data, `location` the file and line of the
    audited code with what a replay needs, `pictures` what the report draws (see docs/results.md).
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
    by_parts: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got kind={self.kind!r:.80}")
        for name in ("outcome", "expected"):
            value = getattr(self, name)
            if value not in _OUTCOMES and not (name == "expected" and value is None):
                raise ValueError(f"{name} must be one of {', '.join(_OUTCOMES)}, got {name}={value!r:.80}")

    @property
    def as_expected(self) -> bool:
        """True where there is no ground truth, or the outcome is it."""
        return self.expected is None or self.outcome == self.expected

    @property
    def failed(self) -> bool:
        """True for what turns a run red: an error, an unexpected outcome, a refutation nobody expected."""
        unforeseen = self.expected is None and self.outcome == AUDIT_OUTCOMES[0]
        return self.outcome == ERROR_OUTCOME or not self.as_expected or unforeseen

    @property
    def audit_result(self) -> AuditResult | None:
        """The stored AuditResult, where the entry has one."""
        return None if self.audit is None else AuditResult.from_dict(self.audit)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        kept = {key: value for key, value in vars(self).items() if key != "by_parts" or value is not None}
        return {key: _plain(value) for key, value in kept.items()}


_OUTCOMES = (*AUDIT_OUTCOMES, *LEDGER_OUTCOMES, ERROR_OUTCOME)
_NUMBERS = ("claimed", "exact", "certified", "detectable", "p_value", "delta", "by_parts")
_REQUIRED = ("id", "kind", "title", "source", "outcome")
_MOST_PICTURES = 20


def _plain(value: Any) -> Any:
    """JSON data: lists for tuples and arrays, "inf" for infinities, null for NaN."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):  # an array or a number of numpy's
        return _plain(value.tolist())
    return number(value) if isinstance(value, float) else value


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**256


def _measure(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and 0 <= value < math.inf


def _number(value: Any) -> bool:
    return value in ("inf", "-inf") or (isinstance(value, (int, float)) and not isinstance(value, bool))


_REPLAY: dict[str, Callable[[Any], bool]] = {  # how `dp-audit replay` finds the mechanism again
    "target": _text,
    "door": lambda value: value in ("run", "pytest"),
    "root": _text,
    "quick": lambda value: isinstance(value, bool),
    "pairs": lambda value: isinstance(value, list),
}


def _place(value: Any) -> bool:
    """Where the audited code is; what else stands beside file and line belongs to `dp-audit replay`."""
    if not isinstance(value, dict) or not isinstance(value.get("file"), (str, NoneType)):
        return False
    line = value.get("line")
    return line is None or (_whole(line) and line >= 1)


def _drawn(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _MOST_PICTURES and all(map(_picture, value))


def _picture(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), (str, NoneType))


def _absent(rule: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or rule(value)


_ENTRY_RULES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(Entry.__dataclass_fields__, _text),
    **dict.fromkeys(_NUMBERS, _absent(_number)),
    **dict.fromkeys(("expected", "witness", "of"), _absent(_text)),
    **dict.fromkeys(("trials_used", "seed"), _absent(_whole)),
    "seconds": _measure,
    "location": _absent(_place),
    "audit": _absent(lambda value: isinstance(value, dict)),
    "pictures": _drawn,
}
_DOCUMENT_RULES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("version", "title", "command"), _text),
    "alpha": _absent(_measure),
    "seed": _absent(_whole),
    "seconds": _measure,
    "interrupted": lambda value: isinstance(value, bool),
}


def _checked(data: Mapping[str, Any], rules: Mapping[str, Callable[[Any], bool]], where: str) -> None:
    for key, rule in rules.items():
        if key in data and not rule(data[key]):
            raise UsageError(f"{key} of {where} must be as in docs/results.md, got {key}={data[key]!r:.80}")


def entry_from_dict(data: Any) -> Entry:
    """The entry that `to_dict` described; anything else is a UsageError."""
    if not isinstance(data, dict) or not all(_text(data.get(key)) for key in _REQUIRED):
        raise UsageError(f"an entry must be an object with text for {', '.join(_REQUIRED)}, got {data!r:.80}")
    unknown = set(data) - set(Entry.__dataclass_fields__)
    if unknown:
        raise UsageError(
            f"an entry has only the keys of docs/results.md, got {sorted(unknown)[:3]} in {data['id']!r:.80}"
        )
    _checked(data, _ENTRY_RULES, f"the entry {data['id']!r:.80}")
    values = dict(data)
    try:
        for key in _NUMBERS:
            if values.get(key) is not None:
                values[key] = parse_number(values[key])
        values["pictures"] = tuple(values.get("pictures", ()))
        return Entry(**values)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"the entry {data['id']!r:.80} does not fit docs/results.md: {error}") from error


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
            data = json.loads(text, parse_constant=_no_constant)
            if "\\u" in text:  # half of a surrogate pair is JSON, but no text: it cannot be written again
                json.dumps(data, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise UsageError(f"a results file must be JSON: {error}") from error
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise UsageError(f'a results file must say "schema": "{SCHEMA}"; is this one written by dp-audit?')
        if not isinstance(data.get("entries"), list):
            raise UsageError("a results file must have a list of entries")
        entries = tuple(entry_from_dict(entry) for entry in data["entries"])
        _checked(data, _DOCUMENT_RULES, "the results file")
        known = {key: data[key] for key in _DOCUMENT_RULES if key in data}
        return Document(entries=entries, **{"version": "unknown", **known})

    def entry(self, identifier: str) -> Entry:
        """The entry with this id."""
        for entry in self.entries:
            if entry.id == identifier:
                return entry
        raise UsageError(f"the id must be one of the {len(self.entries)} in the results file, got {identifier!r}")


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON; a number that does not exist is null, an infinity "inf"')


def read(path: str | os.PathLike[str]) -> Document:
    """The document stored at `path`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"the results file {str(path)!r} cannot be read: {error}") from error
    return Document.from_json(text)
