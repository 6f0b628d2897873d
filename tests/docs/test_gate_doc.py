"""docs/gate.md tells the truth: its files run, and its output is what they print.

After a change of the engine the figures in the page may be old: run the commands again and paste them.
"""

import re
import shlex
from pathlib import Path

import pytest

import auditor.cli.output
import auditor.engine  # noqa: F401 - imported here once: pytester forgets what a run inside imports
from auditor.cli import main

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


@pytest.fixture
def folder(pytester, monkeypatch):
    """The files of the page, each in its block."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider")
    release, test, audited = blocks("python")
    for name, text in (("release.py", release), ("test_release.py", test), ("audited.py", audited)):
        pytester.path.joinpath(name).write_text(text)
    pytester.path.joinpath("audits.toml").write_text(blocks("toml")[0])
    pytester.syspathinsert()
    return pytester


def halve_the_noise(folder):
    file = folder.path / "release.py"
    assert "-np.expm1(-1.0)" in file.read_text()
    file.write_text(file.read_text().replace("-np.expm1(-1.0)", "-np.expm1(-2.0)"))


def without_times(text):
    """Lines without timings and without the rulers whose width depends on them."""
    return [line for line in text.splitlines() if not re.search(r" in \d+\.\d+s", line) and "$ " not in line]


def test_the_green_run_prints_what_the_page_shows(folder):
    shown = without_times(blocks("console")[0])
    assert shown == without_times(folder.runpytest("-q").stdout.str())


def test_the_red_run_and_its_replay_print_what_the_page_shows(folder, capsys):
    halve_the_noise(folder)
    red, replayed = blocks("console")[1:3]
    assert without_times(red) == without_times(
        folder.runpytest("-q", "--dp-report", "audit-report").stdout.str()
    )
    capsys.readouterr()
    assert main(shlex.split(replayed.splitlines()[0])[2:]) == 0
    assert replayed.splitlines()[1:] == capsys.readouterr().out.splitlines()


def test_the_commands_without_pytest_end_as_the_page_says(folder):
    assert main(["run", "audited.py", "audited.py::count", "audits.toml", "--trials", "5000"]) == 0


def test_the_baseline_is_used_as_the_page_says(folder):
    halve_the_noise(folder)
    text = next(block for block in blocks("") if "--accept" in block)
    first, accepting, _ = (shlex.split(line) for line in text.replace("\\\n", "").strip().splitlines())
    assert (main(first[1:]), main(accepting[1:])) == (1, 0)
    later = shlex.split(
        next(block for block in blocks("") if "audit-baseline.json\n" in block and "cp" not in block)
    )
    folder.path.joinpath("audit-baseline.json").write_text((folder.path / "known/results.json").read_text())
    assert main(later[1:]) == 0
    assert main(["run", "audited.py"]) == 1
