"""Markdown, terminal, GitHub, and the words they share."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from html import unescape

import pytest
import samples
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from samples import HOSTILE, audit_entry, labelled_result

import reports
from auditor.errors import UsageError
from auditor.results.document import Document
from auditor.results.entry import Entry
from reports import details, github, story, terminal, words
from reports.markdown import cell, code, text

PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def inline(markdown: str) -> tuple[str, set[str]]:
    """What a Markdown reader sees: the text, and the kinds of markup in it."""
    tokens = PARSER.parse(markdown)
    kinds = {token.type for token in tokens} - {"paragraph_open", "paragraph_close", "inline"}
    children = [child for token in tokens for child in token.children or []]
    return "".join(child.content for child in children), kinds | {c.type for c in children} - {"text"}


def test_formats_are_found_by_looking() -> None:
    assert reports.formats() == ("badge", "github", "html", "json", "junit", "markdown", "sarif", "terminal")
    with pytest.raises(UsageError, match="the format must be one of badge, github, html"):
        reports.render(Document((), "1"), "pdf")


def test_json_is_the_document_itself(run: Document) -> None:
    assert Document.from_json(reports.render(run, "json")) == Document.from_json(run.to_json())


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("`*_[]()<>#|~!&$\\-+=1.: x@/\nwhtps", max_size=40))
def test_markdown_shows_any_text_as_it_is(foreign: str) -> None:
    seen, kinds = inline(text(foreign))
    assert kinds <= {"text_special"}
    assert seen.replace("\u200b", "") == words.line(foreign).replace("\u200b", "")


@settings(max_examples=200, deadline=None)
@given(st.text("`ab |<\\", min_size=1, max_size=12))
def test_code_stays_code(foreign: str) -> None:
    seen, kinds = inline(code(foreign))
    assert kinds == {"code_inline"}
    assert seen.strip() == (words.line(foreign) or "–")
    (row,) = [t for t in PARSER.parse(f"| a | b |\n|---|---|\n| {cell(foreign)} | z |") if t.content == "z"]
    assert row.type == "inline"


def test_markdown_of_a_hostile_file_is_plain(hostile: Document) -> None:
    tokens = PARSER.parse(reports.render(hostile, "markdown"))
    kinds = {token.type for token in tokens} | {c.type for t in tokens for c in t.children or []}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "s_open"}
    summary = PARSER.parse(github.summary(hostile))
    html = {t.content.strip() for t in summary if t.type == "html_block"}
    assert all(re.fullmatch(r"<details><summary>\n[^<>\n]+: \d+\n</summary>|</details>", block) for block in html)


@pytest.mark.parametrize("name", ["markdown", "terminal", "html", "junit"])
def test_why_a_claim_fails_stands_below_the_witness(name: str) -> None:
    result = replace(labelled_result(), diagnosis=("Because <b>of</b> *this*.",))
    entry = replace(audit_entry("audit", result), expected=None)
    rendered = reports.render(Document((entry,), "1"), name)
    said = inline(rendered)[0] if name == "markdown" else unescape(rendered)
    assert said.index("Whoever guesses the") < said.index("Because <b>of</b> *this*.")
    if name in ("html", "junit"):
        assert "Because <b>" not in rendered


def test_markdown_has_the_same_facts(notes: Document) -> None:
    markdown = reports.render(notes, "markdown")
    said = inline(markdown)[0]
    for entry in notes.entries:
        assert f"`{entry.id}`" in markdown
        for fact in details.facts(entry):
            assert fact.value in said, fact
        for value in (entry.witness, entry.finding, entry.correction, entry.reason, entry.replay):
            assert not value or words.line(value) in said
    assert said.index("Needs attention") < said.index("False as printed") < said.index("Mechanisms")


def test_tables_have_as_many_cells_as_heads(hostile: Document, notes: Document) -> None:
    for document in (hostile, notes):
        tokens = PARSER.parse(reports.render(document, "markdown"))
        rows = [t for t in tokens if t.type == "tr_open"]
        cells = [t for t in tokens if t.type in ("td_open", "th_open")]
        assert rows
        assert len(cells) == 8 * len(rows)


def test_terminal_fits_80_columns_and_has_no_escapes(notes: Document, run: Document, hostile: Document) -> None:
    for document in (notes, run, hostile):
        shown = reports.render(document, "terminal")
        assert max(map(len, shown.splitlines())) <= 80
        assert "\x1b" not in shown
    assert "[bold]" in reports.render(hostile, "terminal")  # markup of rich is text here


def test_terminal_shows_every_entry_and_ends_with_the_headline(notes: Document) -> None:
    shown = reports.render(notes, "terminal")
    flat = "".join(shown.split())
    assert all(entry.id in flat for entry in notes.entries if len(entry.id) <= 32)
    assert shown.index("Claims of lecture 000") < shown.index("Claims of lecture 004")
    assert shown.index("Needs attention") < shown.index("The lecture notes, checked")
    assert shown.rstrip().endswith("16 entries in 2 min 14 s, seed 0, dp-audit 0.1.0.")
    assert "Correction: δ < 1/2" in shown
    assert shown.count("Replay: dp-audit replay results.json") == 2  # of the two that need attention


def test_terminal_tells_what_was_noticed_about_a_mechanism(run: Document) -> None:
    """In its own section where the audit is green, with the finding where it is red."""
    first, *others = (entry for entry in run.entries if entry.audit is not None)
    noticed = {**first.audit, "warnings": ["The draws depend on their order."]}
    for outcome, verdict in (("refuted", "Needs attention"), ("not refuted", "Noticed")):
        entry = replace(first, outcome=outcome, expected=None, audit={**noticed, "verdict": outcome})
        shown = terminal.render(replace(run, entries=(entry, *others)))
        assert shown.count("The draws depend on their order.") == 1
        assert verdict in shown[: shown.index("The draws depend on their order.")]


def test_terminal_tells_a_few_entries_in_detail(notes: Document, run: Document) -> None:
    claim = Entry(
        "002-X", "claim", "Noise", "002 Theorem X", "misprint", expected="misprint",
        statement="E[Z] = 1/ε", conditions="ε > 0", finding="The bars are missing.", correction="E[|Z|] = 1/ε.",
        explanation="as printed:\n  ✗ E[Z]: 0 = 2\nas the text means it:\n  ✓ E|Z|: 2 = 2",
    )  # fmt: skip
    shown = terminal.render(replace(notes, entries=(claim,)))
    for part in ("Printed: E[Z] = 1/ε", "Conditions: ε > 0", "The bars", "Correction: E[|Z|]", "      ✗ E[Z]: 0 = 2"):
        assert part in shown
    many = terminal.render(replace(notes, entries=(claim, *notes.entries)))
    assert "The bars are missing." in many
    assert "Conditions:" not in many
    assert "In detail" not in terminal.render(replace(run, entries=run.entries[:1]))


def test_terminal_tells_one_audit_in_a_paragraph_that_can_be_pasted(run: Document) -> None:
    """All of `print(result)`, the line that repeats it, and one line about the run; no table."""
    entry = next(entry for entry in run.entries if entry.failed and entry.audit_result is not None)
    result = entry.audit_result
    assert result is not None
    shown = terminal.render(replace(run, entries=(entry,)))
    assert shown.startswith(str(result) + "\n  replay     ")
    assert "1 claim refuted." in shown
    assert "Needs attention" not in shown
    assert len(shown.splitlines()) <= 20
    accepted = terminal.render(replace(run, entries=(replace(entry, reason="accepted: known"),)))
    assert "known" in accepted
    narrow = terminal.render(replace(run, entries=(entry,)), width=60)
    assert max(map(len, narrow.splitlines())) <= 60


def test_one_training_run_and_one_error_are_paragraphs_too(run: Document) -> None:
    entry = samples.one_run_entry()
    assert entry.one_run is not None
    shown = terminal.render(Document((entry,), "1", "Privacy audit of scores.csv"))
    assert shown.startswith(f"{entry.one_run}\n")
    assert "blind spot other canaries" in shown
    broken = next(entry for entry in run.entries if entry.outcome == "error")
    told = terminal.render(replace(run, entries=(broken,)))
    assert told.startswith(f"NO VERDICT: {broken.id} could not be audited.\n  why ")
    assert "depends on chance" not in told


def test_a_replay_line_is_broken_between_words_of_the_shell_only(run: Document) -> None:
    entry = next(entry for entry in run.entries if entry.failed and entry.audit_result is not None)
    command = shlex.join(
        ["dp-audit", "replay", "a folder/" + "x" * 40, "left file.csv and right file.csv", "--jobs", "1"]
    )
    shown = terminal.render(replace(run, entries=(replace(entry, replay=command),)))
    lines = shown[shown.index("  replay     ") :].split("\n\n")[0].removeprefix("  replay     ")
    assert "\\\n" in lines
    assert "--jobs 1" in lines
    assert shlex.split(lines.replace("\\\n", " ")) == shlex.split(command)


def test_terminal_names_the_blind_spot_of_audits_and_the_truth_of_the_notes(run: Document, notes: Document) -> None:
    assert "blind below" in terminal.render(run)
    long = replace(run.entries[0], id="a/rather/long/path/to/the/file.py::mechanism")
    assert re.search("certified +blind below", terminal.render(replace(run, entries=(long, long))))
    assert "  exact" not in terminal.render(run)
    assert "  exact" in terminal.render(notes)


def test_terminal_narrow_and_coloured(run: Document) -> None:
    assert max(map(len, terminal.render(run, width=50).splitlines())) <= 50
    coloured = terminal.render(run, colour=True)
    assert "\x1b[1;31mrefuted" in coloured


def test_show_prints(run: Document, capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show(run)
    assert "Needs attention" in capsys.readouterr().out


def test_annotations_name_file_line_and_witness(run: Document) -> None:
    first, second = github.annotations(run)
    assert first.startswith("::error file=src/release.py,line=42,title=dp-audit%3A release.py%3A%3Ahistogram refuted::")
    assert "11816 of 20000" in first or "runs on the right input" in first
    assert "%0Areplay: dp-audit replay" in first
    assert second.endswith("::no verdict: RuntimeError: database went away")
    assert reports.render(run, "github") == f"{first}\n{second}\n"


def test_annotations_cannot_be_broken_out_of(hostile: Document, run: Document) -> None:
    entry = replace(run.entries[0], id="a\n::set-output::x,line=9:%0A", location={"file": "x,y:z\n::stop", "line": 1})
    for line in [*github.annotations(hostile), *github.annotations(Document((entry,), "1"))]:
        assert "\n" not in line
        assert "\r" not in line
        assert re.match(r"::error file=[^:,]*,line=\d+,title=[^:,]*::", line)


def test_annotations_survive_percent_signs(run: Document) -> None:
    (line,) = github.annotations(Document((replace(run.entries[2], reason="100%0A of 5%"),), "1"))
    assert line.endswith("100%250A of 5%25")


def test_many_annotations_are_cut(run: Document) -> None:
    many = replace(run, entries=(run.entries[2],) * 60)
    lines = github.annotations(many)
    assert len(lines) == 51
    assert lines[-1] == "::error title=dp-audit::10 more are in the report"


def test_a_summary_stays_within_the_limit_of_github(run: Document) -> None:
    long = replace(run.entries[2], reason="x" * 40_000)
    summary = github.summary(replace(run, entries=(long,) * 60))
    assert len(summary.encode()) < 2**20
    assert "see the report" in summary


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (math.nan, "–"), (math.inf, "∞"), (-math.inf, "−∞"), (1e-5, "1e-5"), (0.123456, "0.1235"),
     (1e20, "1e20"), (2.0, "2"), (1234567.0, "1.235e6")],
)  # fmt: skip
def test_numbers(value: float | None, shown: str) -> None:
    assert words.number(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"),
        (0.05, "50 ms"),
        (3.21, "3.2 s"),
        (59.96, "60.0 s"),
        (134.2, "2 min 14 s"),
        (7384, "2 h 03 min"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert words.duration(seconds) == shown


def test_foreign_text_is_cleaned() -> None:
    assert words.line(" a\r\n b\x1b[31m\u202e\x00 ") == "a b�[31m��"
    assert words.line("abcdef", 4) == "abc…"
    assert words.clean("a\n\tb") == "a\n\tb"
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert len(words.line(HOSTILE)) > 100


def test_certainty_adds_up_what_was_spent(notes: Document, run: Document) -> None:
    assert "at most 0.01: one α for 7 audits" in story.certainty(notes)
    alone = replace(run, alpha=None, entries=run.entries[:1])
    assert story.certainty(alone) == "A true claim is refuted with probability at most 5e-5."
    overspent = replace(run, alpha=6e-5)
    assert "at most 0.0001, summed over 2 audits (5e-5 at most for each)" in story.certainty(overspent)
    assert "every outcome is computed" in story.certainty(replace(notes, entries=notes.entries[:3]))


def test_an_accepted_finding_is_green_and_says_why(run: Document) -> None:
    entry = replace(run.entries[0], expected="refuted", reason="accepted: ticket 7 | <b>")
    document = Document((entry,), "1", alpha=0.01)
    head = story.headline(document)
    assert head.tone == "good"
    assert "1 known finding accepted." in head.verdict
    assert details.tone(entry) == "note"
    for name in ("html", "markdown", "junit", "terminal"):
        assert "accepted" in reports.render(document, name)


def test_replay_lines(notes: Document, run: Document) -> None:
    assert details.replay(notes.entry("000-R1")) == "dp-audit replay results.json 000-R1"
    assert details.replay(run.entries[0]) == run.entries[0].replay
    assert details.replay(run.entries[2]) == ""  # nothing was drawn
    assert details.replay(notes.entry("randomized-response/keeps-too-often")) == ""  # draws its own randomness
    odd = replace(notes.entry("000-R1"), id="a b")
    assert details.replay(odd) == "dp-audit replay results.json 'a b'"


def test_an_interrupted_run_says_so(run: Document) -> None:
    cut = replace(run, interrupted=True)
    for name in ("html", "markdown", "terminal"):
        assert "interrupted" in reports.render(cut, name)


def test_groups_keep_every_entry_once(notes: Document) -> None:
    grouped = [entry.id for _, entries in story.groups(notes) for entry in entries]
    assert sorted(grouped) == sorted(entry.id for entry in notes.entries)
    odd = Document((Entry("no-lecture", "claim", "t", "somewhere", "holds"),), "1")
    assert story.groups(odd)[0][0] == "Claims of lecture somewhere"
