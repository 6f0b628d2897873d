"""Every example runs and ends as its text says. Seeds are fixed: a result repeats itself."""

import runpy
import shutil
import sys
from pathlib import Path

import pytest

from auditor.doors.cli import main
from auditor.results.document import read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """Reports go to a folder of their own; the examples' modules are forgotten."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(EXAMPLES)):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("file", "name", "at_least"),
    [("per_draw.py", "survey", 1.8), ("no_answer.py", "count_if_large", 0.85), ("labels.py", "vote", 0.5)],
)
def test_a_right_mechanism_is_not_refuted_and_the_audit_comes_close_to_its_loss(file, name, at_least):
    """The exact losses on these pairs are ln 7 = 1.946, 1 and ln(e^½(e + 2)/(2e^½ + 1)) = 0.594.

    The file stands in the working folder, so that the audit's name, on which its streams depend, is always the same.
    """
    shutil.copy(EXAMPLES / file, file)
    arguments = ["run", file, "--trials", "20000", "--jobs", "1", "--out", "rep"]
    assert main(arguments) == 0
    (entry,) = read("rep/results.json").entries
    assert (entry.id.endswith(f"{file}::{name}"), entry.outcome) == (True, "not refuted")
    assert at_least <= entry.certified <= entry.claimed


def test_silence_that_leaks_is_refuted(monkeypatch):
    """The same mechanism without noise on what it compares: ⊥ itself gives the data away."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from no_answer import CountIfLarge

    from auditor import audit

    class Leaky(CountIfLarge):
        def sample(self, people, n, rng):
            noisy = super().sample(people, n, rng)
            return noisy if len(people) >= self.least else noisy * float("nan")

    result = audit(Leaky(least=-100), pairs=[(list(range(10)), list(range(9)))], trials=5_000, jobs=1)
    assert not result.refuted
    result = audit(Leaky(least=10), trials=5_000, jobs=1)
    assert result.refuted


def test_the_clinic_has_a_right_table_and_a_broken_one():
    assert main(["run", str(EXAMPLES / "clinic/audits.toml"), "--trials", "20000", "--out", "rep"]) == 1
    outcomes = {entry.id.rpartition("::")[2]: entry.outcome for entry in read("rep/results.json").entries}
    assert outcomes == {"patients": "not refuted", "visits_per_ward": "refuted"}


def test_the_tests_of_the_clinic_go_red_for_the_broken_table(prepared, tmp_path):
    arguments = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest", f"--dp-report={tmp_path}/results.json"]
    pytest_ = "import sys, pytest; sys.path[0] = '.'; sys.exit(pytest.main(sys.argv[1:]))"
    code, out, _ = prepared.run(*arguments, code=pytest_, cwd=EXAMPLES / "clinic")
    assert code == 1, out
    assert "1 failed, 1 passed" in out
    assert "1-DP is refuted" in out
    bad = read(tmp_path / "results.json").entry(
        "tests/test_privacy.py::test_one_patient_does_not_show[visits_per_ward]"
    )
    assert (bad.outcome, bad.location["file"]) == ("refuted", "clinic/release.py")


def test_the_workflow_uses_commands_that_exist():
    text = (EXAMPLES / "clinic/.github/workflows/privacy.yml").read_text()
    assert "pytest --dp-report audit-report" in text
    assert "dp-audit report audit-report/results.json --format sarif --out audit.sarif" in text


def test_the_library_example_is_red_for_one_record_and_green_for_two(capsys):
    pytest.importorskip("opendp", reason="needs opendp")
    runpy.run_path(str(EXAMPLES / "opendp_count.py"), run_name="__main__")
    one, two = capsys.readouterr().out.split("d_in=2")
    assert "\nREFUTED: " in one
    assert "\nNOT REFUTED: " in two
