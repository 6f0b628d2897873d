"""The real command without its start-up: a process that has imported everything forks, and its copy is the command.

Starting Python and importing numpy and scipy is most of what a short command costs. What is tested in the copy is what
the shell would run: a process of its own, with its own folder, environment, streams, signals and exit code, which
leaves through the interpreter's exit. Whoever tests the start itself, or hands over a pipe, starts the command instead.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

IMPORTED = (
    "auditor.doors.cli",
    "auditor.doors.targets",
    "auditor.engine",
    "auditor.results.document",
    "reports.pictures",
)


class Prepared:
    """`run` is like `subprocess.run` of dp-audit with both streams captured. Close it when done."""

    def __init__(self) -> None:
        root = Path(__file__).resolve().parents[1]
        environment = os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=environment,
        )

    def run(self, *arguments: str, cwd: Any = None, env: Any = None, timeout: float = 100) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            order = {
                "arguments": arguments,
                "cwd": os.fspath(cwd or os.getcwd()),
                "env": dict(os.environ if env is None else env),
                "umask": current_umask(),
                "folder": folder,
            }
            print(json.dumps(order), file=self._process.stdin)
            if not select.select([self._process.stdout], [], [], timeout)[0]:
                self._process.kill()
                raise subprocess.TimeoutExpired(arguments, timeout)
            code = int(self._process.stdout.readline())
            out, err = (Path(folder, name).read_bytes().decode("utf-8", "replace") for name in ("out", "err"))
        return code, out, err

    def close(self) -> None:
        """No more commands."""
        self._process.communicate()


def current_umask() -> int:
    """Of this process; the system tells it only to who sets another."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def next_order() -> dict[str, Any]:
    """Forks for every line that is read: a copy returns with its order, and the original never does."""
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            return dict(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    sys.exit(0)


def become(order: dict[str, Any]) -> None:
    """This process is now the one that a shell would have started with this order."""
    os.chdir(order["cwd"])
    os.umask(order["umask"])
    os.environ.clear()
    os.environ.update(order["env"])
    for descriptor, name in enumerate((os.devnull, f"{order['folder']}/out", f"{order['folder']}/err")):
        opened = os.open(name, os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, errors="backslashreplace")
    program = str(Path(sys.executable).parent / "dp-audit")
    sys.argv, sys.path[0] = [program, *order["arguments"]], str(Path(program).parent)


if __name__ == "__main__":
    for module in IMPORTED:
        __import__(module)
    become(next_order())
    from auditor.doors.cli import main

    sys.exit(main())
