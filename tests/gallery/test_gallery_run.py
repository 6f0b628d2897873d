"""The runner of the gallery, with made-up cases: nothing is installed here."""

from __future__ import annotations

import json
import math
import subprocess
from dataclasses import replace

import pytest

from auditor import ApproxDP, audit, sensitivity, tradeoff
from auditor.errors import UsageError
from gallery import environments, inside, outcome, pages, run
from gallery.__main__ import main
from gallery.case import Case, Listed
from gallery.environments import InstallError, python_of
from gallery.outcome import ERROR, Outcome, outcome_of

CONTROL = Case("a | <b>title</b>", "control", ("library==1.0",), "epsilon 1", "one record", "so", "nothing")
FINDING = replace(CONTROL, title="broken", kind="finding", references=("https://github.com/o/r/issues/7",))


def listed(name, case=CONTROL):
    return Listed(name, case, "x = 1\n\nf(x)")


def doubled(dataset, n, rng):
    return dataset + rng.integers(0, 2, n)


RESULT = audit(doubled, ApproxDP(1.0), [(0, 5)], trials=200, jobs=1)  # no noise that hides a difference of 5
REFUTED = replace(outcome_of("broken", RESULT), lines=2, versions={"library": "1.0"}, seconds=1.0)
FINE = Outcome("fine", "not refuted", claimed=1.0, found=0.9, printed="NOT REFUTED", lines=2)
KNOWN = {"fine": listed("fine"), "broken": listed("broken", FINDING)}


def runner(one):
    return {"fine": FINE, "broken": REFUTED}[one.name]


def test_expected_verdicts_end_in_zero_and_pages(tmp_path, capsys):
    assert main(["--out", str(tmp_path)], KNOWN, runner) == 0
    assert capsys.readouterr().out.count("as expected") == 2
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"README.md", "results.json", "fine.md", "fine.svg", "broken.md", "broken.svg"}


@pytest.mark.parametrize("verdict", ["refuted", ERROR])
def test_another_verdict_than_expected_is_an_error(verdict, tmp_path, capsys):
    found = replace(FINE, verdict=verdict, printed="boom")
    assert main(["fine", "--out", str(tmp_path)], KNOWN, lambda one: found) == 1
    assert ("EXPECTED NOT REFUTED" if verdict == "refuted" else "ERROR: boom") in capsys.readouterr().out


def test_what_cannot_be_installed_is_told_and_the_rest_goes_on(tmp_path, capsys):
    def partly(one):
        if one.name == "fine":
            raise InstallError("no such version")
        return REFUTED

    assert main(["--out", str(tmp_path)], KNOWN, partly) == 0
    assert "fine: not run, library-1.0 cannot be installed: no such version" in capsys.readouterr().out
    assert not (tmp_path / "fine.md").exists()
    assert main(["fine", "--out", str(tmp_path)], KNOWN, partly) == 2


def test_one_case_leaves_the_stored_others_alone(tmp_path):
    main(["--out", str(tmp_path)], KNOWN, runner)
    later = replace(FINE, found=0.5)
    main(["fine", "--out", str(tmp_path)], KNOWN, lambda one: later)
    stored = outcome.read(tmp_path / "results.json")
    assert (stored["fine"].found, stored["broken"].found) == (0.5, REFUTED.found)


def test_an_unreported_finding_stays_out_of_everything(tmp_path):
    secret = {"secret": listed("secret", replace(FINDING, references=(), reported=False))}
    assert main(["--out", str(tmp_path)], secret, lambda one: replace(REFUTED, name="secret")) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "results.json"}
    assert all("secret" not in path.read_text(encoding="utf-8") for path in tmp_path.iterdir())


def test_pages_are_written_again_from_what_is_stored(tmp_path):
    main(["--out", str(tmp_path)], KNOWN, runner)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for path in tmp_path.glob("*.md"):
        path.unlink()
    assert main(["--pages", "--out", str(tmp_path)], KNOWN, runner) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_name_that_is_no_case_is_a_usage_error(tmp_path, capsys):
    assert main(["nothing", "--out", str(tmp_path)], KNOWN, runner) == 2
    assert "a case must be one of fine, broken; got 'nothing'" in capsys.readouterr().err


def test_results_of_something_else_are_refused(tmp_path, capsys):
    (tmp_path / "results.json").write_text('{"schema": "other"}')
    assert main(["fine", "--out", str(tmp_path)], KNOWN, runner) == 2
    assert "dp-audit-gallery/1" in capsys.readouterr().err


def test_cases_are_listed(capsys):
    assert main(["--list"], KNOWN, runner) == 0
    assert "broken: broken" in capsys.readouterr().out


def test_a_deterministic_check_compares_with_what_is_claimed():
    found = sensitivity(sum, [([1, 2], [1, 7])])
    broken, fine = outcome_of("x", (found, 4)), outcome_of("x", (found, 5.0))
    assert (broken.verdict, broken.found, broken.claimed) == ("refuted", 5.0, 4.0)
    assert fine.verdict == "not refuted"
    with pytest.raises(UsageError, match="a case returns a result"):
        outcome_of("x", "text")


