"""Colours on a terminal only, and not where NO_COLOR is set: asked of the command itself on a pseudo-terminal."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")

COMMAND = [sys.executable, "-m", "auditor.doors.cli", "list"]


def on_a_terminal(**more: str) -> str:
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        COMMAND, stdin=theirs, stdout=theirs, env=environment | {"TERM": "xterm-256color", "COLUMNS": "80"} | more
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


def test_colours_are_for_terminals_and_can_be_turned_off() -> None:
    coloured = on_a_terminal()
    assert "\x1b[2m" in coloured
    plain = on_a_terminal(NO_COLOR="1")
    assert "\x1b" not in plain
    piped = subprocess.run(COMMAND, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"})
    assert "\x1b" not in piped.stdout
    assert plain.replace("\r\n", "\n") == piped.stdout
