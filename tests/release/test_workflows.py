"""Workflows and actions name only what exists: make targets, modules, files, matrices, inputs. Actions are pinned."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "examples").glob("*/.github/workflows/*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@(v\d+(\.\d+)*|[0-9a-f]{40})")
JOB_KEYS = {"name", "needs", "if", "strategy", "runs-on", "timeout-minutes", "env", "permissions", "steps", "outputs"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory", "continue-on-error"}


def load(text: str) -> Any:
    """YAML 1.1 reads the key `on` as true."""
    found = yaml.safe_load(text)
    return {("on" if key is True else key): value for key, value in found.items()}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def problems(workflow: Any, root: Path = ROOT) -> list[str]:
    """Everything that would fail on the server and can be known here."""
    found = [f"no {key}" for key in ("name", "on", "permissions", "jobs") if key not in workflow]
    for name, job in workflow.get("jobs", {}).items():
        found += [f"{name}: unknown key {key}" for key in sorted(set(job) - JOB_KEYS)]
        found += [f"{name}: needs {needed}" for needed in job.get("needs", []) if needed not in workflow["jobs"]]
        matrix = job.get("strategy", {}).get("matrix", {})
        for key in re.findall(r"\$\{\{ *matrix\.([\w-]+) *\}\}", str(job)):
            found += [] if key in matrix else [f"{name}: matrix.{key} is not there"]
        for step in job["steps"]:
            found += [f"{name}: {problem}" for problem in of_step(step, root)]
        for words in matrix.get("command", []):
            found += [f"{name}: {problem}" for problem in of_command(words, root)]
    return found


def of_step(step: dict[str, Any], root: Path) -> list[str]:
    found = [f"unknown key {key}" for key in sorted(set(step) - STEP_KEYS)]
    if ("uses" in step) == ("run" in step):
        found.append("a step must either use or run")
    if "uses" in step and step["uses"] != "./" and not PINNED.fullmatch(step["uses"]):
        found.append(f"not pinned: {step['uses']}")
    return found + of_command(step.get("run", ""), root)


def of_command(text: str, root: Path) -> list[str]:
    found = [f"no make target {word}" for word in re.findall(r"\bmake ([a-z][\w-]*)", text) if word not in targets()]
    modules = re.findall(r"python -m (benchmarks[\w.]*)", text)
    found += [f"no module {module}" for module in modules if importlib.util.find_spec(module) is None]
    paths = re.findall(r"(?<![\w./-])@?((?:\.ci|tests|benchmarks|examples|docs)/[\w./-]+)", text)
    return found + [f"no file {path}" for path in paths if not (root / path).exists()]


def test_there_are_workflows():
    assert {path.name for path in WORKFLOWS} == {"ci.yml", "weekly.yml"}
    assert EXAMPLES


@pytest.mark.parametrize("path", [*WORKFLOWS, *EXAMPLES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_workflow_names_only_what_exists(path):
    assert problems(load(path.read_text(encoding="utf-8")), path.parents[2]) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("make check", "make chekc", "check: no make target chekc"),
        ("@.ci/portable.txt", "@.ci/portabel.txt", "lowest: no file .ci/portabel.txt"),
        ("actions/checkout@v4", "actions/checkout@main", "check: not pinned: actions/checkout@main"),
        ("matrix.python }}", "matrix.pyhton }}", "suite: matrix.pyhton is not there"),
        ("timeout-minutes", "timeout", "check: unknown key timeout"),
        ("      - run: make dist", "      - name: build", "release: a step must either use or run"),
        ("permissions:", "permission:", "no permissions"),
    ],
)
def test_a_broken_workflow_is_noticed(old, new, problem):
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert old in text
    assert problem in problems(load(text.replace(old, new)))


def test_every_supported_python_is_tested():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {row.rpartition(" ")[2] for row in project["classifiers"] if re.search(r":: 3\.\d+$", row)}
    tested = load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))["jobs"]["suite"]["strategy"]
    assert set(tested["matrix"]["python"]) == {*named, "3.x"}
    assert project["requires-python"] == f">={min(named, key=lambda text: int(text[2:]))}"


def test_the_portable_tests_exist():
    paths = (ROOT / ".ci" / "portable.txt").read_text(encoding="utf-8").split()
    assert [path for path in paths if not (ROOT / path).exists()] == []
