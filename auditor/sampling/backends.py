"""Joblib backends by name, for the command line. In Python, `with joblib.parallel_config(backend=…)` does the same."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from auditor.errors import UsageError
from auditor.rules import BACKENDS
from auditor.sampling.pickling import send_by_value

CLUSTERS = ("dask", "ray")
PATIENCE = 20  # seconds to wait for a scheduler
_DASK = {  # settings of a cluster that we start ourselves, whose workers only draw
    # bytes; with dask's own limit of 65,536 a worker gives back the memory of every array of outputs
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**24,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**24,
    # how often workers and scheduler look at themselves, which takes time of the core that draws
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}
# a scheduler without its page still answers on a port: any that is free, where dask's own may be another cluster's
_NO_PAGE = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
_RAY = ("RAY_worker_niceness", "0")  # ray's own 15 leaves its workers what everyone else on the machine does not want


@contextlib.contextmanager
def backend(name: str | None, scheduler: str | None = None) -> Iterator[None]:
    """Audits inside draw on the named backend; a cluster's scheduler is given by its address."""
    if scheduler is not None and name not in CLUSTERS:
        raise UsageError(f"a scheduler must come with the backend dask or ray, got backend={name!r}")
    if name is None:
        yield
        return
    if name not in BACKENDS:
        raise UsageError(f"backend must be one of {', '.join(BACKENDS)}, got backend={name!r}")
    with contextlib.ExitStack() as stack:
        if name == "dask":
            stack.enter_context(_dask(scheduler))
        elif name == "ray":
            stack.enter_context(ray_workers(scheduler))
        from joblib import parallel_config

        stack.enter_context(parallel_config(backend=name))
        yield


def send_along(mechanism: Any) -> None:
    """A cluster's workers do not have the file that was named on the command line: they are sent its code."""
    inner = getattr(mechanism, "function", mechanism)
    name = getattr(inner, "__module__", None) or type(inner).__module__
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None) or ""
    if module is not None and "." not in name and file and "site-packages" not in file:
        send_by_value(module)


@contextlib.contextmanager
def _dask(scheduler: str | None) -> Iterator[None]:
    distributed = _needed("distributed", "dask")
    config = importlib.import_module("dask").config
    try:
        if scheduler:
            client = distributed.Client(scheduler, timeout=PATIENCE)
        else:
            with config.set(_DASK):
                client = distributed.Client(threads_per_worker=1, dashboard_address=None, scheduler_kwargs=_NO_PAGE)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"a dask scheduler must answer at {scheduler!r}, got {error}") from error
    with client:
        yield


@contextlib.contextmanager
def ray_workers(scheduler: str | None) -> Iterator[None]:
    """Ray's workers, on the cluster that the scheduler names or on this machine."""
    ray = _needed("ray", "ray")
    register = importlib.import_module("ray.util.joblib").register_ray
    started = not ray.is_initialized()
    if started:
        try:
            if scheduler:
                ray.init(address=scheduler, log_to_driver=False)
            else:
                os.environ.setdefault(*_RAY)
                ray.init(log_to_driver=False, include_dashboard=False)
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            raise UsageError(f"a ray cluster must answer at {scheduler!r}, got {error}") from error
    register()
    try:
        yield
    finally:
        if started:
            ray.shutdown()


def _needed(module: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"the backend {extra} must be installed to be used; pip install 'dp-audit[{extra}]' ({error})"
        ) from error
