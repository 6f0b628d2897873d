"""A case of the gallery: which library, what is claimed by whom, for which neighbours, and what an audit must find."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import gallery.cases
from auditor.errors import UsageError

KINDS = {
    "finding": "The claim is false",
    "bits": "False in the bits of the floating-point numbers",
    "definition": "A matter of definitions",
    "control": "Nothing was found, and nothing should be",
}
REFUTED, NOT_REFUTED = "refuted", "not refuted"
ENTRY = "audited"  # the function of a case's file that carries the audit out


@dataclass(frozen=True)
class Case:
    """One claim of one library, and what is known about it.

    Args:
        title: What is audited, in a few words.
        kind: One of KINDS.
        packages: What pip installs beside dp-audit; equal ones share an environment.
        claimed: Who claims what.
        neighbours: The relation for which it is claimed, and where the library says so.
        why: Why the verdict is expected, from the library's source.
        practice: What it means for somebody who uses the library.
        references: Public reports, papers or pages of the library's documentation.
        reported: False keeps a finding out of the pages until the library's maintainers know.
        alone: True installs the packages without what they require, where the audited file needs none of it.
    """

    title: str
    kind: str
    packages: tuple[str, ...]
    claimed: str
    neighbours: str
    why: str
    practice: str
    references: tuple[str, ...] = ()
    reported: bool = True
    alone: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"kind must be one of {', '.join(KINDS)}, got kind={self.kind!r:.60}")
        if not self.packages or not all("==" in package for package in self.packages):
            raise UsageError(f"packages must be pinned as name==version, got packages={self.packages!r:.80}")
        if self.reported and self.kind != "control" and not self.references:
            raise UsageError(f"a case of kind {self.kind} needs a public reference, or reported=False; got none")

    @property
    def expected(self) -> str:
        """The verdict that an audit must come to."""
        return NOT_REFUTED if self.kind == "control" else REFUTED

    @property
    def environment(self) -> str:
        """The name of the environment in which it runs."""
        return environment_of(self.packages)


def environment_of(packages: Sequence[str]) -> str:
    """The name of the environment that has these packages."""
    return re.sub(r"[^\w.-]+", "-", "-".join(re.sub(r"\[.*?\]", "", one) for one in packages))


@dataclass(frozen=True)
class Listed:
    """A case with its name, and the lines that audit it."""

    name: str
    case: Case
    code: str

    @property
    def lines(self) -> int:
        """Lines of code, without empty ones and comments."""
        return sum(bool(line.strip()) and not line.strip().startswith("#") for line in self.code.splitlines())


def cases(package: ModuleType = gallery.cases) -> dict[str, Listed]:
    """All cases by name, a file each: `opendp_tree.py` is the case opendp-tree."""
    modules = sorted(one.name for one in pkgutil.iter_modules(package.__path__))
    found = [listed(f"{package.__name__}.{module}") for module in modules]
    return {one.name: one for one in found}


def listed(module: str) -> Listed:
    """The case of a module."""
    file = importlib.import_module(module)
    assert file.__file__ is not None
    name = module.rpartition(".")[2].replace("_", "-")
    return Listed(name, file.CASE, code_of(Path(file.__file__).read_text(encoding="utf-8")))


def code_of(source: str) -> str:
    """The body of the function `audited`, as its user would write it: without indentation and `return`."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == ENTRY:
            lines = source.splitlines()[node.body[0].lineno - 1 : node.end_lineno]
            return re.sub(r"^return ", "", textwrap.dedent("\n".join(lines)), flags=re.MULTILINE)
    raise UsageError(f"a case's file must have a function {ENTRY}(), got none")
