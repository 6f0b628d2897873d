"""The sweep of a library: what its files say, the table, and its exit code. No library is needed."""

import importlib
import pkgutil
import sys
from types import SimpleNamespace

import pytest

from auditor import ApproxDP, UsageError, per_draw
from gallery.case import NOT_REFUTED, REFUTED
from gallery.sweep import inside, libraries
from gallery.sweep.__main__ import main
from gallery.sweep.item import Item, asked, forgotten

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
