"""The documents name only what exists: links, files, modules and identifiers in backticks."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
OWN = ("auditor", "mechanisms", "reports", "benchmarks", "tests", "docs", "examples", "gallery")
IDS = [page.relative_to(ROOT).as_posix() for page in PAGES]
FILES = (".py", ".md", ".toml", ".json", ".html", ".csv", ".svg", ".png", ".yml", ".yaml", ".js", ".c", ".rs")


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def ticked(page: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", prose(page))


@cache
def words_of_the_code() -> frozenset[str]:
    """Every word of the project's own files that are not documents."""
    kinds = ("*.py", "*.toml", "*.j2", "*.js", "*.css", "*.json", "Makefile", "run", "*.yml", "*.yaml")
    files = [file for room in OWN for kind in kinds for file in (ROOT / room).rglob(kind)]
    files += [file for kind in kinds for file in ROOT.glob(kind)] + [ROOT / ".ci" / "run"]
    files = [file for file in files if file != Path(__file__)]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


def not_in_the_picture(house: str, room: str) -> list[str]:
    """The files of a room that the picture of the house does not name."""
    names = set(re.findall(r"\w+", house))
    return [file.stem for file in sorted((ROOT / room).glob("[!_]*.py")) if file.stem not in names]


ROOMS = ("sampling", "events", "search", "certify", "diagnosis", "results", "notes", "doors")


@pytest.mark.parametrize("room", ["mechanisms/core", "auditor", *(f"auditor/{room}" for room in ROOMS), "reports"])
def test_the_picture_of_the_house_names_every_file(room: str) -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    house = text[text.index("## The house") : text.index("## One call")]
    assert not_in_the_picture(house, room) == []
    assert not_in_the_picture("an empty house", room)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(page))
    missing = [t for t in targets if not re.match(r"[a-z]+:", t) and not (page.parent / t).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_of_the_project_exist(page: Path) -> None:
    named = [t for t in ticked(page) if t.split("/")[0] in OWN and "/" in t and re.fullmatch(r"[\w./-]+", t)]
    missing = [t for t in named if not (ROOT / t).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_dotted_names_can_be_imported(page: Path) -> None:
    rooms = (
        "auditor|reports" if page.parent.name == "gallery" else "auditor|mechanisms|reports"
    )  # another library has mechanisms, too
    named = [t for t in ticked(page) if re.fullmatch(rf"({rooms})(\.\w+)+", t)]
    assert not [t for t in named if not t.endswith(FILES) and not exists(t)]


def exists(dotted: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    try:
        importlib.import_module(dotted)
    except ImportError:
        module, _, name = dotted.rpartition(".")
        return bool(module) and exists(module) and hasattr(importlib.import_module(module), name)
    return True


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_identifiers_stand_in_the_code(page: Path) -> None:
    """Words with an underscore or a capital inside, alone in backticks or before a bracket."""
    names = {name for t in ticked(page) for name in re.findall(r"^(\w+)(?:\(.*\))?$", t)}
    odd = [n for n in names if re.search(r"[a-z0-9]_[a-z]|[a-z][A-Z]", n) and n not in words_of_the_code()]
    assert not odd


def test_a_name_that_does_not_exist_is_seen() -> None:
    assert "best_proposal" not in words_of_the_code()
    assert "best_candidate" in words_of_the_code()
    assert not exists("auditor.bounds")
    assert exists("auditor.certify.exact.binomial_epsilon")
