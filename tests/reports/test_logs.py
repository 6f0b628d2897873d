"""What a results file, a baseline or an exception says never commands a terminal or a CI server that shows it."""

import json
import re
from dataclasses import replace
from xml.etree.ElementTree import canonicalize

import pytest
import samples

import reports
from auditor.escaping import inert, logged, printable
from auditor.results.document import Document
from reports import github, terminal

COMMANDS = (
    "ann\n::stop-commands::x\n  ::error file=a.py,line=1::y\n##[add-mask]z\n##vso[task.complete]w "
    "\x1b]0;t\x07\x9b2J\r::debug::v"
)
OBEYED = re.compile(
    r"(?im)^\s*::(add-mask|add-path|debug|error|group|set-env|set-output|stop-commands|warning)( .*)?::|##\w*\["
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def commanding() -> Document:
    """Every text of a hostile document is a list of commands."""
    text = samples.hostile_document().to_json()
    return Document.from_json(text.replace(samples.json_string(samples.HOSTILE), samples.json_string(COMMANDS)))


def harmful(text: str) -> list[str]:
    return [found.group() for found in OBEYED.finditer(text)] + CONTROL.findall(text)


def test_the_check_finds_what_it_should():
    assert harmful(COMMANDS)
    assert harmful("  ::error file=a.py::y")


@pytest.mark.parametrize("width", [20, 30, 40, 61, 80, 83, 120, 200])
def test_a_terminal_shows_no_command_however_its_lines_are_broken(commanding, width):
    assert harmful(terminal.render(commanding, width)) == []


@pytest.mark.parametrize("name", reports.formats())
def test_a_printed_format_has_no_command(commanding, name):
    text = printable(reports.render(commanding, name), name)
    ours = {"::error "} if name == "github" else set()
    assert {found for found in harmful(text) if not any(found.startswith(start) for start in ours)} == set()


def test_printing_changes_the_spelling_of_json_and_xml_and_not_what_they_say(commanding):
    for name, read in (("json", json.loads), ("sarif", json.loads), ("junit", canonicalize)):
        text = reports.render(commanding, name)
        assert printable(text, name) != text
        assert read(printable(text, name)) == read(text)


def test_annotations_are_ours_alone(commanding):
    rows = github.render(commanding).splitlines()
    assert rows
    for row in rows:
        assert row.startswith("::error ")
        assert harmful(row[2:]) == []


def test_a_page_of_the_job_keeps_its_markdown(commanding):
    assert CONTROL.findall(github.summary(commanding)) == []


def test_an_error_reason_alone(commanding):
    entry = replace(commanding.entries[0], outcome="error", reason=COMMANDS, id="tests/test_it.py::TestIt::test_it")
    text = terminal.render(Document((entry,), "0"), 70)
    assert harmful(text) == []
    assert "tests/test_it.py::TestIt::test_it" in text.replace("\n", "")  # an id can be copied from there


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a.py::error", "a.py::error"),
        ("a.py::TestX::test_y", "a.py::TestX::test_y"),
        ("::error::x", ": :error::x"),
        (":::error::x", ":: :error::x"),
        ("::SET-OUTPUT name=a::x", ": :SET-OUTPUT name=a::x"),
        ("##[group]x ##vso[y] ## [z]", "# #[group]x # #vso[y] ## [z]"),
    ],
)
def test_only_commands_are_changed(text, shown):
    assert inert(text) == shown
    assert logged(text) == shown