def test_a_curve_is_compared_with_the_claim_at_its_delta():
    def normal(shift, n, rng):
        return rng.normal(shift, 1.0, n)

    curve = tradeoff(normal, (1.0, 0.0), trials=20_000, views=["values"], jobs=1)  # mu 1: exactly 2.03
    broken, fine = outcome_of("x", (curve, ApproxDP(1.0, 0.02))), outcome_of("x", (curve, ApproxDP(3.0, 0.02)))
    assert (broken.verdict, broken.claimed, broken.delta) == ("refuted", 1.0, 0.02)
    assert broken.found == curve.epsilon_at(0.02)
    assert 0 < broken.draws <= 20_000
    assert fine.verdict == "not refuted"


def test_infinities_survive_the_file(tmp_path):
    outcome.write(tmp_path / "r.json", {"x": replace(FINE, found=math.inf)})
    assert outcome.read(tmp_path / "r.json")["fine"].found == math.inf


def test_foreign_text_is_shown_and_not_obeyed():
    case = replace(CONTROL, title="a | <script> [x](y)")
    row = pages.row(Listed("x", case, ""), FINE)
    assert "\\| \\<script\\> \\[x\\]" in row
    printed = "before\n```\n# heading\n\x1b[31m"
    page = pages.page(Listed("x", case, ""), replace(FINE, printed=printed))
    assert "````text\nbefore\n```\n# heading\n�[31m\n````" in page
    assert pages.link("see javascript:alert(1)") == "see javascript:alert(1)"


def test_a_bound_that_is_rounded_to_the_claim_still_passes_it():
    assert pages.found(replace(REFUTED, found=1.00001, claimed=1.0)) == "> 1"
    assert pages.found(replace(REFUTED, found=1.2, claimed=1.0)) == "≥ 1.2"


def test_references_become_links():
    assert pages.link("https://github.com/o/r/issues/7") == "[r 7](https://github.com/o/r/issues/7)"
    assert pages.link("Author 2012 https://doi.org/10.1/2") == "[Author 2012](https://doi.org/10.1/2)"


def test_a_case_that_raises_is_an_outcome(monkeypatch):
    monkeypatch.setattr(inside, "listed", lambda module: listed("fine"))
    monkeypatch.setattr(inside, "versions", lambda one: {})
    monkeypatch.setattr(inside.importlib, "import_module", lambda module: type("M", (), {"audited": lambda: 1 / 0}))
    found = inside.run("anything")
    assert (found.verdict, found.printed) == (ERROR, "ZeroDivisionError: division by zero")


class Commands:
    """Stands for subprocess.run."""

    def __init__(self, fails=""):
        self.ran, self.fails = [], fails

    def __call__(self, argv, **options):
        self.ran.append(argv)
        if "venv" in argv:
            (environments.Path(argv[-1]) / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
        failed = self.fails and self.fails in argv
        return subprocess.CompletedProcess(
            argv, int(bool(failed)), "", "WARNING: x\nERROR: none found\nlast" if failed else ""
        )


def test_an_environment_is_made_once(tmp_path, monkeypatch):
    commands = Commands()
    monkeypatch.setattr(environments.subprocess, "run", commands)
    first = python_of(CONTROL, tmp_path)
    assert first == tmp_path / "library-1.0" / "bin" / "python"
    assert [argv[-1] for argv in commands.ran] == [str(tmp_path / "library-1.0"), "library==1.0"]
    assert python_of(CONTROL, tmp_path) == first
    assert len(commands.ran) == 2
    shared = next(tmp_path.rglob("shared.pth")).read_text()
    assert "addsitedir" in shared


def test_an_environment_that_fails_is_told_in_one_line_and_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(environments.subprocess, "run", Commands(fails="library==1.0"))
    for _ in range(2):
        with pytest.raises(InstallError, match=r"^ERROR: none found$"):
            python_of(CONTROL, tmp_path / str(_))
    assert not list(tmp_path.rglob(".installed"))


def test_a_process_that_dies_is_an_outcome(tmp_path, monkeypatch):
    died = subprocess.CompletedProcess([], -9, "", "Killed\n")
    monkeypatch.setattr(run, "python_of", lambda case: "python")
    monkeypatch.setattr(run.subprocess, "run", lambda *argv, **options: died)
    assert run.in_environment(listed("fine")).printed == "Killed"


def test_a_process_that_hangs_is_an_outcome(monkeypatch):
    def hangs(argv, timeout, **options):
        raise subprocess.TimeoutExpired(argv, timeout)

    monkeypatch.setattr(run, "python_of", lambda case: "python")
    monkeypatch.setattr(run.subprocess, "run", hangs)
    assert run.in_environment(listed("fine")).verdict == ERROR


def test_a_process_hands_its_outcome_over(monkeypatch):
    def writes(argv, **options):
        environments.Path(argv[-1]).write_text(json.dumps(REFUTED.to_dict()))
        return subprocess.CompletedProcess(argv, 0, "", "")

    monkeypatch.setattr(run, "python_of", lambda case: "python")
    monkeypatch.setattr(run.subprocess, "run", writes)
    assert run.in_environment(listed("broken", FINDING)) == REFUTED
