"""The site: its navigation names every page, its reference every public name, and it reads files as a checkout does.

`make docs` builds it, with every link and heading checked; these tests need nothing of mkdocs.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import auditor

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook, lists = load("project_files"), load("lists")


def leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in leaves(part)]


def test_the_navigation_names_every_page_once_and_no_other() -> None:
    named = leaves(CONFIG["nav"]) + hook.gallery(DOCS)
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(page for page in named if not page.startswith("project/")) == sorted(pages)
    assert all((ROOT / hook.source(page)).exists() for page in named)


def test_the_gallery_may_be_absent(tmp_path: Path) -> None:
    assert hook.gallery(tmp_path) == []
    (tmp_path / "gallery").mkdir()
    for name in ("b.md", "index.md", "a.md"):
        (tmp_path / "gallery" / name).touch()
    assert hook.gallery(tmp_path) == ["gallery/index.md", "gallery/a.md", "gallery/b.md"]


def test_the_reference_has_every_public_name_once() -> None:
    named = re.findall(r"^::: auditor\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(auditor.__all__)


def test_nothing_is_fetched() -> None:
    assert CONFIG["theme"]["font"] is False
    assert CONFIG["strict"] is True
    own = [file.read_text(encoding="utf-8") for file in (DOCS / "site").iterdir() if file.suffix in (".css", ".js")]
    assert own
    assert not [text for text in own if re.search(r"https?://|@import", text)]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("docs/gate.md", "gate.md"),
        ("CHANGELOG.md", "project/CHANGELOG.md"),
        ("examples/dpsgd.py", "project/examples/dpsgd.py.md"),
        ("examples/clinic", "project/examples/clinic/index.md"),
    ],
)
def test_a_file_of_the_checkout_has_a_place_on_the_site(path: str, place: str) -> None:
    assert hook.place(path) == place
    assert hook.source(place) == path


def test_links_are_those_outside_of_code() -> None:
    text = "[a](../examples/dpsgd.py) [b](https://a.org)\n```\n[c](gate.md)\n```\n[d](gate.md#questions) [e](no.md)\n"
    assert hook.links("docs/training.md", text) == [
        ("../examples/dpsgd.py", "examples/dpsgd.py"),
        ("gate.md", "docs/gate.md"),
    ]


def test_files_are_shown_as_they_are() -> None:
    assert "class Trainer:" in hook.page_of("examples/dpsgd.py")
    clinic = hook.page_of("examples/clinic")
    assert 'title=".github/workflows/privacy.yml"' in clinic
    assert "__pycache__" not in clinic


def test_a_notebook_is_shown_with_its_outputs() -> None:
    outputs = [
        {"data": {"text/html": ["<b>card</b>"], "text/plain": ["card"]}},
        {"data": {"image/png": "AAAA\n", "text/plain": ["<Axes: >"]}},
        {"text": ["printed\n"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["f()"], "outputs": outputs},
    ]
    text = hook.notebook({"cells": cells})
    assert "# Title\n\n```python\nf()\n```" in text
    assert "<b>card</b>" in text
    assert '<img alt="&lt;Axes: &gt;" src="data:image/png;base64,AAAA">' in text
    assert "```text\nprinted\n```" in text


def test_headings_have_the_addresses_of_github() -> None:
    assert hook.slug("The last round's exact test", "-") == "the-last-rounds-exact-test"
    assert hook.slug("δ = 0: binomial", "-") == "δ--0-binomial"


def test_lists_are_read_as_github_reads_them() -> None:
    github = (
        "Text:\n- one\n  two\n  1. deep\n     more\n\n     again\n\n3. new\n\n   ```\n   code\n     in\n   ```\nend\n"
    )
    ours = (
        "Text:\n\n- one\n    two\n    1. deep\n        more\n\n        again\n\n"
        "3. new\n\n    ```\n    code\n      in\n    ```\nend\n"
    )
    assert lists.as_python_markdown(github) == ours


def test_code_is_left_alone() -> None:
    text = "```\n- no\n  item\n```\n\n    - indented code\n"
    assert lists.as_python_markdown(text) == text
