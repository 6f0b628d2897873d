"""A process in which a mechanism is called when there is a time limit: what hangs there can be ended.

One process, one pipe, one question at a time: nothing is shared with it that a crash could leave locked.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from collections.abc import Callable
from multiprocessing import util
from multiprocessing.connection import Connection, wait
from typing import Any

from auditor.errors import MechanismError
from auditor.sampling.pickling import pickled

_GLANCE = 1.0  # seconds between two looks at whether the process lives: its children may hold its pipes open
_STARTING = 120.0  # seconds within which a process must have started, on a busy machine


class GoneError(RuntimeError):
    """The process ended without an answer."""


class KillableProcess:
    """One process, started at once and again after a crash; later audits use it again."""

    def __init__(self) -> None:
        _IDLE.append(_taken())  # the time limit is the mechanism's, and starting is not its work

    def run(self, seconds: float | None, function: Callable[..., Any], *arguments: Any) -> Any:
        """`function(*arguments)` in there. After `seconds` a TimeoutError, and the process is gone."""
        try:
            data = pickled((function, arguments))
        except Exception as error:
            raise MechanismError(
                "with a time limit a mechanism must be one that can be sent to another process; give no "
                f"time_limit, or keep locks, connections and open files out of it ({error})"
            ) from error
        there = _taken()
        try:
            fine, value = pickle.loads(there.answer(data, seconds))  # what `_answer` pickled in our own process
        except BaseException:  # hung, crashed or interrupted
            there.end()
            raise
        _IDLE.append(there)
        if not fine:
            raise value
        return value


class _Process:
    """A process that answers one question after the other."""

    def __init__(self) -> None:
        from joblib.externals.loky.backend import get_context

        context = get_context("loky")  # a fresh interpreter, as joblib starts it: the main module does not run again
        self.line, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other,))
        self.process.start()
        other.close()
        self.at_exit = util.Finalize(None, self.end, exitpriority=10)  # before multiprocessing waits for its processes
        try:
            self._heard(_STARTING)
        except BaseException:
            self.end()
            raise

    def answer(self, question: bytes, seconds: float | None) -> bytes:
        """Its answer, a TimeoutError, or GoneError."""
        try:
            self.line.send_bytes(question)
        except OSError as error:
            raise self._gone() from error
        return self._heard(seconds)

    def _heard(self, seconds: float | None) -> bytes:
        until = float("inf") if seconds is None else time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            wait([self.line, self.process.sentinel], max(0.0, min(_GLANCE, left)))
            try:
                if self.line.poll():
                    return bytes(self.line.recv_bytes())
            except (EOFError, OSError) as error:
                raise self._gone() from error
            if not self.process.is_alive():
                raise self._gone()
            if left <= 0:
                raise TimeoutError

    def _gone(self) -> GoneError:
        self.process.join(_GLANCE)
        return GoneError(f"its process ended with exit code {self.process.exitcode}")

    def end(self) -> None:
        """Kills it, and whatever it has started."""
        from joblib.externals.loky.backend.utils import kill_process_tree

        self.at_exit.cancel()
        if self.process.is_alive():
            kill_process_tree(self.process)
        self.line.close()


_IDLE: list[_Process] = []  # those that wait for a question


def _taken() -> _Process:
    """A process that lives, and that nobody else talks to."""
    while _IDLE:
        with contextlib.suppress(IndexError):  # another thread was faster
            there = _IDLE.pop()
            if there.process.is_alive():
                return there
            there.end()
    return _Process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE.clear)  # a fork must not talk to its parent's processes


def _serve(line: Connection) -> None:
    """What the process does until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt from the keyboard is the parent's to handle
    with contextlib.suppress(EOFError, OSError):
        line.send_bytes(b"here")
        while True:
            line.send_bytes(_answer(line.recv_bytes()))


def _answer(question: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(question)
        return pickled((True, function(*arguments)))
    except BaseException as error:
        with contextlib.suppress(Exception):
            return pickled((False, error))
        return pickled((False, RuntimeError(f"{type(error).__name__}: {error}")))
