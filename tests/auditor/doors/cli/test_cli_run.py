"""`dp-audit run` through its entry point. Seeds are fixed: a result repeats itself."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

import auditor.results.document
from auditor.doors.cli import main
from auditor.results.document import Document, read

STOPS = """
from audited import Counter
class Stops(Counter):
    def sample(self, dataset, n, rng):
        raise KeyboardInterrupt
first = Counter(1.0)
then = Stops(1.0)
never = Counter(1.0)
"""
BREAKS = """
from audited import Counter
class Breaks(Counter):
    def sample(self, dataset, n, rng):
        raise OSError("database went away")
first = Breaks(1.0)
then = Counter(2.0)
"""


def run(capsys, *arguments):
    """Exit code, stdout and stderr."""
    code = main(["run", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_not_refuted_is_0_and_refuted_is_1(mechanisms_file, capsys):
    code, out, err = run(capsys, "audited.py::right")
    assert (code, "NOT REFUTED: " in out, "Not refuted is not proof" in out) == (0, True, True)
    assert err.startswith("[1/1] audited.py::right: not refuted, ")
    code, out, _ = run(capsys, "audited.py::wrong")
    assert code == 1
    told = out[out.index("  replay  ") : out.index("\n\n", out.index("  replay  "))]
    replay = shlex.split(told.replace("\\\n", ""))  # as a shell reads it
    assert replay[1:] == [
        *("dp-audit", "run", "audited.py::wrong", "--trials", "20000", "--alpha", "0.01"),
        *("--seed", "0", "--views", "values,bits"),
    ]
    assert run(capsys, *replay[3:])[0] == 1
    assert not any(row.endswith(" ") for row in out.splitlines())  # it may be pasted somewhere


def test_what_audited_code_prints_is_no_part_of_a_document(mechanisms_file, capsys):
    Path("talks.py").write_text(
        "from audited import Counter\nprint('imported')\n"
        "class Talks(Counter):\n"
        "    def sample(self, dataset, n, rng):\n"
        "        print('sampled')\n"
        "        return super().sample(dataset, n, rng)\n"
        "talks = Talks(1.0)\n"
    )
    _, out, err = run(capsys, "talks.py::talks", "--trials", "2000", "--json")
    assert Document.from_json(out).entries[0].id == "talks.py::talks"
    assert "imported" in err
    assert "sampled" in err


def test_several_targets_share_one_alpha(mechanisms_file, capsys):
    code, out, err = run(capsys, "audited.py", "--alpha", "0.02", "--trials", "3000", "--seed", "7", "--json")
    document = Document.from_json(out)
    assert (code, err, document.alpha, document.seed) == (1, "", 0.02, 7)
    assert [entry.outcome for entry in document.entries] == ["not refuted", "refuted"]
    assert [entry.audit_result.alpha for entry in document.entries] == [0.01, 0.01]
    assert [entry.audit_result.trials for entry in document.entries] == [3000, 3000]


def test_the_command_line_wins_over_the_file_over_the_mechanism(mechanisms_file, project, capsys):
    audit = '[[audit]]\ntarget = "audited.py::right"\n'
    project("audits.toml", f'alpha = 0.04\nviews = ["values"]\n{audit}trials = 900\n{audit}seed = 3\n')
    code, out, _ = run(capsys, "audits.toml", "--json")
    results = [entry.audit_result for entry in Document.from_json(out).entries]
    assert code == 0
    assert [(r.trials, r.seed, r.alpha, r.views) for r in results] == [
        (900, 0, 0.02, ("values",)),
        (20_000, 3, 0.02, ("values",)),
    ]
    _, out, _ = run(capsys, "audits.toml", "--json", "--trials=800", "--seed=9", "--alpha=0.02", "--views=bits,values")
    results = [entry.audit_result for entry in Document.from_json(out).entries]
    assert [(r.trials, r.seed, r.alpha) for r in results] == [(800, 9, 0.01)] * 2
    assert set(results[0].views) == {"values", "bits"}


def test_a_function_is_audited_through_a_file_of_audits(mechanisms_file, project, capsys):
    project(
        "audits.toml",
        '[[audit]]\ntarget = "audited.py::wrong_function"\nepsilon = 1.0\npairs = [[[1, 1], [1]]]\n',
    )
    assert run(capsys, "audits.toml")[0] == 1


def test_files_and_formats(mechanisms_file, capsys):
    code, out, _ = run(capsys, "audited.py::wrong", "--out", "rep", "--format", "sarif", "--format", "junit")
    assert code == 1
    assert "dp-audit replay rep/results.json audited.py::wrong" in " ".join(out.split())
    assert {path.name for path in Path("rep").iterdir()} == {
        "results.json",
        "report.md",
        "index.html",
        "results.sarif",
        "junit.xml",
    }
    location = json.loads(Path("rep/results.sarif").read_text())["runs"][0]["results"][0]["locations"][0]
    place = location["physicalLocation"]
    line = mechanisms_file.read_text().splitlines().index("wrong = Counter(2.0)") + 1
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("audited.py", line)
    schema = json.loads(Path(auditor.results.document.__file__).with_name("schema.json").read_text())
    jsonschema.validate(json.loads(Path("rep/results.json").read_text()), schema)
    assert main(["report", "rep/results.json", "--format", "json"]) == 0
    assert capsys.readouterr().out.strip() == Path("rep/results.json").read_text().strip()


def test_one_format_is_printed_alone(mechanisms_file, capsys):
    _, out, _ = run(capsys, "audited.py::right", "--format", "junit")
    assert out.startswith("<?xml")
    assert out.rstrip().endswith("</testsuites>")


def test_a_mechanism_that_fails_ends_its_own_audit_only(mechanisms_file, project, capsys):
    project("breaks.py", BREAKS)
    code, out, err = run(capsys, "breaks.py", "--out", "rep", "--jobs=1")
    assert code == 2
    assert "dp-audit: breaks.py::first raised OSError" in err
    assert "database went away" in err
    assert "Traceback" not in out + err
    assert [entry.outcome for entry in read("rep/results.json").entries] == ["error", "refuted"]


def test_an_interrupt_keeps_and_writes_what_was_finished(mechanisms_file, project, capsys):
    project("stops.py", STOPS)
    code, _, err = run(capsys, "stops.py", "--out", "rep", "--jobs=1")
    assert code == 130
    assert "dp-audit: interrupted; 1 of 3 finished and kept in rep/results.json" in err
    document = read("rep/results.json")
    assert document.interrupted
    assert [(entry.id, entry.outcome) for entry in document.entries] == [("stops.py::first", "not refuted")]


SLOW = """
import time
from audited import Counter
class Slow(Counter):
    def sample(self, dataset, n, rng):
        time.sleep(0.3)
        return super().sample(dataset, n, rng)
