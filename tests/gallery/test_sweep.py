"""The sweep of a library: what its files say, the table, and its exit code. No library is needed."""

import importlib
import json
import pkgutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from auditor import ApproxDP, UsageError, per_draw
from gallery.__main__ import PAGES
from gallery.case import NOT_REFUTED, REFUTED
from gallery.sweep import inside, libraries
from gallery.sweep.__main__ import main
from gallery.sweep.item import Item, asked, forgotten
from gallery.sweep.page import page, store
from gallery.sweep.record import Swept, read

FILES = sorted(one.name for one in pkgutil.iter_modules(libraries.__path__))


def noisy(scale):
    return lambda: asked(
        per_draw(lambda x, rng: x + rng.laplace(0, scale)), (0.0, 1.0), claim=ApproxDP(1.0), trials=500
    )


def library(items, public=None, left_out=None):
    names = [item.public_name for item in items] if public is None else public
    return SimpleNamespace(PACKAGES=("x==1",), LEFT_OUT=left_out or {}, public=lambda: names, items=lambda: items)


@pytest.mark.parametrize("file", FILES)
def test_each_file_names_its_packages_and_its_items(file):
    """The audits import their library only when they are carried out."""
    module = importlib.import_module(f"{libraries.__name__}.{file}")
    items = module.items()
    assert all("==" in package for package in module.PACKAGES)
    assert len({item.name for item in items}) == len(items) >= 8
    assert not {item.public_name for item in items} & set(module.LEFT_OUT)
    assert all(item.neighbours for item in items)


def test_a_known_refutation_says_where_it_is_public():
    with pytest.raises(UsageError, match="needs a public reference"):
        Item("a", "any", noisy(1.0), refuted=True)
    assert Item("a", "any", noisy(1.0), refuted=True, reported="no").expected == REFUTED
    assert Item("a, special", "any", noisy(1.0)).public_name == "a"


def test_nothing_public_is_forgotten():
    items = [Item("a, special", "any", noisy(1.0))]
    assert not forgotten(library(items, ["a", "b"], {"b": "abstract"}))
    assert forgotten(library(items, ["a", "b"])) == ["b"]
    assert forgotten(library(items, ["a"], {"b": "abstract"})) == ["b (there is none)"]


@pytest.mark.parametrize(
    ("scale", "refuted", "code"), [(1.5, False, 0), (0.1, False, 1), (0.1, True, 0), (1.5, True, 1)]
)
def test_the_exit_code_tells_whether_all_came_out_as_expected(scale, refuted, code, monkeypatch, capsys):
    item = Item("a", "any", noisy(scale), refuted=refuted, reported="no" if refuted else "")
    monkeypatch.setitem(sys.modules, f"{libraries.__name__}.made_up", library([item]))
    assert inside.main(["made_up"]) == code
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| a "))
    assert ("as expected" in row) == (code == 0)
    assert (REFUTED.upper() if scale < 1 else NOT_REFUTED) in row


def test_what_raises_is_an_error_and_the_rest_goes_on(monkeypatch, capsys):
    def broken():
        raise ValueError("no such thing")

    items = [Item("a", "any", broken), Item("b", "any", noisy(1.5))]
    monkeypatch.setitem(sys.modules, f"{libraries.__name__}.made_up", library(items))
    assert inside.main(["made_up"]) == 1
    out = capsys.readouterr().out
    assert "| a | ERROR | NO: not refuted" in out
    assert "no such thing" in out
    assert "| b | not refuted | as expected" in out


def test_an_unknown_library_is_told(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["none"])
    assert "diffprivlib_tools" in capsys.readouterr().err


def swept_library(**more):
    items = [
        Item("a", "any", noisy(1.5)),
        Item("b, broken", "any", noisy(0.1), refuted=True, reported="https://github.com/x/y/issues/3"),
        Item("b, secret", "any", noisy(0.1), refuted=True, reported="no"),
        Item("d", "any", noisy(0.1), refuted=True, reported="definition"),
    ]
    return library(items, ["a", "b", "c", "d"], {"c": "abstract"}, **more)


def test_a_whole_sweep_is_recorded_without_what_nobody_knows_of(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, f"{libraries.__name__}.made_up", swept_library())
    assert inside.main(["made_up", "--record", str(tmp_path / "one.json")]) == 0
    one = Swept.from_dict(json.loads((tmp_path / "one.json").read_text()))
    assert (one.file, one.packages, one.public, one.audits) == ("made_up", ("x==1",), 4, 3)
    assert one.left_out == {"c": "abstract"}
    assert one.refuted == {"b, broken": "https://github.com/x/y/issues/3", "d": "definition"}
    assert inside.main(["made_up", "a", "--record", str(tmp_path / "some.json")]) == 0
    assert not (tmp_path / "some.json").exists()  # some names are no sweep


def test_a_sweep_with_an_unexpected_verdict_is_not_recorded(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, f"{libraries.__name__}.made_up", library([Item("a", "any", noisy(0.1))]))
    assert inside.main(["made_up", "--record", str(tmp_path / "one.json")]) == 1
    assert not (tmp_path / "one.json").exists()


def test_the_page_counts_what_was_audited_and_names_what_was_left_out(tmp_path):
    first = Swept("made_up", ("x[more]==1",), "2026-01-02", 4, {"c": "abstract", "e": "abstract"}, 3, {}, 7.4)
    second = Swept("other", ("y==2",), "2026-01-03", 2, {}, 5, {"b, broken": "https://github.com/x/y/issues/3"}, 2.0)
    store(tmp_path, [replace(first, audits=1), second])
    store(tmp_path, [first])  # a later sweep of a file takes the place of the earlier one
    assert read(tmp_path / "sweeps.json") == [first, second]
    page = (tmp_path / "sweeps.md").read_text()
    assert f"Not run through yet: {', '.join(f'`{file}`' for file in FILES)}." in page  # none of these two is one
    assert "| x 1 | `made_up` | 4 | 2 | 3 | 3 | 0 | 7 | 2026-01-02 |" in page
    assert "| y 2 | `other` | 2 | 0 | 5 | 4 | 1 | 2 | 2026-01-03 |" in page
    assert "| all | | 6 | 2 | 8 | 7 | 1 | 9 | |" in page
    assert "| y 2 | b, broken | [y 3](https://github.com/x/y/issues/3) |" in page
    assert "- x 1, `made_up`: `c`, `e` (abstract)." in page
    assert "- y 2, `other`: nothing." in page


def test_what_is_no_record_of_sweeps_is_told(tmp_path):
    (tmp_path / "sweeps.json").write_text('{"schema": "other"}')
    with pytest.raises(UsageError, match="must say schema"):
        read(tmp_path / "sweeps.json")
    with pytest.raises(UsageError, match="a sweep must be as the gallery wrote it"):
        Swept.from_dict({"packages": []})
    assert read(tmp_path / "none.json") == []


def test_the_stored_sweeps_are_of_the_files_that_there_are():
    """The page in the repository is the one that its record makes, and each sweep stands on it."""
    stored = read(PAGES / "sweeps.json")
    assert {one.file for one in stored} <= set(FILES)
    assert len(stored) >= 10
    assert (PAGES / "sweeps.md").read_text(encoding="utf-8") == page(stored)
    for one in stored:
        module = importlib.import_module(f"{libraries.__name__}.{one.file}")
        known = [item for item in module.items() if item.reported != "no"]
        assert one.packages == tuple(module.PACKAGES)
        assert one.left_out == dict(module.LEFT_OUT)
        assert one.audits == len(known)
        assert one.refuted == {item.name: item.reported for item in known if item.refuted}
