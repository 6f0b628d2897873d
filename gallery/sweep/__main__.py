"""`python -m gallery.sweep LIBRARY [NAME…]`: audits everything public of a library, in an environment of its own."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Sequence

from gallery.environments import ROOT, InstallError, python_with
from gallery.sweep import libraries


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when each verdict of each file is the expected one, 1 otherwise, 2 for a wrong command or a failed install."""
    known = sorted(one.name for one in pkgutil.iter_modules(libraries.__path__))
    parser = argparse.ArgumentParser(prog="python -m gallery.sweep", description=__doc__)
    parser.add_argument("library", help=f"how a file's name begins: {', '.join(known)}; `all` for all of them")
    parser.add_argument("name", nargs="*", help="public names; all where none is given")
    options = parser.parse_args(arguments)
    chosen = [name for name in known if options.library == "all" or name.startswith(options.library)]
    if not chosen:
        parser.error(f"library must be one of {', '.join(known)}, or all; got {options.library}")
    codes = [swept(file, options.name) for file in chosen]
    return max(codes)


def swept(file: str, names: Sequence[str]) -> int:
    """The exit code of one file's sweep."""
    packages = importlib.import_module(f"{libraries.__name__}.{file}").PACKAGES
    print(f"\n## {file} ({', '.join(packages)})\n", flush=True)
    try:
        python = python_with(packages)
    except InstallError as error:
        print(f"not run, it cannot be installed: {error}")
        return 2
    return subprocess.run([str(python), "-m", "gallery.sweep.inside", file, *names], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
