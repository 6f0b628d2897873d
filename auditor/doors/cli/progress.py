"""A bar on a terminal, a line now and then elsewhere, nothing when only machine output is wanted."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from auditor.doors.cli.streams import console, say
from auditor.escaping import logged

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

EVERY = 5.0  # seconds between plain lines


class Progress:
    """Use as a context; writes to stderr."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._spoken = time.monotonic()

    def __enter__(self) -> Progress:
        if not self._quiet and sys.stderr.isatty():
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                TextColumn("{task.percentage:>3.0f} %"),
            )
            self._bar = Bar(*columns, TimeElapsedColumn(), console=console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, words: str, done: int, total: int) -> None:
        """How far the work has come; may be called often."""
        if self._bar is not None:
            from rich.markup import escape

            if self._task is None:
                self._task = self._bar.add_task("", total=total)
            self._bar.update(self._task, description=escape(logged(words)[-40:]), completed=done, total=total)
        elif not self._quiet and time.monotonic() - self._spoken >= EVERY:
            self.line(f"{words}: {100 * done // max(1, total)} %")

    def line(self, text: str) -> None:
        """A line that stays."""
        self._spoken = time.monotonic()
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.console.print(logged(text), markup=False, highlight=False)
        else:
            say(text)
