"""Gives tasks to joblib's workers and their tallies back in order. Any joblib backend that is active is used.

Without one, threads draw where numpy does the work: they start at once, and numpy lets go of the
interpreter's lock. Each thread has a copy of the mechanism of its own, as each process has, and a few
calls are tried first: drawn by two threads at once they must give what they give alone, in less time.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

from auditor.sampling import ray_tasks
from auditor.sampling.batch import Batch, Call, Tally, Task, run_packed, run_task, with_sample
from auditor.sampling.noted import all_routed
from auditor.sampling.pickling import pickled
from auditor.tuning import TUNING, Sharing

_MOST = 8  # most local workers for each core: more would fill the machine, and help nobody
_DRAINED = 1.0  # seconds for which running tasks are waited for when no more is needed; then they are stopped

Seconds = Callable[[], float | None]


def trials(work: Task) -> int:
    """How many outputs these calls draw."""
    return sum(n for _, calls in work for _, _, n in calls)


def cut_into_tasks(
    work: Task, rate: float, workers: int, threads: bool = False, tuning: Sharing = TUNING.sharing
) -> list[Task]:
    """Tasks of some seconds at `rate` draws a second; small ones last: workers end together."""
    remaining, least = trials(work), 0.0 if threads else tuning.last_task  # a thread's task costs next to nothing
    tasks: list[Task] = []
    task: list[tuple[Batch, Sequence[Call]]] = []
    size = 0
    for batch, calls in work:
        start = 0
        for index, (_, _, n) in enumerate(calls):
            size, remaining = size + n, remaining - n
            if size >= rate * max(least, min(tuning.task, remaining / rate / (3 * workers))):
                tasks.append([*task, (batch, calls[start : index + 1])])
                task, size, start = [], 0, index + 1
        if start < len(calls):
            task.append((batch, calls[start:]))
    return [*tasks, task] if task else tasks


def packed(thing: Any) -> bytes | None:
    """The thing as it is sent to a worker; None where it cannot be sent."""
    try:
        return pickled(thing)
    except Exception:
        return None


def workers(jobs: int) -> int:
    """How many workers there are; 1 inside another worker. Without joblib in use, the cores of this machine."""
    jobs = within_reason(jobs)
    if "joblib" in sys.modules:
        from joblib import effective_n_jobs

        return int(effective_n_jobs(jobs))
    return jobs if jobs > 0 else max(1, _cores() + 1 + jobs)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def within_reason(jobs: int) -> int:
    """As many workers as were asked for; where they are all on this machine, at most eight for each core."""
    return jobs if cluster() else min(jobs, _MOST * _cores())


def cluster() -> bool:
    """Whether the workers are a cluster's, and so need no start."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__module__ != "joblib._parallel_backends"


def streams() -> bool:
    """Whether workers give their results back one by one."""
    if ray_tasks.active():
        return True
    from joblib.parallel import get_active_backend

    return bool(getattr(get_active_backend(prefer="processes")[0], "supports_return_generator", False))


def use_threads(work: Task, rate: float, seconds: float, workers: int, tuning: Sharing = TUNING.sharing) -> bool:
    """Whether threads are the better choice for so many seconds, where the caller has not chosen a joblib backend."""
    if "joblib" in sys.modules:
        from joblib.parallel import get_active_backend

        if not _uses_threads(get_active_backend(prefer="threads")[0]):
            return False
        if _uses_threads(get_active_backend(prefer="processes")[0]):
            return True
    if rate < tuning.vectorised or seconds / min(workers, tuning.threads) > seconds / workers + tuning.starting:
        return False
    batch, calls = max(work, key=lambda part: len(part[1]))
    same, share = tried_in_threads(batch, calls[: tuning.tried])
    return same and (
        share < tuning.sooner or work[0][0].source.plain
    )  # a mechanism that is so fast spends its time in numpy


def _uses_threads(backend: Any) -> bool:
    return bool(getattr(backend, "uses_threads", False))


