"""A mechanism with state of its own lives on from call to call, its copies never repeat its draws, and it is told."""

import importlib
import os
import random
import secrets
import sys
import threading
import time

import joblib
import numpy as np
import pytest

from auditor import ApproxDP, MechanismError, UsageError, audit, per_draw
from auditor.sampling.own_state import Generators
from auditor.sampling.reach import is_generator, reachable
from auditor.sampling.streams import stream
from mechanisms.laplace import Laplace

RATE = 0.03


class Shamed:
    """(0, .03)-DP, exactly: with that probability the dataset itself, else nothing; from a generator of its own."""

    def __init__(self, make=lambda: np.random.default_rng(0)):
        self.rng = make()

    def sample(self, dataset, n, rng):
        return np.where(self.rng.random_sample(n) < RATE, dataset + 1.0, 0.0)


class Own(Shamed):
    """The same with numpy's new generator."""

    def sample(self, dataset, n, rng):
        return np.where(self.rng.random(n) < RATE, dataset + 1.0, 0.0)


class Linear:
    """The same from a generator that is written out by hand."""

    def __init__(self):
        self.x = 1

    def one(self, dataset, rng):
        self.x = (self.x * 6364136223846793005 + 1442695040888963407) % 2**64
        return dataset + 1.0 if self.x / 2**64 < RATE else 0.0


def closed_over():
    own = random.Random(3)
    return per_draw(lambda dataset, rng: dataset + 1.0 if own.random() < RATE else 0.0)


_OF_THE_MODULE = np.random.default_rng(11)


def of_the_module(dataset, n, rng):
    return np.where(_OF_THE_MODULE.random(n) < RATE, dataset + 1.0, 0.0)


def of_numpy(dataset, n, rng):
    return np.where(np.random.random(n) < RATE, dataset + 1.0, 0.0)  # noqa: NPY002


class Unreadable(np.random.RandomState):
    """As a bit generator that another language provides: it draws, and does not tell where it stands."""

    def get_state(self, legacy=True):
        raise NotImplementedError


def from_the_system(dataset, rng):
    return dataset + 1.0 if secrets.randbelow(100) < 3 else 0.0


OWN = {
    "in an object": Own,
    "RandomState": lambda: Shamed(lambda: np.random.RandomState(0)),
    "a generator that hides its state": lambda: Shamed(lambda: Unreadable(0)),
    "by hand": lambda: per_draw(Linear().one),
    "closed over": closed_over,
    "of the module": lambda: of_the_module,
    "numpy's global one": lambda: of_numpy,
    "the system's": lambda: per_draw(from_the_system),
}


def run(mechanism, **options):
    settings = {"trials": 4000, "alpha": 1e-6, "jobs": 1, "views": ("values",), "name": "m", **options}
    return audit(mechanism, ApproxDP(0.0, RATE), [(0, 1)], **settings)


@pytest.mark.parametrize("kind", OWN)
def test_own_randomness_is_told_although_hardly_an_output_varies(kind):
    """By its state where it has one; the system's by 250 outputs, the same twice with probability 4e-7."""
    result = run(OWN[kind](), trials=8000)
    assert not result.replayable
    assert not result.refuted


@pytest.mark.parametrize("kind", ["in an object", "by hand", "closed over"])
def test_with_a_time_limit_the_mechanism_lives_on_from_call_to_call(kind):
    """What it draws there is what it draws here: the very same numbers, so the very same result."""
    here, there = run(OWN[kind]()), run(OWN[kind](), time_limit=100)
    assert there.without_timings() == here.without_timings()
    assert not there.replayable


def test_what_is_seeded_from_its_stream_in_each_call_can_be_replayed():
    def sample(dataset, n, rng):
        np.random.seed(rng.integers(2**32))  # noqa: NPY002
        return dataset + np.random.laplace(0, 1, n)  # noqa: NPY002

    assert audit(sample, ApproxDP(1.0), [(0, 1)], trials=2000, jobs=1, views=("values",), alpha=1e-6).replayable


def test_what_counts_its_calls_can_be_replayed():
    class Counted:
        calls = 0

        def sample(self, dataset, n, rng):
            self.calls += 1
            return dataset + rng.laplace(0, 1, n)

    assert audit(Counted(), ApproxDP(1.0), [(0, 1)], trials=2000, jobs=1, views=("values",), alpha=1e-6).replayable


def test_state_that_is_lost_in_a_crash_ends_the_audit(tmp_path):
    own = np.random.default_rng(0)

    def sample(dataset, n, rng):
        if n > 80 and not (tmp_path / "died").exists():
            (tmp_path / "died").write_text("")
            os._exit(3)
        return dataset + own.laplace(0, 1, n)

    with pytest.raises(MechanismError, match=r"must live on from call to call, .* exit code 3; what it kept is lost"):
        audit(sample, ApproxDP(1.0), [(0, 1)], trials=2000, jobs=1, time_limit=60, name="m", views=("values",))


# Copies


