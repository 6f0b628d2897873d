"""A folder of someone's own code, forgotten after the test."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.tuning import TUNING

MECHANISMS = '''
import numpy as np
from auditor import ApproxDP, NeighbourPair

class Counter:
    """A count with two-sided geometric noise of a given strength."""

    claim = ApproxDP(epsilon=1.0)
    trials = 20_000

    def __init__(self, strength):
        self.strength = strength

    def sample(self, dataset, n, rng):
        stop = -np.expm1(-self.strength)
        return sum(dataset) + rng.geometric(stop, n) - rng.geometric(stop, n)

    def neighbours(self):
        return [NeighbourPair([1, 1], [1], "add/remove")]

right = Counter(1.0)
wrong = Counter(2.0)
_hidden = Counter(3.0)
also_right = right

def right_function(dataset, n, rng):
    return right.sample(dataset, n, rng)

def wrong_function(dataset, n, rng):
    return wrong.sample(dataset, n, rng)

class NoArguments(Counter):
    def __init__(self):
        super().__init__(1.0)

number = 7
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Path]]:
    """Works in an empty folder; call it with a file's name and text to write one.

    Its modules leave no byte code, which Python takes for the code of any file of the same length and second.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    known = set(sys.modules)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    yield write
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture(scope="session")
def mechanisms_text() -> str:
    """What stands in `audited.py`."""
    return MECHANISMS


@pytest.fixture
def mechanisms_file(project: Callable[[str, str], Path]) -> Path:
    """`audited.py` with two mechanisms, two functions, a class and a number."""
    return project("audited.py", MECHANISMS)


EAGER = dict.fromkeys(("at_once", "in_all", "at_once_cluster", "at_once_no_stream"), 1e-4)  # seconds


@pytest.fixture
def tuned(monkeypatch):
    """tuned(task=1e-3, …): audits of this test share whatever can be shared, in portions as it says."""

    def tune(**sharing):
        tuning = replace(TUNING, sharing=replace(TUNING.sharing, **EAGER | sharing))
        monkeypatch.setattr("auditor.engine.TUNING", tuning)
        return tuning

    return tune
