"""How an audit is executed, checked: what may change its speed and how far it comes, and not what is asked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from auditor import rules
from auditor.errors import UsageError


@dataclass(frozen=True)
class Execution:
    """The arguments of `audit` that say how it is executed. A bad one is a UsageError, before anything is drawn."""

    jobs: int = -1
    progress: Any = None  # None, True, False, or a function of the draws made and the draws planned
    time_limit: float | None = None  # seconds
    checkpoint: str | os.PathLike[str] | None = None  # a file
    seconds: float | None = None  # a budget of time, which lowers the trials
    history: str | os.PathLike[str] | None = None  # a folder
    measure_seconds: float | None = None

    def __post_init__(self) -> None:
        rules.JOBS.checked("jobs", self.jobs)
        progress = self.progress
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise UsageError(
                f"progress must be True, False or a function of (done, total), got progress={progress!r:.60}"
            )
        for name, place in (("checkpoint", "file"), ("history", "folder")):
            _check_path(name, place, getattr(self, name))
        for name in ("time_limit", "seconds", "measure_seconds"):
            if (value := getattr(self, name)) is not None:
                rules.SECONDS.checked(name, value)
        if self.checkpoint is not None:
            self._check_checkpoint()

    def _check_checkpoint(self) -> None:
        """A checkpoint continues one audit, so it fits neither a history nor a budget of seconds."""
        if self.history is not None:
            raise UsageError(
                "an audit with a history starts each night anew, with a seed of its own, got a checkpoint beside it; "
                "give no checkpoint"
            )
        if self.seconds is not None:
            raise UsageError(
                f"an audit with a checkpoint must have a fixed number of trials, got seconds={self.seconds!r:.60}, in "
                "which more or fewer fit each time; give trials, or no checkpoint"
            )


def _check_path(name: str, place: str, value: Any) -> None:
    if value is not None and not (isinstance(value, (str, os.PathLike)) and os.fspath(value)):
        raise UsageError(f"a {name} must be the path of a {place}, got {name}={value!r:.60}")
