"""What the adapters of all libraries share: a mechanism with a claim, and sentences for what goes wrong."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.sampling.built import BuiltInWorker, built_in_worker
from mechanisms.core.claims import ApproxDP, Claim

_DATASETS = 16  # datasets of which unused outputs are kept: those of the pairs that an audit is looking at

Sample = Callable[[Any, int, np.random.Generator], Any]


@dataclass(frozen=True)
class Adapted:
    """A library's object as a mechanism: `draw(dataset, n, rng)` gives n outputs, `claim` is what the library says."""

    id: str
    claim: Claim
    draw: Sample

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n outputs."""
        return self.draw(dataset, n, rng)

    @property
    def passes_on(self) -> Sample:
        """What draws: an audit looks there whether each output is a call of its own."""
        return self.draw


@dataclass(frozen=True)
class Factory:
    """Makes the library's object, and a mechanism of it, in the process that calls it."""

    id: str
    make: Callable[[], Any]
    adapt: Callable[[Any], Adapted]

    def __call__(self) -> Adapted:
        """The mechanism, made here."""
        return self.adapt(self.make())


class Pooled:
    """Draws of a library for which a call is slow and one more output cheap: what a call gives beyond is kept.

    `run(dataset, size, rng)` gives `size` independent outputs. Each is handed out once, for the dataset it was
    drawn on. A copy of this object, in another process or thread of it, begins with none: it shares no output.
    """

    def __init__(self, run: Sample, size: int) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise UsageError(f"size must be a whole number of at least 1, got size={size!r:.60}")
        self.run, self.size = run, size
        self._forget()

    def __call__(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n outputs, of as few calls as give them."""
        if self._process != os.getpid():  # a fork has the outputs of its parent
            self._forget()
        with self._lock:
            kept = self._kept.pop(key := pickle.dumps(dataset), [])
            while len(kept) < n:
                kept.extend(self.run(dataset, max(self.size, n - len(kept)), rng))
            self._kept[key] = kept[n:]
            for old in list(self._kept)[:-_DATASETS]:
                del self._kept[old]
            return kept[:n]

    def _forget(self) -> None:
        self._kept: dict[bytes, list[Any]] = {}
        self._lock, self._process = threading.Lock(), os.getpid()

    def __getstate__(self) -> tuple[Sample, int]:
        return self.run, self.size

    def __setstate__(self, state: tuple[Sample, int]) -> None:
        self.run, self.size = state
        self._forget()


def in_workers(make: Callable[[], Any], adapt: Callable[[Any], Adapted]) -> BuiltInWorker:
    """A mechanism of what `make()` returns, which cannot be sent to another process and is made there."""
    return built_in_worker(Factory(getattr(make, "__name__", type(make).__name__), make, adapt))


def missing(package: str, error: ImportError, beside: str = "") -> UsageError:
    """The sentence for a library that cannot be imported; `beside` is what must be installed with it."""
    return UsageError(f"{package} must be importable to be audited, got: {error}; run: pip install {package}{beside}")


def approx_dp(epsilon: Any, delta: Any = 0.0) -> ApproxDP:
    """The claim; a UsageError where the library's numbers promise nothing that can be tested."""
    try:
        return ApproxDP(float(epsilon), float(delta))
    except (TypeError, ValueError) as error:
        raise UsageError(f"a library's claim must be testable: {error}") from error


def by_key(rows: Sequence[tuple[Any, ...]]) -> Any:
    """Rows in no order: {key: values} where the columns that are no numbers differ from row to row, else sorted rows.

    Databases give groups in any order, which is not part of a release. A key or value of one column stands alone.
    """
    keys = [i for i in range(len(rows[0]) if rows else 0) if any(not _is_value(row[i]) for row in rows)]
    found = {_alone([row[i] for i in keys]): _alone([x for i, x in enumerate(row) if i not in keys]) for row in rows}
    if (keys or not rows) and len(found) == len(rows):
        return dict(sorted(found.items(), key=repr))
    return sorted((_alone(row) for row in rows), key=repr)


def _is_value(cell: Any) -> bool:
    return cell is None or (isinstance(cell, (Real, Decimal)) and not isinstance(cell, bool))


def _alone(cells: Sequence[Any]) -> Any:
    return cells[0] if len(cells) == 1 else tuple(cells)
