"""Runs a page of the documentation from top to bottom, as its reader would, in one folder.

- A block with a title is a file: it is written.
- A block `python` without a title is a program: all of a page share their names. The block `output` after it is what it
  prints.
- A block `console` has commands after `$` and what they print. `pytest`, `dp-audit` and `python FILE` run in this
  process; `echo $?` is the exit code of the command before; anything else is left to the shell.

In what is shown a line `…` stands for lines that are left out.

Other blocks are not run. With REFRESH_DOCS=1 the page gets the output that was really printed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from auditor.doors.cli import main

# Seconds for which a refutation is measured on: so many that on a slow machine too the largest number of draws ends it.
UNHURRIED = 3600.0
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


@dataclass
class Reader:
    """Somebody who follows a page in a folder; `pytest` runs the tests there: what was printed, and the exit code."""

    folder: Path
    pytest: Callable[[list[str]], tuple[str, int]]
    code: int = 0

    def run(self, command: str) -> str:
        """What a command prints on standard output."""
        words = shlex.split(command)
        match words:
            case ["echo", "$?"]:
                return f"{self.code}\n"
            case ["pytest", *rest]:
                out, self.code = self.pytest(rest)
            case ["dp-audit", *rest]:
                with forgetting(self.folder), mock.patch("auditor.doors.cli.run.MEASURED", UNHURRIED):
                    out, self.code = printed(lambda: main(rest))
            case ["python", file, *_]:
                with forgetting(self.folder), mock.patch.object(sys, "argv", words[1:]):
                    out, self.code = printed(lambda: runpy.run_path(file, run_name="__main__") and 0)
            case _:
                done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
                out, self.code = done.stdout, done.returncode
        return out


def printed(work: Callable[[], int]) -> tuple[str, int]:
    """What a function prints, in a terminal of 80 columns, and what it returns; with its error where it has one (2)."""
    out, err = io.StringIO(), io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = work()
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(COLUMNS=before)
    return out.getvalue() + (err.getvalue() if code == 2 else ""), code


@contextlib.contextmanager
def forgetting(folder: Path) -> Iterator[None]:
    """Modules of the folder are imported anew next time: their files may have changed, within a second too."""
    path = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        with mock.patch.object(sys, "dont_write_bytecode", True):
            yield
    finally:
        sys.path[:] = path
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


def follow(text: str, reader: Reader) -> str:
    """The page with the output that was really printed; everything else as it was."""
    names: dict[str, Any] = {"__name__": "page"}
    said = ""

    def block(found: re.Match[str]) -> str:
        nonlocal said
        language, title, inside = found.groups()
        if title is not None:
            file = reader.folder / title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(inside, encoding="utf-8")
        elif language == "python":
            said, _ = printed(lambda: exec(compile(inside, "page", "exec"), names) or 0)
        elif language == "output":
            return _with(found, shown(inside, said))
        elif language == "console":
            return _with(found, _session(inside, reader))
        return found[0]

    return BLOCK.sub(block, text)


def _with(found: re.Match[str], inside: str) -> str:
    start, end = found.start(3) - found.start(), found.end(3) - found.start()
    return found[0][:start] + inside + found[0][end:]


def _session(text: str, reader: Reader) -> str:
    """Commands, each followed by what it prints."""
    parts = re.split(r"^(\$ .*\n)", text, flags=re.MULTILINE)
    out = [parts[0]]
    for command, old in zip(parts[1::2], parts[2::2], strict=True):
        out += [command, shown(old, reader.run(command[2:].strip()))]
    return "".join(out)


def shown(old: str, new: str) -> str:
    """The new text; the old one where they differ in times alone, or in lines that it leaves out."""
    new = "".join(f"{line.rstrip()}\n" for line in new.strip("\n").splitlines())
    if timeless(old).split() == timeless(new).split():  # a longer time may break a line elsewhere
        return old
    if "…\n" in old.splitlines(keepends=True):
        pieces = [re.escape(timeless(piece)) for piece in re.split(r"^…\n", old, flags=re.MULTILINE)]
        if re.fullmatch(r"(?:.*\n)*?".join(pieces), timeless(new)):
            return old
    return new


def timeless(text: str) -> str:
    """Without times, and without our version."""
    return re.sub(r"dp-audit \d+\.\d+\.\w+", "dp-audit", re.sub(r"(?:\d+ min )?\d+(?:\.\d+)? ?m?s\b", "0 s", text))
