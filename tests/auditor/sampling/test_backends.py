"""The same bytes wherever the draws are made, and backends that are chosen by name."""

import contextlib
import os
import socket
import sys
import time
from types import ModuleType

import joblib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import ApproxDP, UsageError, audit
from auditor.doors.cli import main
from auditor.events.outputs import Form
from auditor.sampling import backends
from auditor.sampling import parallel as sharing
from auditor.sampling.backends import backend
from auditor.sampling.batch import Batch
from auditor.sampling.source import Source
from auditor.tuning import Sharing
from mechanisms.laplace import Laplace

TRIALS = 60_000
NICENESS = "RAY_worker_niceness"


@pytest.fixture(autouse=True)
def eager(monkeypatch, tuned):
    """Shares whatever can be shared, and says how often."""
    tuned(task=5e-3, last_task=5e-4)
    shared = []
    real = sharing.tallies_of
    monkeypatch.setattr(sharing, "tallies_of", lambda *a: shared.append(a) or real(*a))
    return shared


def bytes_of(mechanism=lambda d, n, rng: d + rng.laplace(0, 1, n), trials=TRIALS, pairs=((0, 1), (1, 0)), **options):
    result = audit(mechanism, ApproxDP(1.0), pairs, trials=trials, seed=2, views=("values",), name="m", **options)
    return result.without_timings().to_json()


@pytest.fixture(scope="module")
def alone():
    return bytes_of(jobs=1)


def test_without_a_backend(alone, eager):
    for jobs in (2, 3, -1):
        assert bytes_of(jobs=jobs) == alone
    assert eager


@pytest.mark.parametrize("name", ["loky", "threading"])
def test_on_this_machine(alone, eager, name):
    with joblib.parallel_config(backend=name):
        assert bytes_of(jobs=2) == alone
    assert eager
    assert {threads for _, _, threads, *_ in eager} == {name == "threading"}


def unhurried(dataset, n, rng):
    """A Laplace count that draws at most five million a second, however fast the machine."""
    time.sleep(n * 2e-7)
    return dataset + rng.laplace(0, 1, n)


def test_on_multiprocessing(eager, tuned):
    """It starts new processes for every round that is shared: only the longest are."""
    tuned(task=5e-3, last_task=5e-4, at_once=3e-3)
    with joblib.parallel_config(backend="multiprocessing"):
        shared = bytes_of(unhurried, jobs=2, pairs=[(0, 1)], trials=150_000)
    assert shared == bytes_of(unhurried, jobs=1, pairs=[(0, 1)], trials=150_000)
    assert eager
    assert not any(threads for _, _, threads, *_ in eager)


@pytest.mark.parametrize("processes", [False, True])
def test_on_dask(alone, eager, processes):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=":0") as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        assert bytes_of(jobs=-1 if processes else 2) == alone
    assert eager


def test_on_ray(alone, eager):
    ray = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
    try:
        with joblib.parallel_config(backend="ray"):
            assert bytes_of(jobs=2) == alone
    finally:
        ray.shutdown()
    assert eager


def inner(trials):
    return bytes_of(trials=trials, jobs=-1)


def test_an_audit_inside_a_worker_does_not_start_workers(alone):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(inner)(TRIALS) for _ in range(2)) == [alone, alone]


def test_a_small_audit_starts_no_workers(monkeypatch, eager):
    monkeypatch.undo()
    shared = []
    monkeypatch.setattr(sharing, "tallies_of", lambda *a: shared.append(a))
    audit(lambda d, n, rng: d + rng.laplace(0, 1, n), ApproxDP(1.0), [(0, 1)], trials=20_000, jobs=-1)
    assert not shared


def test_workers_import_nothing_heavy():
    import subprocess

    code = "import sys, auditor.sampling.batch; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in found
    assert not {"scipy", "sklearn", "statsmodels", "matplotlib", "pandas", "joblib", "rich"} & set(found)


def test_a_machine_is_not_filled_with_workers():
    most = 8 * joblib.cpu_count()
    assert sharing.workers(10**9) <= most
    assert sharing.within_reason(2) == 2
    assert sharing.within_reason(-1) == -1
    from dask.distributed import Client

    with (
        Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"),
        joblib.parallel_config(backend="dask"),
    ):
        assert sharing.within_reason(10**9) == 10**9  # where the workers are is the cluster's business


# How work is cut


def source():
    return Source(lambda d, n, rng: rng.random(n), 0, 1, 0, "m", 0, Form("numbers", 1, True))


@given(
    st.lists(st.lists(st.integers(1, 70_000), max_size=6), max_size=6),
    st.floats(1.0, 1e8),
    st.integers(1, 64),
    st.booleans(),
)
def test_tasks_are_the_work_in_its_order(sizes, rate, workers_, threads):
    work = [
        (Batch(source(), None, False, ("last", place), 1), [(k, k % 2, n) for k, n in enumerate(calls)])
        for place, calls in enumerate(sizes)
    ]
    tasks = sharing.cut_into_tasks(work, rate, workers_, threads)
    assert all(calls for task in tasks for _, calls in task)
    made = [(batch.name, call) for task in tasks for batch, calls in task for call in calls]
    assert made == [(batch.name, call) for batch, calls in work for call in calls]


