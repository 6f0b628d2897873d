"""Files on disk: written whole or not at all. Only regular files are replaced; nothing else is."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from auditor.errors import UsageError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFBLK: "a disk",
    stat.S_IFCHR: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
_THROUGH = (stat.S_IFCHR, stat.S_IFIFO)  # what a text may be written into: terminals, /dev/null, pipes
_HANDLES = ("/dev/", "/proc/")  # names of what a process has open: to be written into, never replaced


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a file whole or not at all: an interrupted or failed write leaves the old file as it was.

    A symbolic link stays one: the file that it points to is written. A device or a pipe is written into; a disk, a
    socket or a folder is refused.
    """
    data = text.encode("utf-8", "replace")
    try:
        kind = _kind(path)
        if kind in _THROUGH or (kind is not None and os.fspath(path).startswith(_HANDLES)):
            _write_into(path, data)
        elif kind in (None, stat.S_IFREG):
            _replace(Path(os.path.realpath(path)), data)
        else:
            raise UsageError(f"a file must be written to a regular file, got {str(path)!r}, {_KINDS.get(kind, kind)}")
    except UsageError:
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!r} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def check_regular(path: str | os.PathLike[str], what: str) -> None:
    """A UsageError where something stands at `path` that is no regular file, such as a device or a pipe."""
    try:
        kind = _kind(path)
    except (OSError, ValueError):
        return  # told when it is opened
    if kind not in (None, stat.S_IFREG):
        raise UsageError(f"{str(path)!r} cannot be {what}: that must be a regular file, got {_KINDS.get(kind, kind)}")


@contextlib.contextmanager
def held(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Keeps a folder for this process: a second one that asks for it meanwhile gets a UsageError.

    The lock is the system's own (flock on the folder): it ends with the process, and leaves no file behind. Where the
    system or the file system has none, nothing is locked.
    """
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with contextlib.suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UsageError(
                    f"two runs must not write to one folder at a time, got {str(folder)!r}, which another run of "
                    "dp-audit is using; wait for it, or name another folder"
                ) from error
        yield
    finally:
        os.close(handle)


def _kind(path: str | os.PathLike[str]) -> int | None:
    """What stands there, behind any links; None for nothing."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except FileNotFoundError:
        return None


def _write_into(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes into a device or pipe. It is opened without waiting, so that a pipe that nobody reads is an error."""
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    with open(handle, "wb") as file:
        os.set_blocking(handle, True)
        file.write(data)


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less what the umask forbids
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) & 0o777)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
