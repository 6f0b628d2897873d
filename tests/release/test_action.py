"""The action and the hooks for other people's repositories: they name what exists, and do what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from test_workflows import of_step

from auditor.doors.cli import build_parser

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TARGET = """\
from auditor import ApproxDP

class Coin:
    claim = ApproxDP(epsilon={epsilon})
    def sample(self, dataset, n, rng):
        return (rng.random(n) < (0.9 if dataset else 0.1)).astype(int)
    def neighbours(self):
        return [(0, 1)]

coin = Coin()
"""


def test_the_action_has_the_promised_inputs_and_outputs():
    assert {"targets", "trials", "alpha", "baseline"} <= set(ACTION["inputs"])
    assert set(ACTION["outputs"]) == {"verdict", "epsilon-lower", "report"}


def test_every_step_is_pinned_and_names_its_shell():
    for step in ACTION["runs"]["steps"]:
        assert of_step(step, ROOT) == []
        assert ("run" in step) == ("shell" in step)


def test_no_input_is_pasted_into_a_script_and_all_are_used():
    steps = ACTION["runs"]["steps"]
    assert not any("${{" in step.get("run", "") for step in steps)
    assert set(re.findall(r"inputs\.([\w-]+)", str(steps))) == set(ACTION["inputs"])


@pytest.mark.parametrize(
    ("epsilon", "code", "verdict"),
    [(1.0, "1", "REFUTED"), (2.5, "0", "NOT_REFUTED"), (-1.0, "2", "")],
)
def test_the_action_runs_audits_and_writes_outputs(tmp_path, epsilon, code, verdict):
    """2 ln 3 = 2.197 is the true epsilon; alpha 0.001."""
    (tmp_path / "coin.py").write_text(TARGET.format(epsilon=epsilon), encoding="utf-8")
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    env |= {"TARGETS": "coin.py\n", "TRIALS": "2000", "ALPHA": "0.001", "BASELINE": "", "REPORT": "report"}
    env |= {"GITHUB_OUTPUT": str(tmp_path / "outputs"), "GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": ""}
    subprocess.run(["bash", ROOT / "action" / "run"], cwd=tmp_path, env=env, check=True, capture_output=True)
    written = dict(row.split("=", 1) for row in (tmp_path / "outputs").read_text(encoding="utf-8").splitlines())
    assert written["code"] == code
    assert written.get("verdict", "") == verdict
    if verdict:
        assert {path.name for path in (tmp_path / "report").iterdir()} >= {"index.html", "results.sarif", "badge.svg"}
        assert 1 < float(written["epsilon-lower"]) < 2.2
    if verdict == "REFUTED":
        assert "1 of 1 refuted" in (tmp_path / "report" / "badge.svg").read_text(encoding="utf-8")


def test_the_hooks_call_commands_that_exist():
    assert [hook["id"] for hook in HOOKS] == ["dp-audit", "dp-audit-pytest"]
    program, *words = shlex.split(HOOKS[0]["entry"])
    assert program == "dp-audit"
    options = build_parser().parse_args([*words, "release.py"])
    assert (options.trials, options.jobs) == (5000, 1)
    assert "--dp-quick" in HOOKS[1]["entry"]


def test_the_page_names_every_input_output_and_hook():
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    names = [*ACTION["inputs"], *ACTION["outputs"]]
    assert [name for name in names if f"`{name}`" not in page] == []
    assert [hook["id"] for hook in HOOKS if f"- id: {hook['id']}" not in page] == []
    assert HOOKS[0]["entry"] in page
