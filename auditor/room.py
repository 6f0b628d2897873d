"""A process in which a mechanism is called when there is a time limit: what hangs there can be ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pickle import PicklingError
from typing import Any

from auditor.errors import MechanismError

_IDLE = 60  # seconds after which an unused process ends by itself


class Room:
    """One process, started when it is first needed and again after a crash; all audits share it."""

    _pool: Any = None

    def run(self, seconds: float | None, function: Callable[..., Any], *arguments: Any) -> Any:
        """`function(*arguments)` in there; after `seconds` a TimeoutError, and the process is gone."""
        from joblib.externals.loky import ProcessPoolExecutor

        if Room._pool is None:
            Room._pool = ProcessPoolExecutor(max_workers=1, timeout=_IDLE)
        try:
            return Room._pool.submit(function, *arguments).result(timeout=seconds)
        except PicklingError as error:
            raise MechanismError(
                "with a time limit a mechanism must be one that can be sent to another process; give no "
                "time_limit, or keep locks, connections and open files out of it "
                f"({error.__cause__ or error})"
            ) from error
        except BaseException as error:
            if not isinstance(error, MechanismError):  # hung, crashed or interrupted
                self._leave()
            raise

    @staticmethod
    def _leave() -> None:
        """Ends the process; the pool notices, and a new one is made when it is needed."""
        from joblib.externals.loky.backend.utils import kill_process_tree

        pool, Room._pool = Room._pool, None
        for process in list(pool._processes.values()):
            with contextlib.suppress(ProcessLookupError):
                kill_process_tree(process)
        pool.shutdown(wait=False)
