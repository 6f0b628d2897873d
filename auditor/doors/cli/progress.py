"""A bar on a terminal, a line now and then elsewhere, nothing when only machine output is wanted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from auditor.doors.cli.streams import console, say
from auditor.escaping import logged
from auditor.pace import Pace

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_BAR, _NAME = 8, 18  # columns of the bar and of the name: with 80 in all, the words have room
EVERY = 5.0  # seconds between plain lines
ASKED = 0.5  # seconds between two questions for what is certified so far


class Progress:
    """Shows on stderr how far the work has come; it is used in a `with` statement."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._spoken = time.monotonic()

    def __enter__(self) -> Progress:
        if not self._quiet and sys.stderr.isatty():
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=_BAR),
                TextColumn("{task.percentage:>3.0f} %"),
                TextColumn("{task.fields[words]}"),
            )
            self._bar = Bar(*columns, console=console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def on_bar(self) -> bool:
        """Whether what is told stands beside a bar, on one line of the terminal."""
        return self._bar is not None

    def of(self, name: str) -> AuditProgress:
        """What one audit tells: draws, rate, time left, what is certified so far."""
        return AuditProgress(name, self)

    def update(self, words: str, done: int, total: int, pace: Callable[[], str] = str) -> None:
        """How far the work has come; may be called often. `pace` says more, and is asked only where that is shown."""
        if self._bar is not None:
            from rich.markup import escape

            if self._task is None:
                self._task = self._bar.add_task("", total=total, words="")
            name = logged(words)
            name = escape(name if len(name) <= _NAME else f"…{name[1 - _NAME :]}")
            self._bar.update(self._task, description=name, completed=done, total=total, words=escape(pace()))
        elif not self._quiet and time.monotonic() - self._spoken >= EVERY:
            self.line(", ".join(part for part in (f"{words}: {100 * done // max(1, total)} %", pace()) if part))

    def line(self, text: str) -> None:
        """A line that stays."""
        self._spoken = time.monotonic()
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.console.print(logged(text), markup=False, highlight=False)
        else:
            say(text)


class AuditProgress:
    """The progress of one audit, as `audit(progress=…)` takes it."""

    def __init__(self, name: str, shown: Progress) -> None:
        self._name, self._shown, self._pace = name, shown, Pace()
        self._ask: Callable[[], float] | None = None
        self._asked = -ASKED
        self._certified: float | None = None

    def __call__(self, done: int, total: int) -> None:
        """Shows that `done` of `total` draws are made."""
        self._pace.seen(done, total)
        self._shown.update(self._name, done, total, self._words)

    def follow(self, certified: Callable[[], float]) -> None:
        """Where to ask for the epsilon that is certified so far."""
        self._ask = certified

    def slow(self, sentence: str) -> None:
        """A sentence that stays."""
        self._shown.line(f"{self._name}: {sentence}")

    def _words(self) -> str:
        now = time.monotonic()
        if self._ask is not None and now - self._asked >= ASKED:
            self._asked, self._certified = now, self._ask()
        return (self._pace.brief if self._shown.on_bar else self._pace.words)(self._certified)
