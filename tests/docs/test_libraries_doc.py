"""The programs of docs/libraries.md run where their library is installed, and are as short as is promised."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "libraries.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_programs_run(program, tmp_path):
    """What they print is not compared: the libraries draw from randomness of their own."""
    library = re.findall(r"(?:import|from) (opendp|diffprivlib|pydp|snsql|tmlt|pipeline_dp|opacus)\b", program)[0]
    pytest.importorskip(library, reason=f"needs {library}", exc_type=ImportError)
    if "polars" in program:
        pytest.importorskip("polars", reason="needs polars", exc_type=ImportError)
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "REFUTED" in done.stdout


def test_programs_have_fewer_than_ten_lines():
    assert len(PROGRAMS) == 12
    assert all(len([line for line in program.splitlines() if line]) < 10 for program in PROGRAMS)
