"""`list`, `show`, `report`, `notes` and the door itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.doors.cli import catalogue, main, show, streams
from auditor.results.document import read


def test_list_names_every_mechanism_mutant_and_claim(capsys):
    from auditor.notes import checks
    from mechanisms.core.catalogue import catalogue

    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert all(set(row) == {"id", "kind", "of", "title", "source"} for row in rows)
    by_kind = {kind: [row["id"] for row in rows if row["kind"] == kind] for kind in ("mechanism", "mutant", "claim")}
    assert by_kind["mechanism"] == [m.id for m in catalogue() if not m.of]
    assert by_kind["mutant"] == [m.id for m in catalogue() if m.of]
    assert by_kind["claim"] == [check.id for check in checks()]
    of = {row["id"]: row["of"] for row in rows}
    assert (of["laplace"], of["laplace/half-scale"]) == (None, "laplace")


def test_list_fits_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("laplace ") for line in lines)
    assert any(line.startswith("  laplace/half-scale ") for line in lines)


@pytest.mark.parametrize("width", [80, 60, 200])
def test_list_breaks_no_title(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    for row in catalogue.rows():
        assert row["title"] in out
        assert any(line.strip().startswith(row["id"]) for line in out.splitlines())
        assert row["kind"] == "mutant" or row["source"] in " ".join(out.split())
    assert width < 80 or max(map(len, out.splitlines())) <= width


def test_show_has_an_example_that_audits_just_that(monkeypatch):
    from mechanisms.core.catalogue import catalogue as mechanisms

    audited = []
    monkeypatch.setattr("auditor.engine.audit", audited.append)
    for mechanism in mechanisms():
        exec(show.example(mechanism), {"print": lambda *_: None})
    assert [type(one) for one in audited] == [type(one) for one in mechanisms()]
    assert [one.id for one in audited] == [one.id for one in mechanisms()]


def test_no_colour_where_nobody_wants_it(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.delenv("NO_COLOR", raising=False)
    for wanted in (True, False):
        if not wanted:
            monkeypatch.setenv("NO_COLOR", "1")
        screen = streams.console()
        with screen.capture() as captured:
            screen.print("[bold red]refuted")
        assert ("\x1b[" in captured.get()) is wanted


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        (
            "laplace",
            ["laplace · Laplace mechanism", "1-DP", "mutants", "001 Algorithm 2", "dp-audit run laplace"],
        ),
        ("laplace/half-scale", ["mutant of laplace", "epsilon = 2 at delta = 0"]),
        ("000-R1", ["claim (remark)", "false as printed", "dp-audit notes --only 000-R1"]),
    ],
)
def test_show_explains_one(capsys, identifier, expected):
    assert main(["show", identifier]) == 0
    out = capsys.readouterr().out
    for words in expected:
        assert words in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["show", identifier, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == identifier


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "nothing"], "the id must be one that `dp-audit list` prints, got 'nothing'"),
        (["notes", "--only", "nothing"], "the id must be one that `dp-audit list` prints, got 'nothing'"),
        (["report", "none.json", "--format", "html"], "'none.json' cannot be read"),
        (["report", "bad.json", "--format", "html"], 'must say "schema": "dp-audit/1"'),
        (["report", "bad.json"], "the following arguments are required: --format"),
        (["report", "bad.json", "--format", "pdf"], "must"),
        (["what"], "invalid choice: 'what'"),
        ([], "the following arguments are required: COMMAND; see dp-audit --help"),
    ],
)
def test_errors_are_one_sentence_and_exit_2(project, capsys, arguments, words):
    project("bad.json", "{}")
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert len(captured.err.splitlines()) == 1


def test_help_and_version_are_0(capsys):
    for arguments in (["--help"], ["--version"], ["run", "--help"]):
        assert main(arguments) == 0
    assert "imports and executes" in capsys.readouterr().out


def test_the_installed_command_answers_quickly_and_loads_nothing_heavy():
    code = "import sys\nfrom auditor.doors.cli import main\nmain(['--help'])\n"
    code += "assert not {'numpy', 'scipy', 'rich', 'reports'} & set(sys.modules), 'heavy'"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
    program = Path(sys.executable).parent / "dp-audit"
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()[0]) == (0, "dp-audit")


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_reader_that_leaves_the_pipe_is_no_error(prepared):
    reading, writing = os.pipe()
    process = prepared.start("list", "--json", streams=(None, writing, None))
    os.close(writing)
    with open(reading, "rb") as reader:
        reader.readline()
    assert process.wait() in (0, 141)
    assert "Traceback" not in process.err


def test_notes_prints_the_table_and_writes_the_report(project, capsys):
    only = ["--only", "laplace", "laplace/half-scale", "000-R1"]
    assert main(["notes", "--quick", "--jobs", "1", "--seed", "2", "--out", "out", *only]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "report: out/index.html"
    for name in ("index.html", "report.md", "results.json"):
        assert (Path("out") / name).stat().st_size
    document = read("out/results.json")
    assert [entry.id for entry in document.entries] == ["000-R1", "laplace", "laplace/half-scale"]
    assert document.seed == 2
    assert document.command.startswith("dp-audit notes --quick --seed 2")


def test_notes_goes_red_when_an_outcome_is_not_the_expected_one(project, capsys, monkeypatch):
    from mechanisms.laplace import Laplace

    monkeypatch.setattr(Laplace, "scale", 0.4)
    assert main(["notes", "--quick", "--jobs", "1", "--out", "out", "--only", "laplace", "--json"]) == 1
    (entry,) = json.loads(capsys.readouterr().out)["entries"]
    assert (entry["outcome"], entry["expected"]) == ("refuted", "not refuted")


def test_report_renders_stored_results(project, capsys):
    main(["notes", "--quick", "--jobs", "1", "--out", "out", "--only", "laplace/half-scale"])
    capsys.readouterr()
    for format_name, start in (
        ("html", "<!doctype html>"),
        ("markdown", "#"),
        ("junit", "<?xml"),
        ("sarif", "{"),
    ):
        assert main(["report", "out/results.json", "--format", format_name]) == 0
        assert capsys.readouterr().out.lower().startswith(start)
    assert main(["report", "out/results.json", "--format", "sarif", "--out", "x/y.sarif"]) == 0
    assert json.loads(Path("x/y.sarif").read_text())["version"] == "2.1.0"
