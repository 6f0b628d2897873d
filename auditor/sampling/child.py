"""Programs that answer one line with one line: started when first asked, kept for the next question, ended at exit.

Each worker process, and each thread that asks at the same time as another, has a program of its own.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import util
from typing import IO, TypeVar

from auditor.errors import MechanismError

MOST_IDLE = 16  # most programs that wait for a question; beyond, the one that has waited longest is ended
_LONGEST = 2**28  # most bytes of an answer
MOST_SHOWN = 2000  # last bytes of a program's stderr that an error shows
_AT_ONCE = 2**18  # bytes that are read at once
_GRACE = 1.0  # seconds for which a program is waited for when it is ended

Read = TypeVar("Read")


@dataclass(frozen=True)
class Start:
    """What is started: the program with its arguments, its folder, and variables beside those of this process."""

    argv: tuple[str, ...]
    cwd: str | None
    env: tuple[tuple[str, str], ...]

    def files(self) -> tuple[tuple[int, int] | None, ...]:
        """Time and size of each word that is a file: a program that was edited must be started again."""
        return tuple(_time_and_size(os.path.join(self.cwd or "", word)) for word in self.argv)


def _time_and_size(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


class ProgramGoneError(RuntimeError):
    """The program ended without an answer."""


def ask(start: Start, question: bytes, read: Callable[[bytes], Read]) -> Read:
    """What `read` makes of the program's answer, a line.

    A program that has answered before and is gone is started again, and asked again. One whose answer cannot be
    read is ended: its next line might be an answer to this question still.
    """
    there = _taken(start)
    try:
        return _answered(there, question, read)
    except ProgramGoneError:
        if not there.answered:
            raise there.gone() from None
    there = Child(start)
    try:
        return _answered(there, question, read)
    except ProgramGoneError:
        raise there.gone() from None


def _answered(there: Child, question: bytes, read: Callable[[bytes], Read]) -> Read:
    try:
        found = read(there.answer(question))
    except BaseException:  # it died, said too much, or was interrupted
        there.end()
        raise
    _given_back(there)
    return found


class Child:
    """A program that runs, and answers one question after the other."""

    def __init__(self, start: Start) -> None:
        self.start, self.files, self.answered, self.killed = start, start.files(), 0, False
        self.process = _started(start)
        self.at_exit = util.Finalize(None, self.end, exitpriority=20)  # runs in worker processes, too
        self.tail = bytearray()
        self.listener = threading.Thread(target=_listen, args=(_pipe(self.process.stderr), self.tail), daemon=True)
        self.listener.start()

    def answer(self, question: bytes) -> bytes:
        """Its answer; ProgramGoneError where it has ended instead."""
        self._check_silent()
        try:
            asked = _pipe(self.process.stdin)
            asked.write(question)
            asked.flush()
            line = self._line()
        except OSError as error:
            raise ProgramGoneError from error
        self.answered += 1
        return line

    def _check_silent(self) -> None:
        """A line that nobody asked for would be taken for the answer to the next question."""
        told = _pipe(self.process.stdout).fileno()
        if os.name == "posix" and select.select([told], [], [], 0)[0] and (said := os.read(told, _AT_ONCE)):
            raise self._babble(said)

    def _babble(self, said: bytes) -> MechanismError:
        shown = said[:60].decode(errors="replace")
        return MechanismError(f"{self.name} must answer each line with one line, got more than that: {shown!r}")

    def _line(self) -> bytes:
        """One line of its output, and nothing after it: who says more than was asked mixes up its answers."""
        told, parts, size = _pipe(self.process.stdout).fileno(), [], 0
        while part := os.read(told, _AT_ONCE):
            line, end, rest = part.partition(b"\n")
            parts.append(line)
            size += len(line)
            if end and rest.strip():
                raise self._babble(rest)
            if end:
                return b"".join(parts)
            if size > _LONGEST:
                raise MechanismError(f"{self.name} must answer with one line, got {size:,} bytes without an end")
        raise ProgramGoneError

    @property
    def name(self) -> str:
        """The command as one would type it."""
        return shlex.join(self.start.argv)

    def gone(self) -> MechanismError:
        """How it ended, and what it said last."""
        code, said = self.process.returncode, self.tail.decode(errors="replace").strip()
        how = f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
        how = "closed its output" if self.killed else how
        what = f"its stderr ends with:\n{said}" if said else "it wrote nothing to stderr"
        return MechanismError(f"{self.name} must answer each line and wait for the next, but it {how}; {what}")

    def end(self) -> None:
        """Closes its input, at which it should end by itself, and kills it where it does not."""
        self.at_exit.cancel()
        with contextlib.suppress(OSError):
            _pipe(self.process.stdin).close()
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.killed = True
            self.process.kill()
            self.process.wait()
        self.listener.join(_GRACE)  # it does not end while a child of the program keeps the pipe open
        _pipe(self.process.stdout).close()


def _started(start: Start) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            start.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=start.cwd,
            env={**os.environ, **dict(start.env)},
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise MechanismError(
            f"a command must name a program that can be started, got {start.argv[0]!r}: {why}; give its path, or "
            "install it"
        ) from error


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # each of the three was asked for
    return pipe


def _listen(pipe: IO[bytes], tail: bytearray) -> None:
    """Keeps the end of what the program says on stderr; a full pipe would stop it."""
    with pipe:
        while said := os.read(pipe.fileno(), _AT_ONCE):
            tail += said
            del tail[:-MOST_SHOWN]


IDLE: deque[Child] = deque()  # those that wait for a question, the one that has waited longest first


def _taken(start: Start) -> Child:
    """A program that lives, is as its files are now, and that nobody else talks to."""
    for there in list(IDLE):
        if there.start == start:
            try:
                IDLE.remove(there)
            except ValueError:  # another thread was faster
                continue
            if there.process.poll() is None and there.files == start.files():
                return there
            there.end()
    return Child(start)


def _given_back(there: Child) -> None:
    IDLE.append(there)
    if len(IDLE) > MOST_IDLE:
        with contextlib.suppress(IndexError):
            IDLE.popleft().end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=IDLE.clear)  # a fork must not talk to its parent's programs