SHORT = Sharing(task=5e-3, last_task=5e-4)


def test_tasks_are_long_at_first_and_short_at_the_end():
    calls = [(k, side, 2**16) for k in range(800) for side in (0, 1)]
    tasks = sharing.cut_into_tasks([(Batch(source(), None, False, ("last", 0), 1), calls)], 5e7, 2, tuning=SHORT)
    seconds = [sharing.trials(task) / 5e7 for task in tasks]
    assert seconds[0] == pytest.approx(5e-3, rel=0.3)
    assert max(seconds[-2:]) < 2.5e-3
    assert max(seconds) < 7e-3


def test_threads_share_little_work_evenly():
    calls = [(k, side, 2**16) for k in range(8) for side in (0, 1)]
    work = [(Batch(source(), None, False, ("last", 0), 1), calls)]
    assert len(sharing.cut_into_tasks(work, 1e10, 2)) == 1  # for a process that is nothing
    assert len(sharing.cut_into_tasks(work, 1e10, 2, threads=True)) > 6


# Backends by name


def test_a_backend_is_active_inside_its_context(eager):
    with backend("loky"):
        bytes_of(jobs=2)
    assert eager
    with backend(None):
        pass


@pytest.mark.parametrize(
    ("name", "scheduler", "said"),
    [
        ("spark", None, "backend must be one of loky, threading"),
        ("", None, "backend must be one of"),
        (None, "tcp://x", "a scheduler must come with the backend dask or ray"),
        ("loky", "tcp://x", "a scheduler must come with the backend dask or ray"),
        ("dask", "nonsense://x", "a dask scheduler must answer at 'nonsense://x'"),
    ],
)
def test_a_backend_that_is_none(name, scheduler, said):
    with pytest.raises(UsageError, match=said), backend(name, scheduler):
        pass


@pytest.mark.parametrize(("name", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_a_missing_package_says_what_to_install(monkeypatch, name, module, project, mechanisms_file, capsys):
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["run", "audited.py::right", "--backend", name]) == 2
    assert f"pip install 'dp-audit[{name}]'" in capsys.readouterr().err


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(backends, "PATIENCE", 0.2)
    with pytest.raises(UsageError, match="a dask scheduler must answer at"), backend("dask", "tcp://127.0.0.1:9"):
        pass


def test_two_clusters_of_our_own_stand_side_by_side():
    """Warnings are errors here: the second one does not ask for a port that the first has, or anyone else."""
    from distributed import default_client

    with socket.socket() as other:
        with contextlib.suppress(OSError):  # somebody has it already
            other.bind(("127.0.0.1", 8787))  # where dask would have its page
            other.listen()
        with backend("dask"):
            (server,) = default_client().cluster.scheduler.services.values()
            assert (server.address, server.port != 8787) == ("127.0.0.1", True)


def test_the_command_draws_on_a_scheduler(project, mechanisms_file, capsys, eager):
    from dask.distributed import LocalCluster

    project("audits.toml", TOML)
    assert main(["run", "audits.toml", "--json", "--jobs", "1"]) == 0
    expected = capsys.readouterr().out
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        assert main(["run", "audits.toml", "--json", "--backend", "dask", "--scheduler", address]) == 0
    assert eager
    assert without_times(capsys.readouterr().out) == without_times(expected)


def test_a_clusters_workers_are_sent_the_code_that_they_cannot_import(project, mechanisms_file):
    from auditor.doors.targets import find

    mechanism = find("audited.py::right_function")[0].mechanism
    backends.send_along(mechanism)
    data = sharing.packed(mechanism)
    assert data is not None
    assert b"geometric" in data  # what the function calls, and not only its name
    backends.send_along(Laplace(1.0))  # a package that is installed is imported there
    assert len(sharing.packed(Laplace(1.0)) or b"") < 200


TOML = """
[[audit]]
target = "audited.py::right_function"
epsilon = 1.0
pairs = [[[1, 1], [1]]]
trials = 20000
"""


def without_times(text):
    return [line for line in text.splitlines() if "seconds" not in line]


@pytest.mark.parametrize(
    ("scheduler", "niceness", "asked"),
    [
        (None, "0", {"log_to_driver": False, "include_dashboard": False}),
        ("auto", None, {"log_to_driver": False, "address": "auto"}),
    ],
)
def test_a_ray_of_our_own_is_started_to_draw_and_one_that_runs_is_left_as_it_is(
    monkeypatch, scheduler, niceness, asked
):
    """A stand-in for ray; `test_on_ray` has an audit where ray is installed."""
    monkeypatch.setenv(NICENESS, "9")
    monkeypatch.delenv(NICENESS)
    heard = []
    ray, joblib_ = ModuleType("ray"), ModuleType("ray.util.joblib")
    ray.is_initialized = lambda: False
    ray.init = lambda **options: heard.append(("init", options, os.environ.get(NICENESS)))
    ray.shutdown = lambda: heard.append("shutdown")
    joblib_.register_ray = lambda: heard.append("register")
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.util", ModuleType("ray.util"))
    monkeypatch.setitem(sys.modules, "ray.util.joblib", joblib_)
    with backends.ray_workers(scheduler):
        assert heard == [("init", asked, niceness), "register"]
    assert heard[-1] == "shutdown"
