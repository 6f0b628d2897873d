"""`dp-audit compare` and `--dp-compare`: 0 when nothing became worse or blind."""

import json

import pytest

from auditor.doors.cli import main
from auditor.results.document import Document
from auditor.results.entry import Entry

pytest_plugins = ["pytester"]


def stored(path, *entries):
    path.write_text(Document(entries=entries, version="0").to_json(), encoding="utf-8")
    return str(path)


def row(identifier, outcome="not refuted", **more):
    return Entry(identifier, "audit", identifier, "", outcome, claimed=1.0, **more)


@pytest.fixture
def old(tmp_path):
    entries = (row("a", certified=0.9, detectable=1.1), row("b", certified=0.9, detectable=1.1), row("\x1b[2Jc"))
    return stored(tmp_path / "old.json", *entries)


def test_the_same_results_are_no_news(old, capsys):
    assert main(["compare", old, old]) == 0
    assert capsys.readouterr().out == "0 worse, 0 blind, 0 other\n"


def test_worse_comes_before_blind_and_foreign_text_is_escaped(old, tmp_path, capsys):
    new = stored(tmp_path / "new.json", row("a", certified=0.9, detectable=2.0), row("b", "refuted", certified=1.4))
    assert main(["compare", old, new]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    rows = out.splitlines()
    assert rows[0] == "worse: b: newly refuted"
    assert rows[1].endswith("in the baseline, and not audited any more")
    assert rows[2:] == ["blind: a: blind below epsilon 2, was 1.1", "2 worse, 1 blind, 0 other"]


def test_blind_alone_is_exit_1_and_new_audits_are_not(old, tmp_path, capsys):
    same = (row("b", certified=0.9, detectable=1.1), row("\x1b[2Jc"))
    assert main(["compare", old, stored(tmp_path / "x.json", row("a", certified=0.9, detectable=9.0), *same)]) == 1
    more = (row("a", certified=0.9, detectable=1.1), *same, row("d"))
    capsys.readouterr()
    assert main(["compare", "--json", old, stored(tmp_path / "y.json", *more)]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"id": "d", "words": "new, not refuted", "worse": False, "blind": False}
    ]


def test_what_cannot_be_read_is_exit_2(old, tmp_path, capsys):
    assert main(["compare", old, str(tmp_path / "absent.json")]) == 2
    assert "absent.json" in capsys.readouterr().err


TEST = """
def test_coin(dp_audit):
    dp_audit(lambda d, n, rng: (rng.random(n) < 0.5 + 0.1 * d).astype(int), epsilon=1.0, pairs=[(0, 1)])
"""


def test_pytest_fails_where_an_audit_became_blind(pytester):
    pytester.makepyfile(test_it=TEST)
    assert pytester.runpytest_inprocess("--dp-trials=20000", "--dp-report=old.json").ret == 0
    same = pytester.runpytest_inprocess("--dp-trials=20000", "--dp-compare=old.json")
    assert same.ret == 0
    same.stdout.no_fnmatch_line("*since old.json*")
    blind = pytester.runpytest_inprocess("--dp-trials=300", "--dp-compare=old.json")
    assert blind.ret == 1
    blind.stdout.fnmatch_lines(["blind, since old.json: test_it.py::test_coin: blind below epsilon *, was *"])


def test_pytest_says_what_it_cannot_compare_with(pytester):
    pytester.makepyfile(test_it=TEST)
    missing = pytester.runpytest_inprocess("--dp-trials=300", "--dp-compare=absent.json")
    assert missing.ret == 4
