"""What an audit has drawn so far, in a file: an audit that was interrupted goes on where it stopped.

The file is JSON: counts of finished draws, and the outputs of the rounds from which events are learned.
It is replaced whole or not at all. Several audits may share one file; a finished one leaves its result
there. Nothing in it is executed. Processes that share a file write in turn, each its own audits' parts.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.escaping import line
from auditor.events.outputs import Form, Outputs
from auditor.request import Request
from auditor.results import schema
from auditor.results.files import check_regular, write_text
from auditor.results.result import AuditResult
from auditor.sampling.batch import Batch, GuessesBySide, Tally
from auditor.sampling.lock import writing

SCHEMA = "dp-audit-checkpoint/2"
_BEGINNING = 128  # bytes that hold the schema's name and the number of a write
WRITE_EVERY = 1.0  # seconds between two writes, at least
WRITING_SHARE = 0.05  # writing may take this share of the time


class Checkpoint:
    """The part of a checkpoint file that belongs to one audit; others may write theirs at the same time."""

    def __init__(self, path: str | os.PathLike[str], audit: dict[str, Any]) -> None:
        self.path = Path(path)
        text = json.dumps(audit, sort_keys=True)
        self._key = hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
        self._version = _version(self.path)  # before it is read: what is written in between counts as new
        self._audits = _read(self.path)
        self._own: dict[str, Any] = self._audits.setdefault(self._key, {"audit": audit, "batches": {}})
        self._next = 0.0

    def result(self, asked: Request) -> AuditResult | None:
        """The stored result of this audit, if it was finished; a UsageError where it cannot be its result."""
        if "result" not in self._own:
            return None
        found = AuditResult.from_dict(self._own["result"])
        same = (found.name, found.claim, found.trials, found.alpha, found.seed, found.views) == (
            (asked.name, asked.claim, asked.trials, asked.alpha, asked.seed, asked.views)
        )
        counts = found.witness.counts
        if not same or not 0 < found.trials_used <= found.trials or counts.left_trials + counts.right_trials <= 0:
            raise UsageError(
                f"the checkpoint {str(self.path)!r} is damaged; remove it (it has a result of {found.trials_used:,} "
                f"of {found.trials:,} trials for {found.name!r:.60}, which this audit cannot have had)"
            )
        return found

    def found(self, batch: Batch) -> tuple[Tally, int] | None:
        """What is known of a batch: its tally so far and the number of remaining calls."""
        stored = self._own["batches"].get(_name(batch))
        if stored is None:
            return None
        named = f"the checkpoint {str(self.path)!r}"
        schema.check("checkpoint_batch", stored, f"a batch of {named}", "it is damaged; remove it")
        try:
            return _tally(stored, batch, stored["left"]), stored["left"]
        except (KeyError, ValueError) as error:
            raise UsageError(f"{named} is damaged; remove it ({error})") from error

    def save(self, batch: Batch, tally: Tally, remaining: int) -> None:
        """Remembers what a batch has given so far, and writes it down unless that was done a moment ago."""
        if batch.keep and remaining and time.monotonic() < self._next:
            return  # outputs are packed where they are written down at once, or where the batch is whole
        counts = {"trials": tally.trials, "guesses": tally.guesses, "lone": tally.lone}
        stored: dict[str, Any] = {"left": remaining, **counts}
        if batch.keep:
            stored["outputs"] = [_packed(tally.left), _packed(tally.right)]
        if tally.noted:
            stored["warnings"] = dict(tally.noted)
        if tally.cells is not None:
            stored["cells"] = tally.cells.ravel().tolist()
        self._own["batches"][_name(batch)] = stored
        if time.monotonic() >= self._next:
            self.write()

    def keep(self) -> None:
        """The audit ends early, for a reason of its own: that one is told, not a failed write."""
        with contextlib.suppress(UsageError):
            self.write()

    def finish(self, result: dict[str, Any]) -> None:
        """The audit is over: its result replaces its draws."""
        del self._own["batches"]
        self._own["result"] = result
        self.write()

    def write(self) -> None:
        """Replaces the file: this audit's part by what is known here, the others' by what they have written."""
        start = time.monotonic()
        with writing(self.path):
            if _version(self.path) != self._version:
                self._audits = {**_read(self.path), self._key: self._own}
            _write(self.path, self._audits)
            self._version = _version(self.path)
        now = time.monotonic()
        self._next = now + max(WRITE_EVERY, (now - start) / WRITING_SHARE)


def _version(path: Path) -> bytes | None:
    """The beginning of a file, where each write puts a number of its own: inode, size and time of two writes may be
    the same."""
    try:
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except (OSError, ValueError):  # reading it says what is wrong with it
        return None


def prepare(path: str | os.PathLike[str]) -> None:
    """Before anything is drawn: a file that is no checkpoint or cannot be written is known at once."""
    with writing(Path(path)):
        _write(Path(path), _read(Path(path)))


def _write(path: Path, audits: dict[str, Any]) -> None:
    written = {"schema": SCHEMA, "written": uuid.uuid4().hex, "audits": audits}
    write_text(path, json.dumps(written, allow_nan=False))


def _read(path: Path) -> dict[str, Any]:
    """The audits in a file; none when there is no file."""
    check_regular(path, "a checkpoint")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"the checkpoint {str(path)!r} cannot be read: {error}") from error
    advice = "dp-audit did not write it as it is; name another or remove it"
    schema.check("checkpoint", data, f"the checkpoint {str(path)!r}", advice)
    return dict(data["audits"])


def _name(batch: Batch) -> str:
    """Streams and event: what makes a batch the same batch."""
    events = [None if event is None else event.to_dict() for event in (batch.event, batch.lone)]
    what = json.dumps([batch.source.pair, batch.name, batch.flips, batch.keep, *events])
    return hashlib.blake2b(what.encode(), digest_size=16).hexdigest()


def _packed(outputs: Outputs | None) -> dict[str, Any] | None:
    if outputs is None:
        return None
    numbers = base64.b64encode(outputs.numbers.astype("<f8").tobytes()).decode()
    return {"numbers": numbers, "labels": outputs.labels}


def _unpacked(stored: Any, trials: int, form: Form) -> Outputs | None:
    if stored is None:
        return None
    numbers = np.frombuffer(base64.b64decode(stored["numbers"], validate=True), "<f8").astype(np.float64)
    labels = None if form.kind != "labels" else [str(label) for label in stored["labels"]]
    if (labels is None) != (stored["labels"] is None) or (labels is not None and len(labels) != trials):
        raise ValueError("labels do not fit")
    return Outputs(numbers.reshape(trials, form.width), labels, form)


def _tally(stored: Any, batch: Batch, remaining: int) -> Tally:
    """A stored batch, which the schema allows, as a tally; a ValueError where its counts are not those of the batch."""
    lefts, rights = stored["trials"]
    guesses, lone = (_guesses(stored[key], lefts, rights) for key in ("guesses", "lone"))
    calls = batch.calls()
    made = [sum(n for _, side, n in calls[: len(calls) - remaining] if side == which) for which in (0, 1)]
    if remaining > len(calls) or [lefts, rights] != made:
        raise ValueError("counts do not fit")
    left = right = None
    if batch.keep and batch.source.form is not None:
        first, second = stored["outputs"]
        left, right = _unpacked(first, lefts, batch.source.form), _unpacked(second, rights, batch.source.form)
    cells = None
    if batch.histograms:
        size = sum(histogram.size for histogram in batch.histograms)
        cells = np.array(stored["cells"], dtype=np.int64).reshape(2, 2, size)
    noted = {key: line(text, 200) for key, text in stored.get("warnings", {}).items()}
    return Tally((lefts, rights), guesses, (), left, right, cells, noted, lone)


def _guesses(stored: Any, lefts: int, rights: int) -> GuessesBySide:
    a, b, c, d = stored
    if a + b > lefts or c + d > rights:
        raise ValueError("counts do not fit")
    return a, b, c, d
