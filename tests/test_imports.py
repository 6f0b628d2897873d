"""Imports point one way, nothing imports the doors, and the front door opens fast."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("mechanisms", "auditor", "reports")
DOORS = ("auditor.doors",)
MAY_IMPORT = {
    "mechanisms": {"mechanisms"},
    "auditor": {"mechanisms", "auditor"},
    "reports": {"mechanisms", "auditor", "reports"},
}
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imported(path: Path) -> set[str]:
    """Every module that a file names in an import, at the top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module_of(path).split(".")
                parts = parts[: len(parts) - node.level + (path.name == "__init__.py")]
                base = ".".join([*parts, base] if base else parts)
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            found |= {a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)}
    return found


def inside(module: str, door: str) -> bool:
    return module == door or module.startswith(door + ".")


def is_door(module: str) -> bool:
    return any(inside(module, door) for door in DOORS)


def test_the_rooms_are_looked_at():
    assert len(FILES) > 50
    assert "mechanisms.core.claims" in imported(ROOT / "auditor" / "engine.py")
    assert any(module_of(path) == "auditor.doors.cli" for path in FILES)


INSIDE = [path for path in FILES if not is_door(module_of(path))]


@pytest.mark.parametrize("path", INSIDE, ids=module_of)
def test_imports_point_one_way(path):
    allowed = MAY_IMPORT[module_of(path).split(".")[0]]
    rooms = {name.split(".")[0] for name in imported(path)} & set(ROOMS)
    assert rooms <= allowed


@pytest.mark.parametrize("path", INSIDE, ids=module_of)
def test_nothing_imports_the_doors(path):
    assert not any(is_door(name) for name in imported(path))


COMMAND = (
    "import runpy; sys.argv = ['dp-audit', {argument!r}]\n"
    "try: runpy.run_module('auditor.doors.cli', run_name='__main__')\nexcept SystemExit: pass"
)
HEAVY = ("scipy.stats", "sklearn", "matplotlib", "dp_accounting", "statsmodels", "pandas", "jinja2", "joblib")


@pytest.mark.parametrize(
    ("line", "heavy"),
    [
        ("import auditor", (*HEAVY, "scipy", "numpy", "argparse", "typing", "dataclasses", "importlib.metadata")),
        (COMMAND.format(argument="--help"), (*HEAVY, "scipy", "numpy", "rich", "subprocess", "importlib.metadata")),
        (COMMAND.format(argument="--version"), (*HEAVY, "scipy", "numpy", "rich", "subprocess", "importlib.metadata")),
        ("from auditor import audit, ApproxDP, NeighbourPair, per_draw, Verdict, AuditResult", HEAVY),
        ("from mechanisms.laplace import Laplace", HEAVY),
    ],
)
def test_the_front_door_loads_nothing_heavy(line, heavy):
    """Milliseconds depend on the machine; which modules are loaded does not."""
    script = f"import sys\n{line}\nprint(*[m for m in {heavy!r} if m in sys.modules])"
    argv = [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1].split() == []


def test_a_module_that_is_loaded_is_noticed():
    """The broken twin of the test above."""
    with pytest.raises(AssertionError):
        test_the_front_door_loads_nothing_heavy("import auditor, argparse", ("argparse",))


def test_every_name_of_the_front_door_exists():
    import auditor

    for name in auditor.__all__:
        assert getattr(auditor, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        auditor.nothing  # noqa: B018
