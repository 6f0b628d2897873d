"""What each joblib backend costs on the same audit with two workers, and that it gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import metadata
from typing import Any

from joblib import parallel_config

from auditor.sampling.backends import CLUSTERS, backend
from benchmarks.runs import tight_laplace
from benchmarks.tables import Table, at_most, percent, share

WORKERS = 2


def _plain(name: str) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: parallel_config(backend=name, n_jobs=WORKERS)


@contextmanager
def _dask() -> Iterator[None]:
    """A scheduler and a worker process for each core, as `dp-audit run --backend dask` starts them."""
    with backend("dask"):
        yield


@contextmanager
def _ray() -> Iterator[None]:
    """A ray worker for each core, as `dp-audit run --backend ray` starts them."""
    with backend("ray"):
        yield


BACKENDS: dict[str, tuple[str, Callable[[], AbstractContextManager[Any]]]] = {  # name -> package, backend
    "threading": ("joblib", _plain("threading")),
    "loky": ("joblib", _plain("loky")),
    "dask": ("distributed", _dask),
    "ray": ("ray", _ray),
}


def _timed(trials: int, jobs: int) -> tuple[float, str]:
    result, seconds = tight_laplace(trials, jobs)
    return seconds, result.without_timings().to_json()


def measure(name: str, trials: int, alone: float, text: str) -> dict[str, Any]:
    """A row: the first audit on this backend, and the best of three more."""
    package, started = BACKENDS[name]
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return {"backend": name, "result": "not installed"}
    try:
        with started():
            first, *later = (_timed(trials, WORKERS) for _ in range(4))
    except Exception as error:  # a cluster that does not start costs its own row only
        return {"backend": name, "result": "FAILED", "why": f"{type(error).__name__}: {error}"}
    warm = min(seconds for seconds, _ in later)
    same = all(found == text for _, found in (first, *later))
    return {
        "backend": name,
        "first s": first[0],
        "next s": warm,
        "speed-up": alone / warm,
        "result": "same bytes" if same else "DIFFERENT",
    }


def table(trials: int, names: tuple[str, ...] = tuple(BACKENDS)) -> Table:
    """One row a backend, against the same audit on one core."""
    _timed(min(trials, 1_000_000), 1)
    alone, text = min(_timed(trials, 1) for _ in range(3))
    rows: list[dict[str, Any]] = [{"backend": "one core", "first s": alone, "next s": alone, "speed-up": 1.0}]
    rows += [measure(name, trials, alone, text) for name in names]
    seconds = {row["backend"]: row["next s"] for row in rows if "next s" in row}
    for row in rows:
        if row["backend"] in CLUSTERS and {"loky", row["backend"]} <= seconds.keys():
            row["overhead"] = row["next s"] / seconds["loky"] - 1
        if row["backend"] == "dask" and "overhead" in row:
            row |= {"at most": 0.1, "stands": at_most(row["overhead"], 0.1)}
    return Table(
        f"joblib backends, {WORKERS} workers, Laplace count of {trials:,} trials a side",
        {
            "backend": str,
            **dict.fromkeys(("first s", "next s", "speed-up"), share),
            **dict.fromkeys(("overhead", "at most"), percent),
            "stands": str,
            "result": str,
        },
        rows,
        "First: with the workers' start (a cluster's own start is not counted). Overhead: a cluster's time beyond "
        "that of loky's plain worker processes. Its scheduler shares the two cores with the workers.",
    )
