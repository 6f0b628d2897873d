"""What the process that runs audited code tells the one that watches over it: one JSON object a line, in a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Heard:
    """What was told so far, by all processes that have worked on this run."""

    entries: list[dict[str, Any]] = field(default_factory=list)  # finished audits, in order
    running: str | None = None  # the audit that is under way
    doing: str = "the audited code"  # what the process is doing, in words
    limit: float | None = None  # seconds that the audit under way may take
    deadline: float = float("inf")  # on this machine's monotonic clock
    code: int | None = None  # the exit code: the verdict is out

    def hear(self, told: Any) -> None:
        """Takes one message; a message that is not ours is passed over."""
        match told:
            case {"doing": str(words), "within": int() | float() | None as seconds}:
                self.doing, self.limit = words, seconds
                self.deadline = float("inf") if seconds is None else time.monotonic() + seconds
            case {"audit": str(identifier)}:
                self.running = identifier
            case {"finished": dict(entry)}:
                self.entries.append(entry)
                self.running = None
            case {"code": int(code)}:
                self.code = code


@dataclass(frozen=True)
class Journal:
    """The telling side. Without a pipe it tells nobody: then nothing watches over the process."""

    pipe: int | None = None
    owner: int = field(default_factory=os.getpid)
    before: Heard = field(default_factory=Heard)  # what earlier processes of this run have finished

    def tell(self, **message: Any) -> None:
        """Sends a message at once; a copy of the process that audited code has made stays silent."""
        if self.pipe is None or os.getpid() != self.owner:
            return
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.pipe, data) :]

    @contextlib.contextmanager
    def within(self, seconds: float | None, words: str) -> Iterator[None]:
        """Work that must end within so many seconds, or the process is ended."""
        self.tell(doing=words, within=seconds)
        yield
        self.tell(doing="the audited code", within=None)

    @contextlib.contextmanager
    def audit(self, identifier: str, seconds: float | None) -> Iterator[None]:
        """One audit, which is lost if the process ends in it."""
        self.tell(audit=identifier)
        with self.within(seconds, f"auditing {identifier!r}"):
            yield

    def finished(self, entry: Mapping[str, Any]) -> None:
        """The audit is over."""
        self.tell(finished=entry)
