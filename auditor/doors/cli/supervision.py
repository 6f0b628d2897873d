"""Runs a command that executes someone else's code in a process of its own, and answers for its exit code.

Audited code may call os._exit, crash the interpreter or never return. The process that judges it is therefore not the
one that the shell waits for: a child does the work and tells its exit code, once the verdict is out, through a pipe.
Without that word the exit code is 2, never 0. An audit in which the child ends is an error; a new child goes on with
the audits after it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from auditor.doors.cli.journal import Heard, Journal
from auditor.doors.cli.streams import say

Work = Callable[[Journal], int]
_GLANCE = 0.2  # seconds between two looks at whether the child lives: its own children may hold its pipe open
_SAME_INTERRUPT = 1.0  # a second SIGINT within so many seconds is the same one: a terminal sends it to both
_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP")
BROKEN = 2


def supervised(work: Work) -> int:
    """The exit code of `work`, which is done in a child where the system can fork; elsewhere it is done here."""
    if not hasattr(os, "fork"):
        return work(Journal())
    heard = Heard()
    while True:
        sys.stdout.flush()
        sys.stderr.flush()
        reading, writing = os.pipe()
        parent = os.getpid()
        _hold_signals(signal.SIG_BLOCK)  # until parent and child have said what to do with one
        child = os.fork()
        if child == 0:
            os.close(reading)
            return _as_child(work, Journal(writing, before=heard), parent)
        os.close(writing)
        status, stopped_by = _watch(child, reading, heard)
        if heard.code is not None:
            return heard.code
        if stopped_by is not None:
            return 128 + stopped_by
        why = _why(status, heard)
        if heard.running is None:
            say(f"dp-audit: {heard.doing} {why}; there is no verdict")
            return BROKEN
        heard.entries.append({"lost": heard.running, "reason": f"{heard.running} {why}"})
        heard.running, heard.deadline = None, float("inf")


def _as_child(work: Work, journal: Journal, parent: int) -> int:
    """Does the work and tells the exit code; the caller leaves the interpreter as usual."""
    last = -_SAME_INTERRUPT

    def interrupt(*_: object) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before >= _SAME_INTERRUPT:
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    _hold_signals(signal.SIG_UNBLOCK)
    _die_with(parent)
    code = work(journal)
    sys.stdout.flush()
    sys.stderr.flush()
    journal.tell(code=code)
    return code


def _hold_signals(how: int) -> None:
    """Holds back the signals that are forwarded, or lets them come: one between fork and handlers would be lost."""
    signal.pthread_sigmask(how, {getattr(signal, name) for name in _FORWARDED})


def _die_with(parent: int) -> None:
    """On Linux the child is killed when its parent is, so that nobody goes on writing to a checkpoint unseen."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(BROKEN)


def _watch(child: int, reading: int, heard: Heard) -> tuple[int | None, int | None]:
    """Listens until the child has ended: its exit code (None after a time limit), and a signal that was sent to us."""
    buffer, listening, late, code = b"", True, False, None
    with _forwarding(child) as signals, open(reading, "rb", buffering=0) as pipe:
        while code is None or listening:
            if listening and select.select([pipe], [], [], 0 if code is not None else _GLANCE)[0]:
                data = pipe.read(2**16) or b""
                listening = bool(data)
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    with contextlib.suppress(ValueError):  # nothing of ours: audited code wrote there
                        heard.hear(json.loads(line))
            elif code is not None:
                break  # someone else still holds the pipe open
            if code is None:
                code = _ended(child, wait=not listening and heard.deadline == float("inf"))
            if code is None and not late and time.monotonic() >= heard.deadline:
                os.kill(child, signal.SIGKILL)
                late = True
    return (None if late else code), (signals[-1] if signals else None)


def _ended(child: int, wait: bool) -> int | None:
    """The child's exit code, negative for a signal; None while it lives."""
    if not wait:
        time.sleep(0.001)
    process, status = os.waitpid(child, 0 if wait else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if process else None


@contextlib.contextmanager
def _forwarding(child: int) -> Iterator[list[int]]:
    """Hands on to the child what someone sends to us: the child ends as it sees fit, and we after it."""
    received: list[int] = []

    def forward(number: int, _: object) -> None:
        received.append(number)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    before: dict[int, Any] = {}
    for name in _FORWARDED:
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, forward)
    _hold_signals(signal.SIG_UNBLOCK)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _why(code: int | None, heard: Heard) -> str:
    """How the child ended: the rule, and what was found."""
    if code is None:
        return f"must finish within the time limit, got {heard.limit:g} seconds without an end"
    name = f"signal {-code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
    ended = f"an exit with code {code} (os._exit?)" if code >= 0 else f"a crash ({name})"
    return f"must leave its process running, got {ended}"
