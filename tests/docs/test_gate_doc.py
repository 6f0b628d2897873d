"""docs/gate.md tells the truth: its files run, and its output is what they print.

After a change of the engine the figures in the page are old. This writes the new ones into it:

    REFRESH_DOCS=1 python -m pytest tests/docs
"""

import os
import re
import shlex
from pathlib import Path

import pytest

import auditor.doors.cli.output
import auditor.engine  # noqa: F401 - imported here once: pytester forgets what a run inside imports
from auditor.doors.cli import main

pytest_plugins = ["pytester"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gate.md"


def blocks(language):
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def as_shown(block, printed):
    """Whether the page shows what a command printed; timings aside."""
    command, _, shown = block.partition("\n")
    if os.environ.get("REFRESH_DOCS"):
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page.replace(block, f"{command}\n{printed.rstrip()}\n"), encoding="utf-8")
        return True
    assert without_times(shown) == without_times(printed)
    return True


@pytest.fixture
def folder(pytester, monkeypatch):
    """The files of the page, each in its block."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI", "BUILD_NUMBER"):  # pytest prints more under CI
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider")
    release, test, audited, _ = blocks("python")  # the last one needs a library that is not installed
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
    return [line for line in text.rstrip().splitlines() if not re.search(r" in \d+\.\d+s", line)]


def test_the_green_run_prints_what_the_page_shows(folder):
    assert as_shown(blocks("console")[0], folder.runpytest("-q").stdout.str())


def test_the_red_run_and_its_replay_print_what_the_page_shows(folder, capsys):
    halve_the_noise(folder)
    red, replayed = blocks("console")[1:3]
    assert as_shown(red, folder.runpytest("-q", "--dp-report", "audit-report").stdout.str())
    capsys.readouterr()
    assert main(shlex.split(replayed.splitlines()[0])[2:]) == 0
    assert as_shown(replayed, capsys.readouterr().out)


def test_the_commands_without_pytest_end_as_the_page_says(folder):
    assert main(["run", "audited.py", "audited.py::count", "audits.toml", "--trials", "5000"]) == 0


def test_the_baseline_is_used_as_the_page_says(folder):
    halve_the_noise(folder)
    text = next(block for block in blocks("") if "--accept" in block)
    first, accepting, _ = (shlex.split(line) for line in text.replace("\\\n", "").strip().splitlines())
    assert (main(first[1:]), main(accepting[1:])) == (1, 0)
    later = shlex.split(next(block for block in blocks("") if "audit-baseline.json\n" in block and "cp" not in block))
    folder.path.joinpath("audit-baseline.json").write_text((folder.path / "known/results.json").read_text())
    assert main(later[1:]) == 0
    assert main(["run", "audited.py"]) == 1
