"""The programs of docs/draws.md run, and what it says of calls is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.tuning import TUNING

TEXT = (Path(__file__).parents[2] / "docs" / "draws.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_programs_run(program, tmp_path):
    """Each is a file of its own, as a reader would make it; the audits are of true claims, at alpha 0.01 and seed 0."""
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_are_programs():
    assert len(PROGRAMS) == 4


def test_calls_of_the_pilot_are_as_told():
    assert TUNING.rounds.pilot_draws(144) == (9, 4)
    assert TUNING.rounds.pilot_draws(60) == (4, 1)
    assert TUNING.rounds.pilot_draws(512) == (32, 16)
    assert TUNING.rounds.pilot_draws(1056) == (32, 33)
    assert TUNING.rounds.pilot_draws(10**6) == (32, 1024)
