"""Files and functions fit in the head.

No file has more than 300 lines, and the median has at most 120. The median function has at most 10 lines, and none in
`auditor/` has more than 50 outside `auditor/notes/`. A function's lines run from `def` to its end, with its docstring.
"""

import ast
import statistics
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("mechanisms", "auditor", "reports", "benchmarks", "gallery")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
MOST_FILE, MEDIAN_FILE = 300, 120
MOST_FUNCTION, MEDIAN_FUNCTION = 50, 10


@cache
def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(text: str) -> dict[str, int]:
    """The lines of each function, from `def` to its end, with its docstring."""
    return {
        f"{node.name}:{node.lineno}": node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@cache
def of(path: Path) -> dict[str, int]:
    return functions(path.read_text(encoding="utf-8"))


def test_lines_are_counted_with_docstrings():
    text = '@decorated\ndef f():\n    """One.\n\n    Two.\n    """\n    def g():\n        return 1\n\n    return g\n'
    assert functions(text) == {"f:2": 9, "g:7": 2}


@pytest.mark.parametrize("line", ["x = 1", '"""Words."""'], ids=["code", "documentation"])
def test_a_long_function_is_seen(line):
    assert max(functions("def f():\n" + f"    {line}\n" * MOST_FUNCTION).values()) > MOST_FUNCTION


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_long(folder):
    long = {str(path.relative_to(ROOT)): lines(path) for path in FILES if ROOT / folder in path.parents}
    assert long
    assert {name: n for name, n in long.items() if n > MOST_FILE} == {}


def test_no_function_of_the_auditor_is_long():
    """The ledger's entries are prose with figures, and are let off."""
    notes = ROOT / "auditor" / "notes"
    paths = [path for path in (ROOT / "auditor").rglob("*.py") if notes not in path.parents]
    assert {name: n for path in paths for name, n in of(path).items() if n > MOST_FUNCTION} == {}


def test_the_usual_file_and_function_are_short():
    assert statistics.median(map(lines, FILES)) <= MEDIAN_FILE
    assert statistics.median(n for path in FILES for n in of(path).values()) <= MEDIAN_FUNCTION
