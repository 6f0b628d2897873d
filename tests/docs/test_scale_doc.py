"""docs/scale.md tells the truth: its calculation prints what the page shows."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


def test_the_calculation_prints_what_the_page_shows():
    text = PAGE.read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "trinomial_p_value" in block)
    shown = text.split(code)[1].split("```\n")[2].strip("`\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "scale.md", "exec"), {"__name__": "scale"})
    assert printed.getvalue().strip() == shown.strip()


def test_the_options_that_the_page_names_exist(capsys):
    from auditor.doors.cli import main

    assert main(["run", "--help"]) == 0
    help_text = capsys.readouterr().out
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE.read_text(encoding="utf-8")))
    assert {"--backend", "--scheduler", "--checkpoint", "--time-limit"} <= named
    assert all(option in help_text for option in named)
