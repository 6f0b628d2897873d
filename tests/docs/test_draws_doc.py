"""The programs of docs/draws.md run, and what it says of calls is so."""

import re
from pathlib import Path

import pytest

from auditor.tuning import TUNING

TEXT = (Path(__file__).parents[2] / "docs" / "draws.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_programs_run(prepared, program, tmp_path):
    """Each runs in a process of its own; the audits are of true claims, at alpha 0.01 and seed 0."""
    code, _, err = prepared.run(code=program, cwd=tmp_path)
    assert code == 0, err


def test_there_are_programs():
    assert len(PROGRAMS) == 4


def test_calls_of_the_pilot_are_as_told():
    assert TUNING.rounds.pilot_draws(144) == (9, 4)
    assert TUNING.rounds.pilot_draws(60) == (4, 1)
    assert TUNING.rounds.pilot_draws(512) == (32, 16)
    assert TUNING.rounds.pilot_draws(1056) == (32, 33)
    assert TUNING.rounds.pilot_draws(10**6) == (32, 1024)
