"""Gives tasks to a ray cluster as ray's own tasks, and their tallies back in order.

Ray's joblib backend starts a pool of actors for each call of `Parallel`, and gives back nothing before a whole batch is
done. A task of ray's own goes to a worker that is there already, and its result comes back when it is done.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from itertools import islice
from typing import Any

from auditor.sampling.batch import Tally, Task, run_packed
from auditor.sampling.pickling import pickled

_AHEAD = 2  # tasks under way for each worker, so that none waits for us


def active() -> bool:
    """Whether the joblib backend that is active is ray's, on a cluster that is there."""
    if "ray" not in sys.modules or "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    backend = type(get_active_backend(prefer="processes")[0]).__module__
    return backend.startswith("ray.") and bool(sys.modules["ray"].is_initialized())


def tallies(
    tasks: Sequence[Task], workers: int, remaining_seconds: Callable[[], float | None]
) -> Generator[list[Tally], None, None]:
    """The tallies of each task, in order. Closing it cancels what is under way; after an error or a time limit its
    worker is ended, because it may hang."""
    import ray

    run = ray.remote(run_packed)
    waiting = (pickled(task) for task in tasks)
    running: deque[Any] = deque(run.remote(data) for data in islice(waiting, _AHEAD * workers))
    hangs = False
    try:
        while running:
            hangs = True
            tallies = _result(ray, running[0], remaining_seconds())
            hangs = False
            running.popleft()
            yield tallies
            running.extend(run.remote(data) for data in islice(waiting, 1))
    finally:
        for task in running:
            ray.cancel(task, force=hangs)


def _result(ray: Any, task: Any, seconds: float | None) -> list[Tally]:
    """What a task gave; what it raised is raised here as itself, without ray's wrapping."""
    try:
        found: list[Tally] = ray.get(task, timeout=seconds)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    return found
