"""Tests reach for the surface: a name that starts with an underscore belongs to its own module or class."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROTOCOLS = {"_repr_html_", "_exit"}  # names that IPython and the standard library give


def private(text: str) -> list[str]:
    """The private names of others that a test file imports, reads or patches."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ImportFrom(module=module, names=names):
                found += [part for part in (module or "").split(".") if is_private(part)]
                found += [alias.name for alias in names if is_private(alias.name)]
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if is_private(name):
                found.append(name)
            case ast.Call(func=ast.Attribute(attr="setattr" | "delattr"), args=[*arguments]):
                texts = [str(one.value) for one in arguments if isinstance(one, ast.Constant)]
                found += [part for text in texts for part in text.split(".") if is_private(part)]
    return found


def is_private(name: str) -> bool:
    return bool(re.match(r"_[A-Za-z]", name)) and name not in PROTOCOLS


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_a_test_uses_no_private_name(path: Path) -> None:
    assert private(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "from auditor.certify.exact import _tail",
        "from auditor._hidden import tail",
        "exact._tail(1)",
        'monkeypatch.setattr(exact, "_tail", 1)',
        'monkeypatch.setattr("auditor.certify.exact._tail", 1)',
    ],
)
def test_a_private_name_is_seen(text: str) -> None:
    assert private(text) != []
