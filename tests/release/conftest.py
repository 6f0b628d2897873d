"""The wheel, built once for all tests of the release: no network, no environment of its own."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    argv = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(argv, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def unpacked(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of an environment that has this wheel and nothing else. Unpacking is installing for such a wheel."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False)
    folder = next(environment.glob("lib/*/site-packages"), environment / "Lib" / "site-packages")
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder
