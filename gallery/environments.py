"""One environment for each library and version, beside .venv, made once.

An environment sees the packages of the Python that runs the gallery, dp-audit among them, and has only its library
on top: what it installs itself comes first on the path. So it is small, and made in seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from auditor.escaping import line
from gallery.case import Case, environment_of

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".venv-gallery"


class InstallError(Exception):
    """An environment that pip could not make, in one line."""


def python_of(case: Case, folder: Path = FOLDER) -> Path:
    """The Python of the case's environment."""
    return python_with(case.packages, folder, case.alone)


def python_with(packages: Sequence[str], folder: Path = FOLDER, alone: bool = False) -> Path:
    """The Python of the environment with these packages, made where it is missing or was made for something else.

    `alone` leaves out what the packages require.
    """
    home = folder / environment_of(packages)
    python, done = home / "bin" / "python", home / ".installed"
    wanted = json.dumps([*packages, sysconfig.get_path("purelib")])
    if not done.exists() or done.read_text(encoding="utf-8") != wanted:
        print(f"installing {' '.join(packages)} …", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        share(home)
        options = ["--no-deps"] if alone else []
        _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, *packages])
        done.write_text(wanted, encoding="utf-8")
    return python


def share(home: Path) -> None:
    """Puts the packages of this Python at the end of the environment's path."""
    packages = next(home.glob("lib/python*/site-packages"))
    shared = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (packages / "shared.pth").write_text(shared, encoding="utf-8")


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [text for text in done.stderr.splitlines() if text.strip()] or [f"exit code {done.returncode}"]
        told = next((text for text in errors if text.startswith("ERROR")), errors[-1])
        raise InstallError(line(told, 200))
