"""Imports that must happen once: pytester's in-process runs forget every module that they imported first, and a second
copy of a library beside a cached object of the first one is not the same library.

The tests start many processes, and containers often say PYTHONDONTWRITEBYTECODE: each process would compile all of
this project again, and pytest would rewrite the assertions of every test file.
"""

import os
import sys
from collections.abc import Iterator

import pytest

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import jinja2  # noqa: E402, F401
import matplotlib.figure  # noqa: E402, F401
from prepared import Prepared  # noqa: E402

import reports  # noqa: E402, F401


@pytest.fixture(scope="session")
def prepared() -> Iterator[Prepared]:
    """Starts real commands and programs without their start-up."""
    starter = Prepared()
    yield starter
    starter.close()


@pytest.fixture(autouse=True)
def forgotten_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Another test may have a module of the same name in its own folder."""
    before = len(sys.modules)
    yield
    folder = str(tmp_path_factory.getbasetemp())
    for name in list(sys.modules)[before:]:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(folder):
            del sys.modules[name]
