"""Whether a mechanism may be copied: a copy begins where the original stood, and must not draw what that draws."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from enum import Enum
from typing import Any

from auditor.sampling.killable import KillableProcess
from auditor.sampling.own_state import Habits
from auditor.sampling.parallel import packed
from auditor.sampling.source import Source

_TRIED = 1024  # most outputs by which copies of a mechanism are compared
_TRIED_CALLS = 128  # the same where each output is a call of its own, which may be slow


class KeptState(Enum):
    """Whether a mechanism keeps state from call to call; unknown where it has its own randomness and cannot be sent."""

    KEPT = "kept"
    NONE = "none"
    UNKNOWN = "unknown"


class Copies:
    """What may be done with copies of one audit's mechanism; each question is answered once."""

    def __init__(self, once: Callable[..., Any], remaining_seconds: Callable[[], float | None], total: int) -> None:
        self._once, self._remaining_seconds = once, remaining_seconds
        self._tried = max(1, min(_TRIED, total // 64))
        self.habits = Habits()  # what is known of the mechanism so far
        self._state: KeptState | None = None
        self._sent: bool | None = None

    def may_continue(self, source: Source) -> bool:
        """Whether draws may be continued by another process: a generator of its own would begin anew there."""
        return self._keeps_state(source) is KeptState.NONE

    def may_be_sent(self, source: Source) -> bool:
        """Whether workers may have copies of the mechanism: it can be sent, and copies do not draw the same."""
        if self._sent is None:
            sent = packed(source) is not None and self._keeps_state(source) is not KeptState.KEPT
            self._sent = sent and (self.habits.replayable or not self._processes_alike(source))
        return self._sent

    def _keeps_state(self, source: Source) -> KeptState:
        if self._state is None:
            if self.habits.own_generator:
                self._state = KeptState.KEPT
            elif self.habits.replayable:
                self._state = KeptState.NONE
            else:
                kept: bool | None = self._once(source.keeps_state, self._outputs(source))
                self._state = KeptState.UNKNOWN if kept is None else KeptState.KEPT if kept else KeptState.NONE
        return self._state

    def _outputs(self, source: Source) -> int:
        """How many outputs are drawn for one comparison."""
        return min(self._tried, _TRIED_CALLS) if source.one_by_one else self._tried

    def _processes_alike(self, source: Source) -> bool:
        """Whether two fresh processes give the same outputs, although one process never gives the same twice."""
        found = []
        for _ in range(2):
            with contextlib.closing(KillableProcess(source.sample, fresh=True)) as process:
                outputs = self._outputs(source)
                found.append(process.run(self._remaining_seconds(), source.outputs_as_bytes, outputs))
        return bool(found[0] == found[1])