@pytest.fixture
def eager(tuned):
    return tuned(task=1e-3, last_task=1e-4)


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("kind", ["in an object", "by hand", "of the module"])
def test_a_mechanism_with_state_has_no_copies(eager, backend, kind, tmp_path):
    """With two workers all is drawn in this process and this thread."""
    made = OWN[kind]()
    sample, here = getattr(made, "sample", made), f"{os.getpid()} {threading.get_ident()}"

    def slow(dataset, n, rng):
        (tmp_path / f"{os.getpid()} {threading.get_ident()}").write_text("")
        time.sleep(1e-3)
        return sample(dataset, n, rng)

    with joblib.parallel_config(backend=backend):
        assert not run(slow, trials=20_000, jobs=2).refuted
    assert [file.name for file in tmp_path.iterdir()] == [here]


def test_the_systems_randomness_is_shared_among_workers(eager, tmp_path):
    def sample(dataset, n, rng):
        (tmp_path / str(os.getpid())).write_text("")
        time.sleep(1e-3)
        return dataset + np.random.default_rng().laplace(0, 1, n)

    with joblib.parallel_config(backend="loky"):
        result = audit(sample, ApproxDP(1.0), [(0, 1)], trials=20_000, jobs=2, alpha=1e-6, views=("values",))
    assert not result.refuted
    assert len(list(tmp_path.iterdir())) >= 4  # this process, the two that were compared, and workers


SEEDED_ALIKE = """
import os, time
state = 7

def sample(dataset, n, rng):
    global state
    open(f"{os.environ['PIDS']}/{os.getpid()}", "w").close()
    time.sleep(1e-3)
    out = []
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(dataset + 1.0 if state / 2**64 < 0.03 else 0.0)
    return out
"""


def test_processes_that_begin_alike_are_not_used(eager, monkeypatch, tmp_path):
    """A state in an imported module is not sent along: each process begins with the same, and would draw the same."""
    (tmp_path / "begins_alike.py").write_text(SEEDED_ALIKE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    pids = tmp_path / "pids"
    pids.mkdir()
    monkeypatch.setenv("PIDS", str(pids))
    module = importlib.import_module("begins_alike")
    with joblib.parallel_config(backend="loky"):
        assert not run(module.sample, trials=20_000, jobs=2).refuted
    assert len(list(pids.iterdir())) == 3  # this process, and the two that were compared


def test_generators_are_found_where_mechanisms_keep_them():
    found = {kind: len(Generators(make()).own) for kind, make in OWN.items()}
    assert found["in an object"] == found["RandomState"] == found["closed over"] == found["of the module"] == 1
    assert found["by hand"] == found["the system's"] == 0


def test_each_spawned_stream_is_a_new_one():
    rng = stream(0, "a")
    assert rng.spawn(1)[0].random() != rng.spawn(1)[0].random()
    first, second = (stream(0, "a").spawn(2)[1].random() for _ in range(2))
    assert first == second


def test_a_mechanism_that_spawns_a_stream_for_each_draw_is_not_refuted():
    mechanism = per_draw(lambda dataset, rng: dataset + rng.spawn(1)[0].laplace())
    result = audit(mechanism, ApproxDP(1.0), [(0, 1)], trials=2000, alpha=1e-6, jobs=1, views=("values",))
    assert not result.refuted
    assert result.replayable


class Hostile:
    """Attributes that raise whenever someone looks at them."""

    __slots__ = ("secret",)

    @property
    def __dict__(self):
        raise RuntimeError("hands off")

    def __getattr__(self, name):
        raise RuntimeError("hands off")

    def sample(self, dataset, n, rng):
        return dataset + rng.laplace(0, 1, n)


def test_objects_that_cannot_be_looked_at_are_audited_all_the_same(tmp_path):
    hostile = Hostile()

    def sample(dataset, n, rng):
        return hostile.sample(dataset, n, rng)

    assert not audit(sample, ApproxDP(1.0), [(0, 1)], trials=500, jobs=1, alpha=1e-6, views=("values",)).refuted
    with pytest.raises(UsageError, match="must have a mechanism that can be looked at, got RuntimeError: hands off"):
        audit(sample, ApproxDP(1.0), [(0, 1)], trials=500, jobs=1, checkpoint=tmp_path / "c")


class Kept(Laplace):
    """A class of someone's own that extends one of this project's, and keeps a generator for all its objects."""

    rng = np.random.default_rng(1)


def test_a_class_that_extends_one_of_this_project_is_looked_into():
    assert Generators(Kept(1.0).sample).own == [Kept.rng]


def test_no_class_of_this_project_reaches_a_generator():
    """So that a mechanism's need not be walked through."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] in ("auditor", "mechanisms")]
    classes = {found for module in modules for found in vars(module).values() if isinstance(found, type)}
    ours = [found for found in classes if found.__module__.partition(".")[0] in ("auditor", "mechanisms")]
    assert len(ours) > 50
    assert [found for found in ours if any(map(is_generator, reachable(found)))] == []
    assert any(map(is_generator, reachable(Kept)))
