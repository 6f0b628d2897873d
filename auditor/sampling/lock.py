"""A lock between processes that write the same file."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from auditor.errors import UsageError

PATIENCE = 30.0  # seconds to wait for another process that writes
_GLANCE = 0.01  # seconds between two looks


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """While this lasts, no other process of ours writes into the same folder.

    The folder is locked, not the file, which each write replaces. On a system without such locks there is none.
    """
    try:
        import fcntl  # noqa: F401

        folder = os.open(path.parent, os.O_RDONLY)
    except (ImportError, OSError):  # nowhere to write: writing itself will say so
        yield
        return
    try:
        until = time.monotonic() + PATIENCE
        while not _locked(folder):
            if time.monotonic() > until:
                raise UsageError(
                    f"{str(path)!r} must be free to be written, got a lock of another process for {PATIENCE:g} "
                    "seconds; name another file, or end that process"
                )
            time.sleep(_GLANCE)
        yield
    finally:
        os.close(folder)


def _locked(folder: int) -> bool:
    """Takes the lock if it is free; a file system that knows no locks counts as free."""
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(folder, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
