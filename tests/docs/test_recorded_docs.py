"""The programs of docs/recorded.md and docs/training.md run, and print what the pages show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auditor.doors.cli import build_parser

DOCS = Path(__file__).resolve().parents[2] / "docs"


def programs(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_recorded_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = programs("recorded.md")
    exec(program, {})
    printed = capsys.readouterr().out
    assert f"```\n{printed}```" in (DOCS / "recorded.md").read_text(encoding="utf-8")


def test_one_training_run(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = programs("training.md")
    exec(program, {})
    assert "REFUTED: one run is not (2, 1e-05)-DP." in capsys.readouterr().out


@pytest.mark.parametrize("page", ["recorded.md", "training.md"])
def test_commands_can_be_given_as_they_are_shown(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    lines = re.findall(r"^dp-audit (.*)$", text, re.MULTILINE)
    assert len(lines) >= 2
    for line in lines:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', re.sub(r"[\[\]]", "", line))]
        assert build_parser().parse_args(words).command
