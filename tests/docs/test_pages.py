"""Pages whose every program and command is run, and whose every output is what was printed.

    REFRESH_DOCS=1 python -m pytest tests/docs/test_pages.py

writes new output into the pages.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pages
import pytest

import auditor.curves
import auditor.engine
import auditor.one_run
import auditor.samples
import auditor.search.pairs.driver
import auditor.search.pairs.search  # noqa: F401 - imported here once: pytester forgets what a run inside imports

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
FOLLOWED = [
    "README.md",
    "docs/index.md",
    "docs/commands.md",
    "docs/composition.md",
    "docs/tutorials/ci.md",
    "docs/tutorials/proof.md",
    "docs/tutorials/report.md",
]
ELSEWHERE = {  # pages with tests of their own
    "docs/gate.md": "test_gate_doc.py",
    "docs/pairs.md": "test_pairs_doc.py",
    "docs/recorded.md": "test_recorded_docs.py",
    "docs/training.md": "test_recorded_docs.py",
    "docs/draws.md": "test_draws_doc.py",
    "docs/scale.md": "test_scale_doc.py",
    "docs/libraries.md": "test_libraries_doc.py",
    "docs/protocol.md": "test_protocol_doc.py",
    "CONTRIBUTING.md": "test_contributing.py",
}


@pytest.fixture
def reader(pytester, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI", "BUILD_NUMBER"):  # pytest prints more under CI
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # one worker: the same results without starting processes

    def run(arguments):
        with pages.forgetting(pytester.path):
            done = pytester.runpytest(*arguments)
        return done.stdout.str(), int(done.ret)

    return pages.Reader(pytester.path, run)


def test_the_examples_print_what_their_page_shows(reader):
    """Where there is no C compiler the page cannot be followed."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    shutil.copytree(ROOT / "examples", reader.folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    check("examples/README.md", reader)


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_shows_what_its_programs_print(page, reader):
    check(page, reader)


def check(page, reader):
    file = ROOT / page
    text = file.read_text(encoding="utf-8")
    now = pages.follow(text, reader)
    if os.environ.get("REFRESH_DOCS"):
        file.write_text(now, encoding="utf-8")
        return
    assert now == text


def test_every_page_with_output_is_run_by_a_test():
    """The gallery's cases are run by its own tests."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    with_output = [
        file.relative_to(ROOT).as_posix()
        for file in files
        if re.search(r"^```(console|output|python)\b", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    known = {
        *FOLLOWED,
        *ELSEWHERE,
        "examples/README.md",
        "docs/results.md",
    }  # results.md: a snippet without output, and fragments of JSON
    assert not [page for page in with_output if page not in known and not page.startswith("docs/gallery/")]
    assert all((ROOT / "tests" / "docs" / test).exists() for test in ELSEWHERE.values())


def test_wrong_output_is_seen(reader):
    """Of programs, commands and exit codes, also with lines left out; times may differ."""
    page = '```python title="a.py"\nprint(1)\nprint("3 s")\n```\n```console\n$ python a.py\n{}```\n'
    assert pages.follow(page.format("1\n4 s\n"), reader) == page.format("1\n4 s\n")
    assert pages.follow(page.format("…\n4 s\n"), reader) == page.format("…\n4 s\n")
    assert pages.follow(page.format("2\n4 s\n"), reader) == page.format("1\n3 s\n")
    assert pages.follow(page.format("2\n…\n"), reader) == page.format("1\n3 s\n")
    program = "```python\nprint(2)\n```\n```output\n1\n```\n"
    assert pages.follow(program, reader) == program.replace("1\n", "2\n")
    session = "```console\n$ dp-audit show nothing\n$ echo $?\n0\n```\n"
    assert "dp-audit: " in (now := pages.follow(session, reader))
    assert now.endswith("$ echo $?\n2\n```\n")
