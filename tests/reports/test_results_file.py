"""The stored document: its schema, its reader, and what they refuse."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from importlib.resources import files
from typing import Any

import jsonschema
import numpy as np
import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.results.document import Document, read
from auditor.results.entry import AUDIT_OUTCOMES, ERROR_OUTCOME, KINDS, LEDGER_OUTCOMES, Entry, entry_from_dict
from auditor.results.files import write_text
from reports.pictures import draw, pictures_of

SCHEMA = json.loads(files("auditor").joinpath("results", "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def fits(data: Any) -> bool:
    return VALIDATOR.is_valid(data)


def part(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("make", [samples.notes_document, samples.run_document, samples.hostile_document])
def test_documents_fit_the_schema_and_come_back_equal(make: Any) -> None:
    text = make().to_json()
    jsonschema.validate(json.loads(text), SCHEMA)
    assert Document.from_json(text).to_json() == text


def test_every_value_that_can_be_wrong_has_a_rule_in_words() -> None:
    """An error says what the value must be: its description, or the list of its values."""

    def silent(schema: Any, path: str) -> list[str]:
        if not isinstance(schema, dict):
            return []
        parts = {**schema.get("properties", {}), **{str(i): s for i, s in enumerate(schema.get("prefixItems", []))}}
        parts |= {key: schema[key] for key in ("items", "then", "additionalProperties") if key in schema}
        said = "$ref" in schema or "enum" in schema or "description" in schema
        return ([] if said else [path]) + [bad for key, part in parts.items() for bad in silent(part, f"{path}/{key}")]

    pictures = ("curve", "outputs", "axis", "picture")  # these are checked where they are drawn
    parts = {name: part for name, part in SCHEMA["$defs"].items() if name not in pictures}
    assert [bad for name, part in parts.items() for bad in silent(part, name)] + silent(SCHEMA, "document") == []


def test_the_outcomes_of_the_schema_are_those_of_an_entry() -> None:
    known = [*AUDIT_OUTCOMES, *LEDGER_OUTCOMES, ERROR_OUTCOME]
    assert SCHEMA["$defs"]["outcome"]["enum"] == known
    assert SCHEMA["$defs"]["expected"]["enum"] == [*known, None]
    assert SCHEMA["$defs"]["verdict"]["enum"] == list(AUDIT_OUTCOMES)
    assert SCHEMA["$defs"]["entry"]["properties"]["kind"]["enum"] == list(KINDS)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seconds": -1}, "seconds of the entry 'a' must be a finite number, 0 or more, got seconds=-1"),
        ({"kind": "other"}, "kind of the entry 'a' must be one of mechanism, mutant, claim, audit, got kind='other'"),
        ({"location": {"line": 0}}, "location.line of the entry 'a' must be a whole number, 1 or more, or null, got"),
        ({"location": {"root": 5}}, "location.root of the entry 'a' must be a text, got location.root=5"),
        ({"audit": 5}, "audit of the entry 'a' must be an audit's result or null, got audit=5"),
        ({"audit": {}}, "audit of the entry 'a' must have name, claim, verdict, got keys=[]"),
        ({"id": 5}, "id of an entry must be a text, got id=5"),
    ],
)
def test_an_error_names_the_field_the_rule_and_the_value(change: dict[str, Any], sentence: str) -> None:
    entry = {**Entry("a", "audit", "t", "s", "refuted").to_dict(), **change}
    with pytest.raises(UsageError) as caught:
        entry_from_dict(entry)
    assert str(caught.value).startswith(sentence)
    if "id" not in change:
        with pytest.raises(UsageError) as caught:
            Document.from_json(json.dumps({"schema": "dp-audit/1", "version": "1", "entries": [entry]}))
        assert str(caught.value).startswith(sentence)


def test_the_schema_names_every_field() -> None:
    assert set(SCHEMA["$defs"]["entry"]["properties"]) == {field.name for field in fields(Entry)}
    assert set(SCHEMA["properties"]) == {"schema"} | {field.name for field in fields(Document)}


def test_derived_pictures_fit_the_schema(notes: Document, run: Document) -> None:
    types = set()
    for entry in (*notes.entries, *run.entries):
        for data in pictures_of(entry):
            part("picture").validate(data)
            types.add(data["type"])
    assert types == {"profile", "outputs", "tradeoff", "evidence", "lines"}


WRONG: dict[str, list[Any]] = {
    "text": [5, None, ["a"], {}],
    "number": ["5", "nan", True, [1]],
    "whole": [1.5, "1", True, [1]],
}
TEXTS = (
    "id",
    "title",
    "source",
    "quantity",
    "statement",
    "conditions",
    "explanation",
    "finding",
    "correction",
    "reason",
    "replay",
)
FIELDS = {
    **dict.fromkeys(TEXTS, "text"),
    **dict.fromkeys(("claimed", "exact", "certified", "detectable", "p_value", "delta"), "number"),
    **dict.fromkeys(("trials_used", "seed"), "whole"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_wrong_type_is_refused_by_reader_and_schema_alike(name: str, run: Document) -> None:
    for value in WRONG[FIELDS[name]]:
        data = {**run.entries[0].to_dict(), name: value}
        assert not part("entry").is_valid(data), (name, value)
        with pytest.raises(UsageError):
            entry_from_dict(data)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"outcome": "private"},
        {"outcome": None},
        {"expected": "pass"},
        {"seconds": -1},
        {"seconds": "1"},
        {"witness": 5},
        {"of": 5},
        {"location": {"file": 5}},
        {"location": {"file": "a", "line": 0}},
        {"location": {"file": "a", "line": "<b>"}},
        {"location": "a.py:3"},
        {"audit": "refuted"},
        {"pictures": {}},
        {"pictures": ["<svg>"]},
        {"pictures": [{"type": "lines"}] * 21},
        {"surprise": 1},
    ],
)
def test_an_entry_that_does_not_fit_is_refused(change: dict[str, Any], run: Document) -> None:
    data = {**run.entries[1].to_dict(), **change}
    assert not part("entry").is_valid(data)
    with pytest.raises(UsageError):
        entry_from_dict(data)


@pytest.mark.parametrize(
    "change",
    [{"alpha": "0.01"}, {"alpha": -1}, {"seed": 1.5}, {"title": ["x"]}, {"interrupted": 1}, {"entries": {}}],
)
def test_a_document_that_does_not_fit_is_refused(change: dict[str, Any], run: Document) -> None:
    data = {**json.loads(run.to_json()), **change}
    assert not fits(data)
    with pytest.raises(UsageError):
        Document.from_json(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": "dp-audit/2", "entries": []}',
        '{"schema": "dp-audit/1"}',
        '{"schema": "dp-audit/1", "version": "1", "entries": [], "alpha": NaN}',
        '{"schema": "dp-audit/1", "version": "1", "entries": [], "seconds": Infinity}',
        '{"schema": "dp-audit/1", "version": "\\ud800", "entries": []}',
        '{"schema": "dp-audit/1", "version": "1", "entries": [{"id": "a", "kind": "claim", "title": "t",'
        ' "source": "s", "outcome": "holds", "claimed": NaN}]}',
        "[" * 100_000,
        '{"schema": "dp-audit/1", "version": "1", "entries": [], "seed": ' + "9" * 5000 + "}",
    ],
)
def test_what_is_no_results_file_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Document.from_json(text)
    assert "\n" not in str(caught.value)


def test_a_number_too_large_for_anything_is_refused(run: Document) -> None:
    for name in ("claimed", "trials_used", "seed"):
        with pytest.raises(UsageError):
            entry_from_dict({**run.entries[0].to_dict(), name: 10**400})


def test_numbers_that_json_has_no_word_for() -> None:
    entry = Entry(
        "a",
        "claim",
        "t",
        "s",
        "holds",
        claimed=math.inf,
        exact=math.nan,
        trials_used=np.int64(3),
        pictures=({"type": "lines", "values": (np.float64(-math.inf), np.arange(2))},),
    )
    data = json.loads(Document((entry,), "1").to_json())["entries"][0]
    assert (data["claimed"], data["exact"], data["trials_used"]) == ("inf", None, 3)
    assert data["pictures"][0]["values"] == ["-inf", [0, 1]]
    assert entry_from_dict(data).claimed == math.inf


def test_an_impossible_entry_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="kind must be one of"):
        Entry("a", "theorem", "t", "s", "holds")
    with pytest.raises(ValueError, match="expected must be one of"):
        Entry("a", "claim", "t", "s", "holds", "maybe")


@pytest.mark.parametrize(
    ("outcome", "expected", "failed"),
    [
        ("refuted", None, True),
        ("refuted", "refuted", False),
        ("refuted", "not refuted", True),
        ("not refuted", None, False),
        ("not refuted", "refuted", True),
        ("error", None, True),
        ("holds", "holds", False),
        ("holds", "misprint", True),
    ],
)
def test_what_turns_a_run_red(outcome: str, expected: str | None, failed: bool) -> None:
    assert Entry("a", "claim", "t", "s", outcome, expected).failed is failed


def test_writing_is_whole_or_not_at_all(tmp_path: Any, run: Document) -> None:
    target = tmp_path / "deep" / "results.json"
    write_text(target, run.to_json())
    assert read(target).to_json() == run.to_json()
    with pytest.raises(UsageError):
        write_text(target / "below a file", "x")
    assert [path.name for path in target.parent.iterdir()] == ["results.json"]
    write_text(target, "half \ud800 a pair")
    assert target.read_text(encoding="utf-8") == "half ? a pair"


def test_a_report_can_be_read_by_whom_the_umask_allows(tmp_path: Any) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("x")
    write_text(tmp_path / "report", "x")
    assert (tmp_path / "report").stat().st_mode == ordinary.stat().st_mode
    (tmp_path / "report").chmod(0o600)
    write_text(tmp_path / "report", "y")
    assert (tmp_path / "report").stat().st_mode & 0o777 == 0o600


PICTURES = {data["type"]: data for entry in samples.notes_document().entries for data in pictures_of(entry)}


BAD = [None, 5, "x", [], {}, [[]], ["x"], [math.nan], [math.inf], [1e300], [[1, 2, 3]], [0.0] * 5000, True]


def attempt(data: Any) -> str:
    """The SVG, or nothing where the data is refused; anything but a UsageError is a failure."""
    try:
        return draw(data).svg
    except UsageError:
        return ""


@pytest.mark.parametrize("kind", PICTURES)
def test_a_bad_part_of_a_picture_is_refused_or_drawn_never_a_crash(kind: str) -> None:
    refused = 0
    for name in PICTURES[kind]:
        for value in BAD:
            svg = attempt(PICTURES[kind] | {name: value})
            refused += not svg
            assert len(svg) < 30_000
            assert "nan" not in svg
    assert refused >= 2 * len(BAD)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(sorted(PICTURES)), place=st.integers(0, 7), value=JSON)
def test_no_json_crashes_the_pictures(kind: str, place: int, value: Any) -> None:
    names = sorted(PICTURES[kind])
    attempt(PICTURES[kind] | {names[place % len(names)]: value})
