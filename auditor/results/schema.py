"""Plain data against schema.json, the definition of what is stored, with errors that people can read."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.errors import UsageError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_ADVICE = "see docs/results.md"
_LARGEST = 2**256  # whole numbers, such as seeds, lie below it


def check(part: str, data: Any, what: str, advice: str = _ADVICE) -> None:
    """A UsageError where `data` is not as the schema says of `part`: "document", or a name under its "$defs".

    The error names the field, its rule (the schema's description of it) and the value, says `what` was read, and ends
    with the `advice`. Of a picture only the outline is checked: one that cannot be drawn does not spoil a page
    (reports/pictures).
    """
    validator = _validator(part)
    if validator.is_valid(data):
        return
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(data))
    assert error is not None
    raise UsageError(f"{_sentence(error, data, what)}; {advice}")


@cache
def _validator(part: str) -> Draft202012Validator:
    """jsonschema is imported here: only who reads stored results waits for it."""
    from jsonschema import Draft202012Validator, validators

    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    known = schema.pop("$defs")
    known["picture"] = {"description": "a picture", "type": "object", "properties": {"type": known["text_or_null"]}}
    strict = Draft202012Validator.TYPE_CHECKER.redefine_many({"number": _is_number, "integer": _is_whole})
    kind = validators.extend(Draft202012Validator, type_checker=strict)  # type: ignore[no-untyped-call]
    made: Draft202012Validator = kind(_resolved(schema if part == "document" else known[part], known))
    return made


def _resolved(schema: Any, known: Mapping[str, Any]) -> Any:
    """The schema with what its references stand for. Looked up again for each value they cost twice the time: 0.7 s
    instead of 0.3 s for the results of `dp-audit notes`."""
    if isinstance(schema, list):
        return [_resolved(part, known) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _resolved(known[schema["$ref"].removeprefix("#/$defs/")], known)
    return {key: _resolved(part, known) for key, part in schema.items()}


def _is_number(_: Any, value: Any) -> bool:
    """Finite as a float: NaN, infinities and whole numbers of 400 digits are none."""
    largest = sys.float_info.max
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -largest <= value <= largest


def _is_whole(_: Any, value: Any) -> bool:
    """3 is a whole number, 3.0 is not: it would be printed otherwise."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST


def _sentence(error: ValidationError, data: Any, what: str) -> str:
    """What is wrong with the data: field, rule and value. A field of an entry is named with the entry's id."""
    what, path = _named(what, data), ""
    for key in error.absolute_path:
        data = data[key]
        path += f"[{key}]" if isinstance(key, int) else f".{key}"
        if isinstance(data, Mapping) and isinstance(data.get("id"), str):
            what, path = _named(what, data), ""
    name = path.lstrip(".")
    subject = f"{name} of {what}" if name else what
    rules: Any = error.schema
    match error.validator:
        case "required":
            missing = [key for key in rules["required"] if key not in data]
            return f"{subject} must have {', '.join(missing[:3])}, got keys={sorted(data)!r:.80}"
        case "additionalProperties":
            unknown = sorted(set(data) - set(rules["properties"]))
            return f"{subject} must have only the keys {', '.join(rules['properties'])}, got {unknown[:3]!r:.80}"
    return f"{subject} must be {_rule(rules)}, got {name}{'=' if name else ''}{data!r:.80}"


def _named(what: str, data: Any) -> str:
    identifier = data.get("id") if isinstance(data, Mapping) else None
    return f"the entry {identifier!r:.80}" if isinstance(identifier, str) else what


def _rule(schema: Any) -> str:
    if "enum" in schema:
        return "one of " + ", ".join("null" if value is None else str(value) for value in schema["enum"])
    return str(schema["description"])
