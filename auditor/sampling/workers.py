"""Where calls run: here while that is quick, shared among workers when there is enough to do.

A worker that dies is replaced and its calls are made again on the same streams. With a time limit every
call runs in a process that can be killed. Tallies come back in the order asked for, so a result depends
on none of this.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from auditor.errors import AuditError, MechanismError, TimeLimitError
from auditor.sampling import alarm
from auditor.sampling import parallel as sharing
from auditor.sampling.batch import Batch, Call, Tally, Task, run
from auditor.sampling.checkpoint import Checkpoint
from auditor.sampling.copies import Copies
from auditor.sampling.killable import KillableProcess
from auditor.sampling.own_state import Habits
from auditor.tuning import TUNING, Sharing

Progress = Callable[[int, int], None]
Todo = tuple[Batch, Tally, list[Call]]  # a batch, what the checkpoint has of it, and the remaining calls

_LONGEST_WAIT = 1e6  # seconds; locks cannot wait much longer
_ATTEMPTS = 3  # times that the same calls may lose their worker


@dataclass(frozen=True)
class Shared:
    """How work is shared: among how many workers, and whether they are threads."""

    workers: int
    threads: bool


class Workers:
    """Draws batches; knows how fast that goes, when it must end, and what an earlier run has drawn."""

    def __init__(
        self,
        jobs: int,
        name: str,
        total: int,
        progress: Progress | None = None,
        time_limit: float | None = None,
        checkpoint: Checkpoint | None = None,
        mechanism: Any = None,
        tuning: Sharing = TUNING.sharing,
    ) -> None:
        self.tuning = tuning
        self.jobs, self.name, self.total = jobs, name, total
        self.progress, self.checkpoint = progress, checkpoint
        self.time_limit = time_limit
        self._killable = None if time_limit is None else KillableProcess(mechanism)
        self.slow: Callable[[int, float], None] | None = None  # is told how long draws took here
        self.started: float | None = None  # when the first call was made
        self.done = 0
        self.copies = Copies(self.once, self._remaining_seconds, total)
        self.noted: dict[str, str] = {}  # warnings that it raised
        self._here_only: bool | None = None  # whether it cannot be sent away, once that is known
        self._plain_rate = 0.0  # coin flips a second, as measured
        self._counting_rate = 0.0  # the same where outputs are counted in cells
        self._shared_before: Shared | None = None  # how work was shared last

    @property
    def habits(self) -> Habits:
        """What the mechanism does beside drawing, as far as it was seen."""
        return self.copies.habits

    @property
    def replayable(self) -> bool:
        """Whether the same stream gives the same outputs, as far as was seen."""
        return self.habits.replayable

    def notice(self, habits: Habits) -> None:
        """Remembers what the pilot of a pair has seen."""
        self.copies.habits |= habits
        self.noted = {**habits.noted, **self.noted}

    def expect(self, total: int) -> None:
        """Fixes how many draws are planned, where that was not known at first; before anything is drawn."""
        self.total = total
        self.copies = Copies(self.once, self._remaining_seconds, total)

    def close(self) -> None:
        """Gives back the process of an audit with a time limit."""
        if self._killable is not None:
            self._killable.close()

    def draw(self, batches: Sequence[Batch]) -> Generator[Tally, None, None]:
        """The tally of each batch, in order. Whoever has seen enough closes the iterator."""
        todo = [self._rest(batch) for batch in batches]
        for index, (batch, tally, calls) in enumerate(todo):
            if (how := self._sharing(todo[index:])) is not None:
                yield from self._shared(todo[index:], how)
                return
            yield self._here(batch, tally, calls)

    def once(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A few calls of the mechanism that are no trials, under the same time limit."""
        if self._killable is None:
            return function(*arguments)
        if self._here_only is None:
            self._here_only = sharing.packed((function, arguments)) is None and alarm.possible()
        return (self._with_alarm if self._here_only else self._in_process)(function, *arguments)

    @property
    def here(self) -> bool:
        """Whether `once` calls the mechanism in this process without more ado."""
        return self._killable is None

    def _with_alarm(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return alarm.limited(self._remaining_seconds() or _LONGEST_WAIT, function, *arguments)
        except TimeoutError as error:
            raise self._late() from error

    def each(self, function: Callable[[Any], None], things: Sequence[Any], long: bool) -> None:
        """Calls the function with each of them; in threads where calls are so long that numpy does most of the work."""
        number = min(len(things), sharing.workers(self.jobs)) if long else 1
        if number == 1:
            for thing in things:
                function(thing)
        else:
            with ThreadPoolExecutor(number) as pool:
                deque(pool.map(function, things), maxlen=0)

    def _rest(self, batch: Batch) -> Todo:
        calls = batch.calls()
        found = (
            self.checkpoint.found(batch)
            if self.checkpoint is not None and self.copies.may_continue(batch.source)
            else None
        )
        if found is None:
            return batch, Tally(), calls
        tally, remaining = found
        self.noted = {**tally.noted, **self.noted}
        self.done += sum(tally.trials)
        return batch, tally, calls[max(0, len(calls) - remaining) :]

    def _said(self, batch: Batch, tally: Tally, part: Tally, remaining: int) -> Tally:
        """A part of a batch is drawn: adds it, and tells whoever wants to know."""
        tally = tally + part
        self.noted = {**part.noted, **self.noted}
        self.done += sum(part.trials)
        if self.checkpoint is not None and self.copies.may_continue(batch.source):
            self.checkpoint.save(batch, tally, remaining)
        if self.progress is not None:
            self.progress(min(self.done, self.total), self.total)
        return tally

    def _here(self, batch: Batch, tally: Tally, calls: Sequence[Call]) -> Tally:
        for start in range(0, len(calls), self.tuning.piece):
            piece = calls[start : start + self.tuning.piece]
            began = time.perf_counter()
            part = self.once(run, batch, piece)
            took = time.perf_counter() - began
            self._measured(batch, sum(part.trials) / (took + 1e-9))
            if self.slow is not None:
                self.slow(sum(part.trials), took)
            tally = self._said(batch, tally, part, len(calls) - start - len(piece))
        return tally

    def _in_process(self, function: Callable[..., Any], *arguments: Any) -> Any:
        assert self._killable is not None
        self._killable.start()
        for attempt in range(_ATTEMPTS):
            try:
                return self._killable.run(self._remaining_seconds(), function, *arguments)
            except TimeoutError as error:
                raise self._late() from error
            except (AuditError, KeyboardInterrupt):
                raise
            except Exception as error:
                if not self.replayable:
                    raise self._lost(error) from error
                if attempt == _ATTEMPTS - 1:
                    raise self._dying(error) from error

    def _remaining_seconds(self) -> float | None:
        """Until the time limit, where there is one; an error when it has passed."""
        if self.time_limit is None:
            return None
        if self.started is None:
            self.started = time.perf_counter()
        remaining = self.started + self.time_limit - time.perf_counter()
        if remaining <= 0:
            raise self._late()
        return min(remaining, _LONGEST_WAIT)

    def _late(self) -> TimeLimitError:
        return TimeLimitError(
            f"{self.name} must finish within the time limit, got time_limit={self.time_limit:g} seconds with "
            f"{self.done:,} of {self.total:,} draws made; it hangs, or needs fewer trials or more time"
        )

    def _dying(self, error: BaseException) -> MechanismError:
        return MechanismError(
            f"{self.name} must be callable in a worker, got {_ATTEMPTS} failures on the same draws; "
            f"the last was {type(error).__name__}: {error}"
        )

    def _lost(self, error: BaseException) -> MechanismError:
        return MechanismError(
            f"{self.name} must live on from call to call, because it draws its own randomness, got "
            f"{type(error).__name__}: {error}; what it kept is lost: use the rng that it is given"
        )

    def _measured(self, batch: Batch, rate: float) -> None:
        """Remembers how fast batches like this one are drawn; a single slow one hardly counts."""
        if batch.histograms:
            self._counting_rate = max(rate, self._counting_rate / 2)
        else:
            self._plain_rate = max(rate, self._plain_rate / 2)

    @property
    def rate(self) -> float:
        """Coin flips a second, as measured on the fastest batches here; 0 before anything was drawn."""
        return self._fastest

    @property
    def _fastest(self) -> float:
        """Coin flips a second of the fastest kind of batch; 0 before anything was drawn."""
        return max(self._plain_rate, self._counting_rate)

    def _rate(self, batch: Batch) -> float:
        """Coin flips a second of batches like this one; of the other kind's until some were drawn."""
        return (self._counting_rate if batch.histograms else self._plain_rate) or self._fastest

    def _sharing(self, todo: Sequence[Todo]) -> Shared | None:
        """How this work is shared among workers; None where it is drawn here."""
        work = [(batch, calls) for batch, _, calls in todo]
        if self.jobs == 1 or not self._fastest or sum(len(calls) for _, calls in work) < 2:
            return None
        now = sharing.trials(work) / self._rate(work[0][0])
        in_all = max(now, (self.total - self.done) / self._fastest)
        tuning = self.tuning
        if now < min(tuning.at_once, tuning.at_once_threads) or in_all < tuning.in_all:
            return None
        known = self._shared_before
        if known is None or (now >= tuning.at_once and not work[0][0].source.plain):
            known = self._shared_before = self._decided(work, in_all)
        worth = known.workers > 1 and (known.threads or now >= self._worth())
        return known if worth else None

    def _worth(self) -> float:
        """Seconds of work at once that are worth giving to processes."""
        if not sharing.cluster():
            return self.tuning.at_once
        return self.tuning.at_once_cluster if sharing.streams() else self.tuning.at_once_no_stream

    def _decided(self, work: Task, seconds: float) -> Shared:
        """With so many seconds of work to do: workers at all, and if so, threads or processes."""
        number, source = sharing.workers(self.jobs), work[0][0].source
        if number == 1 or not self.copies.may_be_sent(source):
            return Shared(1, threads=False)
        threads = self.time_limit is None and sharing.use_threads(work, self._fastest, seconds, number, self.tuning)
        return Shared(number, threads)

    def _shared(self, todo: Sequence[Todo], how: Shared) -> Iterator[Tally]:
        with contextlib.closing(self._results([(batch, calls) for batch, _, calls in todo], how)) as results:
            for batch, tally, calls in todo:
                remaining = len(calls)
                while remaining:
                    made, part = next(results)
                    remaining -= made
                    tally = self._said(batch, tally, part, remaining)
                yield tally

    def _results(self, work: Task, how: Shared) -> Generator[tuple[int, Tally], None, None]:
        """Number of calls and tally of each part of each task, in order; lost tasks are given out again."""
        tasks = sharing.cut_into_tasks(work, self._rate(work[0][0]), how.workers, how.threads, self.tuning)
        done = failures = 0
        while done < len(tasks):
            try:
                for tallies in sharing.tallies_of(
                    tasks[done:], self.jobs, how.threads, self._remaining_seconds, self.tuning
                ):
                    for (_, calls), tally in zip(tasks[done], tallies, strict=True):
                        yield len(calls), tally
                    done, failures = done + 1, 0
            except AuditError:
                raise
            except Exception as error:
                self._remaining_seconds()  # a limit that has passed explains itself
                failures += 1
                if failures == _ATTEMPTS:
                    raise self._dying(error) from error
