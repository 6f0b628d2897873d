"""A stored audit, drawn again: the same counts, other counts, or why not."""

import json
import re
import sys
from pathlib import Path

import pytest

from auditor.doors.cli import main

TEST = """
import pytest
from audited import Counter, wrong_function

def test_function(dp_audit):
    dp_audit(wrong_function, epsilon=1.0, pairs=[([1, 1], [1])])

@pytest.mark.parametrize("strength", [2.0])
def test_closure(dp_audit, strength, tmp_path):
    dp_audit(lambda d, n, rng: Counter(strength).sample(d, n, rng), epsilon=1.0, pairs=[((1, 1), (1,))])
"""


def replay(capsys, *arguments):
    code = main(["replay", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def stored(mechanisms_file, capsys):
    main(["run", "audited.py", "--out", "rep", "--trials", "5000", "--seed", "3"])
    capsys.readouterr()
    return mechanisms_file


def test_the_same_code_gives_the_same_counts(stored, capsys):
    for name in ("right", "wrong"):
        code, out, err = replay(capsys, "rep/results.json", f"audited.py::{name}")
        assert (code, err) == (0, "")
        assert "audited.py::" in out.splitlines()[-1]
        assert "the same again" in out
        rows = [line for line in out.splitlines() if line.startswith(("guesses ", "then ", "now "))]
        assert [len(re.split(" {2,}", row)) for row in rows] == [4, 4, 4]  # columns never touch
    counts = json.loads(Path("rep/results.json").read_text())["entries"][1]["audit"]["witness"]["counts"]
    guesses = f" {counts['left_guessed_left']} left, {counts['left_guessed_right']} right of "
    assert [line.split("  ")[0] for line in out.splitlines() if guesses in line] == ["then", "now"]


def test_it_works_from_another_folder(stored, capsys, monkeypatch):
    stored.parent.joinpath("elsewhere").mkdir()
    monkeypatch.chdir(stored.parent / "elsewhere")
    assert replay(capsys, "../rep/results.json", "audited.py::wrong")[0] == 0
    assert Path.cwd().name == "elsewhere"


def test_other_code_gives_other_counts(stored, capsys):
    stored.write_text(stored.read_text().replace("wrong = Counter(2.0)", "wrong = Counter(2.5)"))
    del sys.modules["audited"]
    code, out, _ = replay(capsys, "rep/results.json", "audited.py::wrong")
    assert code == 1
    assert "different: witness: " in out
    assert out.splitlines()[-1].startswith("audited.py::wrong: different, ")


def test_machine_output(stored, capsys):
    _, out, _ = replay(capsys, "rep/results.json", "audited.py::right", "--json")
    assert json.loads(out) == {"id": "audited.py::right", "same": True, "differences": []}


def test_pairs_and_claims_of_a_file_of_audits_are_kept(mechanisms_file, project, capsys):
    project(
        "audits.toml",
        '[[audit]]\ntarget = "audited.py::wrong_function"\nepsilon = 1.5\npairs = [[[1, 1], [1]]]\n',
    )
    main(["run", "audits.toml", "--out", "rep"])
    assert replay(capsys, "rep/results.json", "audited.py::wrong_function")[0] == 0


PYTEST = "import sys, pytest; sys.path[0] = '.'; sys.exit(pytest.main(sys.argv[1:]))"


def test_an_audit_of_a_test_is_replayed_through_its_test(prepared, mechanisms_file, project, capsys):
    project("tests/test_it.py", TEST)
    project("pytest.ini", "[pytest]\npythonpath = .\naddopts = -p no:hypothesispytest -p no:cacheprovider\n")
    _, out, _ = prepared.run("-q", "--dp-report=rep/results.json", "--dp-seed=4", code=PYTEST)
    assert "2 failed" in out
    for name in ("test_function", "test_closure[2.0]"):
        code, out, err = replay(capsys, "rep/results.json", f"tests/test_it.py::{name}")
        assert (code, err) == (0, "")
        assert "the same again, refuted" in out


def test_what_stands_in_the_notes_is_computed_again(project, capsys):
    main(["notes", "--quick", "--only", "laplace/half-scale", "--jobs", "1", "--out", "rep"])
    capsys.readouterr()
    assert replay(capsys, "rep/results.json", "laplace/half-scale")[0] == 0


BREAKS = """
from audited import Counter
class Breaks(Counter):
    def sample(self, dataset, n, rng):
        raise OSError("gone")
breaks = Breaks(1.0)
"""


def test_why_a_replay_is_impossible(stored, project, capsys):
    project("broken.py", BREAKS)
    main(["run", "broken.py", "--out", "odd", "--jobs=1"])
    capsys.readouterr()
    data = json.loads(Path("rep/results.json").read_text())
    data["entries"][0]["audit"]["replayable"] = False  # as the engine says of a mechanism that ignores rng
    Path("rep/results.json").write_text(json.dumps(data))
    for arguments, words in (
        (("rep/results.json", "audited.py::right"), "draws its own randomness and ignores rng"),
        (("odd/results.json", "broken.py::breaks"), "an entry with a verdict can be replayed"),
        (("rep/results.json", "nothing"), "the id must be one of the 2 in the results file, got 'nothing'"),
        (("none.json", "x"), "cannot be read"),
    ):
        code, _, err = replay(capsys, *arguments)
        assert code == 2
        assert words in err
    stored.unlink()
    code, _, err = replay(capsys, "rep/results.json", "audited.py::wrong")
    assert code == 2
    assert "the target's file must exist, got 'audited.py'" in err


def test_a_results_file_cannot_smuggle_options_into_pytest(stored, capsys):
    data = json.loads(Path("rep/results.json").read_text())
    data["entries"][0]["location"].update(door="pytest", target="--version")
    Path("rep/results.json").write_text(json.dumps(data))
    code, _, err = replay(capsys, "rep/results.json", "audited.py::right")
    assert (code, "a replay must name a test, got '--version'" in err) == (2, True)


def test_an_audit_that_measures_within_seconds_is_replayed(mechanisms_file, project, capsys):
    project(
        "audits.toml",
        'stop_early = false\nseconds = 0.02\n[[audit]]\ntarget = "audited.py::wrong_function"\nepsilon = 1.0\n'
        "pairs = [[[1, 1], [1]]]\n",
    )
    main(["run", "audits.toml", "--out", "rep"])
    entry = json.loads(Path("rep/results.json").read_text())["entries"][0]
    assert entry["location"]["stop_early"] is False
    assert entry["audit"]["trials_used"] == entry["audit"]["trials"] < 1_000_000
    assert replay(capsys, "rep/results.json", "audited.py::wrong_function")[0] == 0


def test_measuring_and_seconds_are_options_of_a_run(mechanisms_file, capsys):
    main(["run", "audited.py::wrong", "--measure", "--seconds", "0.02", "--json"])
    entry = json.loads(capsys.readouterr().out)["entries"][0]
    assert entry["audit"]["trials_used"] == entry["audit"]["trials"] < 1_000_000
    assert entry["replay"].endswith(" --measure")
    assert f"--trials {entry['audit']['trials']} " in entry["replay"]
