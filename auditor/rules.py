"""The rules for what every way in takes: trials, alpha, seed, jobs, seconds, views, what raises means, backends.

`audit()`, the command line, files of audits and the pytest plugin word their errors differently, and ask these rules.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from auditor.errors import UsageError

VIEWS = ("values", "bits")
RAISES = ("error", "output")
BACKENDS = ("loky", "threading", "multiprocessing", "dask", "ray")


@dataclass(frozen=True)
class Rule:
    """What a value must be, in words; whether one is; and the plain type that it is kept as."""

    words: str
    allows: Callable[[Any], bool]
    kind: type = float

    def checked(self, name: str, value: Any) -> Any:
        """The value as its plain type; a UsageError for one that is not allowed."""
        if not self.allows(value):
            raise UsageError(f"{name} must be {self.words}, got {name}={value!r:.60}")
        return self.kind(value)


def _whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


TRIALS = Rule("a whole number of at least 1", lambda value: _whole(value) and value >= 1, int)
SEED = Rule("a whole number of at least 0", lambda value: _whole(value) and value >= 0, int)
JOBS = Rule("a whole number other than 0 (-1 for all cores)", lambda value: _whole(value) and value != 0, int)
ALPHA = Rule("a probability strictly between 0 and 1", lambda value: _real(value) and 0 < value < 1)
SECONDS = Rule("a number of seconds above 0", lambda value: _real(value) and 0 < value < math.inf)
