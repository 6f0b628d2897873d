"""docs/pairs.md tells the truth: its files run, and its output is what they print.

    REFRESH_DOCS=1 python -m pytest tests/docs/test_pairs_doc.py

writes new output into the page.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

import auditor.engine
import auditor.search.pairs.driver
import auditor.search.pairs.search  # noqa: F401

pytest_plugins = ["pytester"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pairs.md"


def blocks(language):
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def shows(number, language, printed):
    """The page's block of this number has what was printed; timings aside."""
    shown = blocks(language)[number]
    if os.environ.get("REFRESH_DOCS"):
        text = PAGE.read_text(encoding="utf-8")
        places = [m.span(1) for m in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]
        start, end = places[number]
        kept = "\n".join(without_times(printed)) + "\n"
        PAGE.write_text(text[:start] + kept + text[end:], encoding="utf-8")
        return
    assert without_times(shown) == without_times(printed)


def without_times(text):
    return [line for line in text.rstrip().splitlines() if not re.search(r" in \d+\.\d+s", line)]


@pytest.fixture
def folder(pytester, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider")
    release, test = blocks("python")[:2]
    pytester.path.joinpath("release.py").write_text(release)
    pytester.path.joinpath("test_release.py").write_text(test)
    pytester.syspathinsert()
    return pytester


def test_the_red_run_prints_what_the_page_shows(folder):
    ran = folder.runpytest("-q")
    assert ran.ret == 1
    shows(0, "console", "$ pytest -q\n" + ran.stdout.str())


def test_the_repaired_function_is_green(folder):
    file = folder.path / "release.py"
    assert "clip(upper=100)" in file.read_text()
    file.write_text(file.read_text().replace("clip(upper=100)", "clip(lower=0, upper=100)"))
    assert folder.runpytest("-q", "--dp-trials=20000").ret == 0


def printed_by(number):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(blocks("python")[number], "page", "exec"), {"__name__": "page"})
    return out.getvalue()


def test_the_sensitivities_are_those_of_the_page():
    shows(0, "output", printed_by(2))


def test_the_pair_that_is_wrong_is_told_as_on_the_page():
    with pytest.raises(ValueError, match="neighbours under add/remove") as failure:
        printed_by(3)
    shows(1, "output", f"ValueError: {failure.value}")
