"""The pages in docs/gallery are those of the stored results: `python -m gallery --pages` writes them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gallery import pages
from gallery.case import cases
from gallery.outcome import read

FOLDER = Path(__file__).parents[2] / "docs" / "gallery"
LISTED = {name: one for name, one in cases().items() if one.case.reported}
STORED = read(FOLDER / "results.json")


def test_each_case_was_run_and_came_out_as_expected():
    assert STORED.keys() == LISTED.keys()
    assert [name for name, one in LISTED.items() if STORED[name].verdict != one.case.expected] == []


@pytest.mark.parametrize("name", LISTED)
def test_pages_show_the_stored_results(name):
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == pages.page(LISTED[name], STORED[name])
    assert (FOLDER / f"{name}.svg").stat().st_size > 1000


def test_the_overview_shows_the_stored_results():
    assert (FOLDER / pages.INDEX).read_text(encoding="utf-8") == pages.overview(LISTED, STORED)


def test_the_readme_shows_the_stored_figures():
    """Each finding and each control has its row, with what was found."""
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8").splitlines()
    for name, one in LISTED.items():
        if one.case.kind != "definition":
            (row,) = [line for line in readme if f"(docs/gallery/{name}.md)" in line]
            assert pages.found(STORED[name]) in row
