"""Real processes without their start-up: a process that has imported everything forks, and its copy is the new one.

Starting Python and importing numpy and scipy is most of what a short command costs. What is tested in the copy is what
the shell would run: a process of its own, with its own folder, environment, streams, signals and exit code, which
leaves through the interpreter's exit. A process that stays between the two starts the copy, waits for it, and tells
how it ended. Whoever tests the start itself (what it imports, streams that are closed) starts the command instead.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import IO, Any

import psutil

OURS = ("auditor", "mechanisms", "reports")
THEIRS = (
    "jinja2",
    "joblib",
    "jsonschema.validators",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "rich.table",
    "scipy.integrate",
    "scipy.optimize",
)


class Started:
    """A process: a command of dp-audit, or a program. Its two streams are files unless others were given."""

    def __init__(self, order: dict[str, Any], listening: socket.socket, streams: tuple[Any, Any, Any]) -> None:
        self._folder = Path(order["folder"])
        self.returncode: int | None = None
        self._waiting, theirs = socket.socketpair()
        opened = [
            stream if isinstance(stream, int) else os.open(*place)
            for stream, place in zip(streams, _places(order["folder"]), strict=True)
        ]
        text = json.dumps(order).encode() + b"\n"
        sent = socket.send_fds(listening, [text], [theirs.fileno(), *opened])
        listening.sendall(text[sent:])
        theirs.close()
        for descriptor, stream in zip(opened, streams, strict=True):
            if not isinstance(stream, int):
                os.close(descriptor)
        self._told = self._waiting.makefile("r", encoding="ascii")
        self.pid = int(self._told.readline())

    @property
    def out(self) -> str:
        """What it has printed so far; nothing where another stream was given."""
        return self._text("out")

    @property
    def err(self) -> str:
        """What it has printed on standard error so far."""
        return self._text("err")

    def _text(self, name: str) -> str:
        path = self._folder / name
        return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""

    def wait(self, timeout: float = 100) -> int:
        """The exit code, as subprocess has it; a process that takes too long is killed."""
        if self.returncode is None:
            self._waiting.settimeout(timeout)
            try:
                self.returncode = int(self._told.readline())
            except TimeoutError:
                self.send_signal(signal.SIGKILL)
                raise subprocess.TimeoutExpired(str(self.pid), timeout) from None
            finally:
                self._told.close()
                self._waiting.close()
        return self.returncode

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return psutil.pid_exists(self.pid)

    def send_signal(self, number: int) -> None:
        """To this process alone."""
        os.kill(self.pid, number)


class Prepared:
    """Starts commands and programs. Close it when done."""

    def __init__(self) -> None:
        root = Path(__file__).resolve().parents[1]
        environment = os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        self._listening, theirs = socket.socketpair()
        argv = [sys.executable, __file__, str(theirs.fileno())]
        self._process = subprocess.Popen(argv, env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        self._folders: list[tempfile.TemporaryDirectory[str]] = []

    def start(
        self,
        *arguments: str,
        code: str | None = None,
        cwd: Any = None,
        env: Any = None,
        streams: tuple[Any, Any, Any] = (None, None, None),
    ) -> Started:
        """dp-audit with these arguments, or a program: its text is `code`, as after `python -c`."""
        self._folders.append(tempfile.TemporaryDirectory())
        order = {
            "arguments": arguments,
            "code": code,
            "cwd": os.fspath(cwd or os.getcwd()),
            "env": dict(os.environ if env is None else env),
            "umask": current_umask(),
            "folder": self._folders[-1].name,
        }
        return Started(order, self._listening, streams)

    def run(self, *arguments: str, timeout: float = 100, **options: Any) -> tuple[int, str, str]:
        """Exit code, standard output and standard error; a stream that was given has no text here."""
        started = self.start(*arguments, **options)
        started.wait(timeout)
        assert started.returncode is not None
        return started.returncode, started.out, started.err

    def close(self) -> None:
        """No more processes."""
        self._listening.close()
        self._process.wait()
        for folder in self._folders:
            folder.cleanup()


def _places(folder: str) -> list[tuple[str, int, int]]:
    """What the three streams are where none was given: name, flags and mode."""
    made = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return [(os.devnull, os.O_RDONLY, 0), (f"{folder}/out", made, 0o600), (f"{folder}/err", made, 0o600)]


def current_umask() -> int:
    """Of this process; the system tells it only to who sets another."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def orders(listening: socket.socket) -> Any:
    """Each order and its file descriptors, until nobody is there to send one."""
    held, descriptors = b"", []
    while True:
        part, more, *_ = socket.recv_fds(listening, 2**16, 4)
        held, descriptors = held + part, [*descriptors, *more]
        if held.endswith(b"\n"):
            yield json.loads(held), descriptors
            held, descriptors = b"", []
        elif not part:
            return


def next_order() -> dict[str, Any]:
    """Forks twice for every order. The copy returns with it; who waits for the copy, and the original, never do."""
    listening = socket.socket(fileno=int(sys.argv[1]))
    for order, (telling, *streams) in orders(listening):
        between = os.fork()
        if between == 0:
            listening.close()
            copy = os.fork()
            if copy == 0:
                os.close(telling)
                for number, descriptor in enumerate(streams):
                    os.dup2(descriptor, number)
                    os.close(descriptor)
                return order
            os.closerange(0, telling)
            os.closerange(telling + 1, 256)
            os.write(telling, b"%d\n" % copy)
            ended = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
            try:
                os.write(telling, b"%d\n" % ended)
            finally:
                os._exit(0)
        for descriptor in (telling, *streams):
            os.close(descriptor)
        reap()
    sys.exit(0)


def reap() -> None:
    """Those that have waited for their copies are no more."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def become(order: dict[str, Any]) -> None:
    """This process is now the one that a shell would have started with this order."""
    os.chdir(order["cwd"])
    os.umask(order["umask"])
    os.environ.clear()
    os.environ.update(order["env"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    encoding = os.environ.get("PYTHONIOENCODING") or "utf-8"
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = text_stream(1, encoding, "strict")
    sys.stderr = text_stream(2, encoding, "backslashreplace")
    if order["code"] is None:
        program = str(Path(sys.executable).parent / "dp-audit")
        sys.argv, sys.path[0] = [program, *order["arguments"]], str(Path(program).parent)
    else:
        sys.argv, sys.path[0] = ["-c", *order["arguments"]], ""


def text_stream(descriptor: int, encoding: str, errors: str) -> IO[str]:
    """As the interpreter opens its streams: by lines on a terminal, and standard error by lines everywhere."""
    lines = 1 if descriptor == 2 or os.isatty(descriptor) else -1
    return os.fdopen(descriptor, "w", lines, closefd=False, encoding=encoding, errors=errors)


def import_all() -> None:
    """Every module of this project but those that need a library of their own, and what they import when they run."""
    for package in OURS:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.startswith("auditor.libraries.") and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in THEIRS:
        importlib.import_module(name)


def main() -> int:
    """Imports, waits, and in a copy does what was asked."""
    import_all()
    gc.freeze()  # or each copy looks through all of it once more when it ends, which takes longer than most commands
    order = next_order()
    become(order)
    if order["code"] is not None:
        sys.modules["__main__"] = program = types.ModuleType("__main__")
        exec(compile(order["code"], "<string>", "exec"), vars(program))
        return 0
    from auditor.doors import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
