"""Colours on a terminal only, and not where NO_COLOR is set: asked of the command itself on a pseudo-terminal."""

import os

import pytest
from prepared import Prepared

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")


def on_a_terminal(prepared: Prepared, **more: str) -> str:
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80"} | more
    process = prepared.start("list", env=environment, streams=(theirs, theirs, None))
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


def test_colours_are_for_terminals_and_can_be_turned_off(prepared: Prepared) -> None:
    coloured = on_a_terminal(prepared)
    assert "\x1b[2m" in coloured
    plain = on_a_terminal(prepared, NO_COLOR="1")
    assert "\x1b" not in plain
    code, piped, _ = prepared.run("list", env=os.environ | {"COLUMNS": "80"})
    assert code == 0
    assert "\x1b" not in piped
    assert plain.replace("\r\n", "\n") == piped
