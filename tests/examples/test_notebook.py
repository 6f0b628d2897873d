"""The tutorial's notebook runs from top to bottom, and shows what is stored in it.

    REFRESH_DOCS=1 python -m pytest tests/examples/test_notebook.py

writes new output into it. Pictures are drawn and not compared: their bytes depend on fonts.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

FILE = Path(__file__).resolve().parents[2] / "examples" / "tutorial.ipynb"


def run(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The outputs of a cell as a notebook stores them: what it prints, the value of its last line, its figures."""
    from matplotlib import pyplot

    body = ast.parse(source)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(body, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None and not source.rstrip().endswith(";"):
        result = {"data": shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        outputs.append(result)
    for figure in map(pyplot.figure, pyplot.get_fignums()):
        width, height = (int(size * figure.dpi) for size in figure.get_size_inches())
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png")
        text = [f"<Figure size {width}x{height} with {len(figure.axes)} Axes>"]
        data = {"image/png": base64.b64encode(drawn.getvalue()).decode(), "text/plain": text}
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    pyplot.close("all")
    return outputs


def shown(value: Any) -> dict[str, list[str]]:
    as_html = getattr(value, "_repr_html_", None)
    html = {"text/html": lines(as_html())} if as_html is not None else {}
    return html | {"text/plain": lines(repr(value))}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def without_pictures(outputs: list[dict[str, Any]]) -> str:
    """What is compared: everything but the bytes of pictures."""
    text = json.dumps(outputs, sort_keys=True)
    return re.sub(r'("image/png": ")[^"]*|(data:image/png;base64,)[A-Za-z0-9+/=]*', r"\1\2", text)


@pytest.mark.parametrize("broken", [False, True], ids=["as it is", "with another output"])
def test_the_notebook_shows_what_its_cells_print(broken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    document = json.loads(FILE.read_text(encoding="utf-8"))
    cells = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {"__name__": "__main__"}
    if broken:  # the twin: a cell that prints something else is seen
        cells = cells[:2]
        cells[1] = cells[1] | {"source": ["print('something else')"]}
    with mpl.rc_context():
        mpl.use("agg")
        now = [run("".join(cell["source"]), names, number) for number, cell in enumerate(cells, 1)]
    if os.environ.get("REFRESH_DOCS") and not broken:
        for number, (cell, outputs) in enumerate(zip(cells, now, strict=True), 1):
            cell |= {"outputs": outputs, "execution_count": number}
        FILE.write_text(json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
        return
    stored = [cell["outputs"] for cell in cells]
    same = [without_pictures(a) == without_pictures(b) for a, b in zip(stored, now, strict=True)]
    assert same == ([True, False] if broken else [True] * len(cells))


def test_nothing_of_a_machine_is_stored() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert not re.search(r"/home/|/root/|/work/|/tmp/|stderr", text)