first = Counter(1.0)
then = Slow(1.0)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_on_the_real_command(mechanisms_file, project):
    project("slow.py", SLOW)
    program = str(Path(sys.executable).parent / "dp-audit")
    command = [program, "run", "slow.py", "--out", "rep", "--jobs", "1"]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    ) as process:
        assert process.stderr.readline().startswith("[1/2] slow.py::first: not refuted")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "1 of 2 finished and kept" in err
    assert "Traceback" not in err
    assert len(read("rep/results.json").entries) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: TARGET; see dp-audit run --help"),
        (["x.py", "--trials", "0"], "argument --trials: must be a whole number of at least 1, got '0'"),
        (["x.py", "--trials", "many"], "must be a whole number of at least 1, got 'many'"),
        (["x.py", "--alpha", "1"], "must be a probability strictly between 0 and 1, got '1'"),
        (["x.py", "--alpha", "nan"], "must be a probability strictly between 0 and 1, got 'nan'"),
        (["x.py", "--seed", "-1"], "must be a whole number of at least 0, got '-1'"),
        (["x.py", "--jobs", "0"], "must be a whole number other than 0 (-1 for all cores), got '0'"),
        (["x.py", "--time-limit", "0"], "must be a number of seconds above 0, got '0'"),
        (
            ["x.py", "--views", "colours"],
            "must be one or more of values, bits, with commas between, got 'colours'",
        ),
        (["x.py", "--format", "pdf"], "--format must be one of "),
        (["x.py", "--format", "json", "--format", "sarif"], "several formats need --out DIR"),
        (["x.py", "--what"], "unrecognized arguments: --what"),
        (["x.py"], "the target's file must exist, got 'x.py'"),
        (["audited.py", "--baseline", "none.json"], "'none.json' cannot be read"),
        (["audited.py", "--accept", "a=b"], "--accept must come with the --baseline"),
        (["audited.py", "--baseline", "old.json", "--accept", "a"], "--accept must be ID=REASON, got 'a'"),
        (["audited.py", "--out", "old.json/below"], "--out must be a folder that can be made"),
    ],
)
def test_an_error_is_one_sentence_and_exit_2(mechanisms_file, project, capsys, arguments, words):
    project("old.json", "{}")
    code, _, err = run(capsys, *arguments)
    assert code == 2
    sentences = [line for line in err.splitlines() if not line.startswith("[")]
    assert len(sentences) == 1
    assert sentences[0].startswith("dp-audit: ")
    assert words in sentences[0]


def test_debug_shows_the_traceback(project, capsys):
    code, _, err = run(capsys, "x.py", "--debug")
    assert code == 2
    assert "Traceback" in err
    assert err.splitlines()[-1] == "dp-audit: the target's file must exist, got 'x.py'"


def test_a_baseline_tells_what_became_worse_and_an_acceptance_covers_what_was_known(mechanisms_file, project, capsys):
    assert run(capsys, "audited.py", "--out", "old")[0] == 1
    code, out, _ = run(
        capsys,
        *("audited.py", "--baseline", "old/results.json"),
        *("--accept", "audited.py::wrong=fixed in 2.0 = soon", "--out", "known"),
    )
    assert code == 0
    assert "accepted: audited.py::wrong: fixed in 2.0 = soon" in out
    assert run(capsys, "audited.py", "--baseline", "known/results.json", "--trials", "15000")[0] == 0
    text = mechanisms_file.read_text()
    del sys.modules["audited"]
    mechanisms_file.write_text(text.replace("right = Counter(1.0)", "right = Counter(3.0)"))
    code, out, _ = run(capsys, "audited.py", "--baseline", "known/results.json")
    assert code == 1
    assert "worse than the baseline: audited.py::right: newly refuted" in out
    assert "accepted: audited.py::wrong" in out


def test_github_gets_annotations_and_a_summary(mechanisms_file, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    _, out, err = run(capsys, "audited.py::wrong", "--json")
    assert "::error file=audited.py,line=" in err
    assert "audited.py::wrong" in (tmp_path / "summary.md").read_text()
    json.loads(out)
