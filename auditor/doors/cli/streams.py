"""Standard output and error that never end a run: a reader that has left, a full disk, a terminal without Unicode.

What is lost on the way is remembered, so that the exit code can tell. Text that is not ours is escaped before it is
printed here.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import traceback
from typing import TYPE_CHECKING, TextIO

from auditor.escaping import logged, printable

if TYPE_CHECKING:
    from rich.console import Console

UTF8 = ("json", "html", "junit", "sarif", "badge")  # formats that are UTF-8 wherever they go
_PLAIN = {"∞": "inf", "−": "-", "–": "-", "—": "-", "…": "...", "·": "-", "⊥": "none", "ε": "epsilon", "δ": "delta"}
_PLAIN |= {"α": "alpha", "≤": "<=", "≥": ">=", "×": "x", "“": '"', "”": '"', "’": "'", "é": "e", "━": "-", "─": "-"}


def say(text: str, file: TextIO | None = None) -> None:
    """One line, on standard error unless another stream is given; whatever is in it stays on that line."""
    with contextlib.suppress(OSError, ValueError):  # closed, or gone
        print(logged(text), file=sys.stderr if file is None else file, flush=True)


def say_traceback(error: BaseException) -> None:
    """The traceback of an error, for --debug; its lines cannot command a CI server or a terminal."""
    for row in "".join(traceback.format_exception(error)).splitlines():
        indent = len(row) - len(row.lstrip())
        with contextlib.suppress(OSError, ValueError):
            print(" " * indent + logged(row), file=sys.stderr)


def emit(text: str, format_name: str) -> None:
    """A whole document on standard output: in UTF-8 where it says so itself, else as the terminal can show it."""
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair, as in an odd file name, is no text
    text = printable(text if text.endswith("\n") else text + "\n", format_name)
    buffer = getattr(sys.stdout, "buffer", None)
    if format_name in UTF8 and buffer is not None:
        sys.stdout.flush()
        buffer.write(text.encode("utf-8", "replace"))
        buffer.flush()
    else:
        sys.stdout.write(text)


def console(stderr: bool = False) -> Console:
    """Where tables go: in colours on a terminal, and not where NO_COLOR is set (no-color.org)."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(
        stderr=stderr,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        color_system=None if plain else "auto",
    )


class Lossy(io.RawIOBase):
    """Bytes to a file descriptor. A write that fails is remembered, and so are all after it; none raises."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """True, always."""
        return True

    def fileno(self) -> int:
        """The file descriptor of the stream itself."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether people look at it."""
        return os.isatty(self._descriptor)

    def write(self, data: object) -> int:
        """Writes all of the data; after a failed write nothing is written any more."""
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        start = 0
        try:
            while self.failure is None and start < len(view):
                start += os.write(self._descriptor, view[start:])
        except BlockingIOError:
            os.set_blocking(self._descriptor, True)
            return self.write(view[start:]) + start
        except OSError as error:
            self.failure = error
        return len(view)


def guard() -> Lossy:
    """Puts such streams in the place of sys.stdout and sys.stderr; the one of standard output is returned."""
    with contextlib.suppress(LookupError, ValueError):
        codecs.register_error("dp-audit", _fallback)
    for descriptor in range(3):  # a closed one would be given to the next file that is opened
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    out = Lossy(1)
    sys.stdout = _text(sys.stdout, out)
    sys.stderr = _text(sys.stderr, Lossy(2))
    return out


def _text(before: TextIO | None, raw: Lossy) -> io.TextIOWrapper:
    encoding = getattr(before, "encoding", None) or "utf-8"
    if before is not None:
        with contextlib.suppress(OSError, ValueError):
            before.flush()
    lines = raw.isatty() or raw.fileno() == 2 or bool(getattr(before, "write_through", False))
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="dp-audit", line_buffering=lines, newline=None
    )


def _fallback(error: UnicodeError) -> tuple[str, int]:
    """The nearest that can be shown, for characters that the encoding of a terminal lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(letter, "?") for letter in error.object[error.start : error.end]), error.end