def tried_in_threads(batch: Batch, calls: Sequence[Call]) -> tuple[bool, float]:
    """Draws a few calls in two threads at once, and then one after the other: are these the same outputs, and in what
    share of the time?
    """
    copies = packed(batch.source.sample)
    if copies is None:
        return False, 1.0
    batch, own, calls = replace(batch, keep=False), _Own(copies), calls

    def draw(call: Call) -> tuple[Tally, list[int]]:
        (tally,) = _in_thread(own, [(batch, [call])])
        return replace(tally, cells=None, noted={}), [] if tally.cells is None else tally.cells.ravel().tolist()

    with all_routed(), ThreadPoolExecutor(2) as pool:
        deque(pool.map(draw, calls[:2]), maxlen=0)  # each thread has made its copy of the mechanism now
        start = time.perf_counter()
        together = list(pool.map(draw, calls))
    middle = time.perf_counter()
    alone = [draw(call) for call in calls]
    return together == alone, (middle - start) / (time.perf_counter() - middle)


class _Own(threading.local):
    """A copy of the mechanism for each thread, so that its calls never overlap."""

    def __init__(self, data: bytes) -> None:
        self.sample = pickle.loads(data)  # what `packed` made a moment ago in this process


def _in_thread(own: _Own, task: Task) -> list[Tally]:
    return run_task(with_sample(task, own.sample))


def tallies_of(
    tasks: Sequence[Task], jobs: int, threads: bool, remaining_seconds: Seconds, tuning: Sharing = TUNING.sharing
) -> Generator[list[Tally], None, None]:
    """The tallies of each task, in order. Closing it ends the work that is not needed any more."""
    if threads:
        return _routed(_threads(tasks, min(workers(jobs), tuning.threads), remaining_seconds))
    if ray_tasks.active():
        return ray_tasks.tallies(tasks, workers(jobs), remaining_seconds)
    results = _joblib(tasks, jobs, remaining_seconds, tuning.window)
    from joblib.parallel import get_active_backend

    return _routed(results) if _uses_threads(get_active_backend(prefer="processes")[0]) else results


def _routed(results: Generator[list[Tally], None, None]) -> Generator[list[Tally], None, None]:
    """The same results, while what threads of this process are warned of is noted and not printed."""
    with all_routed(), contextlib.closing(results):
        yield from results


def _threads(tasks: Sequence[Task], number: int, remaining_seconds: Seconds) -> Generator[list[Tally], None, None]:
    own = _Own(packed(tasks[0][0][0].source.sample) or b"")
    pool, waiting = ThreadPoolExecutor(number), iter(tasks)
    try:
        running = deque(pool.submit(_in_thread, own, task) for task in islice(waiting, 2 * number))
        while running:
            yield running.popleft().result(timeout=remaining_seconds())
            running.extend(pool.submit(_in_thread, own, task) for task in islice(waiting, 1))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _joblib(
    tasks: Sequence[Task], jobs: int, remaining_seconds: Seconds, window: int
) -> Generator[list[Tally], None, None]:
    from joblib import Parallel, delayed

    options: dict[str, Any] = {"n_jobs": within_reason(jobs), "prefer": "processes", "batch_size": 1}
    if not streams():
        start, window = 0, window * workers(jobs)
        while start < len(tasks):
            parallel = Parallel(timeout=remaining_seconds(), **options)
            yield from parallel(delayed(run_packed)(packed(task) or b"") for task in tasks[start : start + window])
            start, window = start + window, 2 * window
        return
    enough = threading.Event()
    parallel = Parallel(timeout=remaining_seconds(), return_as="generator", **options)
    results = parallel(delayed(run_task)(task) for task in tasks if not enough.is_set())
    try:
        for tallies in results:
            yield tallies
            parallel.timeout = remaining_seconds()
    finally:
        enough.set()
        parallel.timeout = _DRAINED
        with contextlib.suppress(Exception):
            deque(results, maxlen=0)
