"""`python -m gallery.sweep LIBRARY [NAME…]`: audits everything public of a library, in an environment of its own."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gallery.__main__ import PAGES
from gallery.environments import ROOT, InstallError, python_with
from gallery.sweep import libraries
from gallery.sweep.page import store
from gallery.sweep.record import Swept


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when each verdict of each file is the expected one, 1 otherwise, 2 for a wrong command or a failed install."""
    known = sorted(one.name for one in pkgutil.iter_modules(libraries.__path__))
    parser = argparse.ArgumentParser(prog="python -m gallery.sweep", description=__doc__)
    parser.add_argument("library", help=f"how a file's name begins: {', '.join(known)}; `all` for all of them")
    parser.add_argument("name", nargs="*", help="public names; all where none is given")
    parser.add_argument("--out", type=Path, default=PAGES, help="the folder of the page, which whole sweeps write")
    options = parser.parse_args(arguments)
    chosen = [name for name in known if options.library == "all" or name.startswith(options.library)]
    if not chosen:
        parser.error(f"library must be one of {', '.join(known)}, or all; got {options.library}")
    codes = [run(file, options.name, options.out) for file in chosen]
    return max(codes)


def run(file: str, names: Sequence[str], out: Path) -> int:
    """The exit code of one file's sweep; one of all names that came out as expected is stored, and the page written."""
    packages = importlib.import_module(f"{libraries.__name__}.{file}").PACKAGES
    print(f"\n## {file} ({', '.join(packages)})\n", flush=True)
    try:
        python = python_with(packages)
    except InstallError as error:
        print(f"not run, it cannot be installed: {error}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "swept.json"
        argv = [str(python), "-m", "gallery.sweep.inside", file, *names, "--record", str(record)]
        done = subprocess.run(argv, cwd=ROOT, check=False)
        if record.exists():
            store(out, [Swept.from_dict(json.loads(record.read_text(encoding="utf-8")))])
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
