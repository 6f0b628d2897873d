"""A progress bar for audits in notebooks, as rich shows them there; plain lines where it cannot."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from auditor.pace import Pace


@dataclass(frozen=True)
class Tempo:
    """How often a display shows something, in seconds."""

    first: float = 1.0  # seconds from the start of an audit to the first thing shown
    lines: float = 5.0  # seconds between two plain lines
    asked: float = 0.5  # seconds between two questions for what is certified


TEMPO = Tempo()


def in_notebook() -> bool:
    """Whether this is a kernel that a notebook talks to."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def listener(progress: Any, name: str) -> Any:
    """What an audit reports its progress to: what was given; a display for True, and by default in a notebook."""
    wanted = in_notebook() if progress is None else progress
    return Display(name) if wanted is True else None if wanted is False else progress


class Display:
    """Draws, rate, time left and what is certified so far; a bar where rich can show one, else a line now and then."""

    def __init__(
        self,
        name: str,
        bar: bool | None = None,
        say: Callable[[str], None] | None = None,
        tempo: Tempo = TEMPO,
    ) -> None:
        self.name = name
        self.bar: Any = None  # the bar of rich, while it is shown
        self.tempo = tempo
        self._bars = _can_show_bars() if bar is None else bar
        self._say = say or _line
        self._pace = Pace()
        self._ask: Callable[[], float] | None = None
        self._certified: float | None = None
        self._began = self._asked = self._spoken = time.monotonic()
        self._task: Any = None

    def follow(self, certified: Callable[[], float]) -> None:
        """Where to ask for the epsilon that is certified so far."""
        self._ask = certified

    def slow(self, sentence: str) -> None:
        """A sentence that stays."""
        self._say(f"{self.name}: {sentence}")

    def __call__(self, done: int, total: int) -> None:
        """Shows that `done` of `total` draws are made."""
        now = time.monotonic()
        self._pace.seen(done, total)
        if now - self._began < self.tempo.first:
            return
        if self._ask is not None and now - self._asked >= self.tempo.asked:
            self._asked, self._certified = now, self._ask()
        words = self._pace.words(self._certified)
        if self._bars:
            self._update(words, done, total)
        elif now - self._spoken >= self.tempo.lines:
            self._spoken = now
            self._say(f"{self.name}: {words}")

    def _update(self, words: str, done: int, total: int) -> None:
        from rich.markup import escape
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        if self.bar is None:
            columns = TextColumn("{task.fields[name]}"), BarColumn(bar_width=20), TextColumn("{task.description}")
            self.bar = Bar(*columns, transient=True)
            self._task = self.bar.add_task("", total=total, name=escape(self.name[-40:]))
            self.bar.start()
        self.bar.update(self._task, description=escape(words), completed=done, total=total)

    def close(self) -> None:
        """The audit is over, and its bar is taken away."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def _can_show_bars() -> bool:
    """Whether rich can show a bar: in a notebook it needs ipywidgets, elsewhere a terminal."""
    if in_notebook():
        return importlib.util.find_spec("ipywidgets") is not None
    return bool(sys.stderr.isatty())


def _line(text: str) -> None:
    from auditor.escaping import logged

    with contextlib.suppress(OSError, ValueError):
        print(logged(text), file=sys.stderr, flush=True)
