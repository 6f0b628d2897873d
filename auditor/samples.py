"""audit_samples(): a privacy claim tested on outputs that were drawn elsewhere.

The same engine and the same statistics as audit(); recorded outputs take the place of calls of a mechanism.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.engine import carry_out
from auditor.errors import UsageError
from auditor.request import Request, request
from auditor.results.result import AuditResult
from auditor.sampling.files import Recording
from auditor.sampling.formats import Rows, as_rows
from auditor.sampling.recorded import RecordedSource, Tape, tape_of_file, tape_of_rows, trials_for
from auditor.tuning import TUNING
from mechanisms.core.claims import Claim
from mechanisms.core.neighbours import NeighbourPair

_FEWEST = 100  # fewer outputs of a side could not refute anything worth refuting


class _Recorded:
    """Stands where a mechanism would; its outputs were drawn already."""

    id = "recorded outputs"
    views = ("values",)

    def sample(self, dataset: Tape, n: int, rng: np.random.Generator) -> Any:
        """The next n recorded outputs."""
        return dataset.take(n)


_RECORDED = _Recorded()


def audit_samples(
    left: Any,
    right: Any,
    claim: Claim,
    *,
    alpha: float = 0.01,
    seed: int = 0,
    views: Sequence[str] | None = None,
    name: str | None = None,
) -> AuditResult:
    """Tests a privacy claim on recorded outputs of a mechanism, and certifies how large epsilon must at least be.

    The null hypothesis is that the claim holds for the two datasets from which the outputs were drawn; it is refuted
    falsely with probability at most alpha, and `epsilon_lower` exceeds the truth with probability at most alpha, both
    together. Assumes that the outputs of each side are independent draws.

    Args:
        left: Outputs on one dataset, one a row: an array, a list, a pandas series or frame, or the path of a file
            (.npy, .npz, .csv, .jsonl, .parquet, each also .gz).
        right: Outputs on its neighbour, as many or more or fewer.
        claim: ApproxDP, GaussianDP, ZCDP or another claim.
        alpha: The false-alarm probability of the whole audit.
        seed: Fixes the order in which outputs are used, and the coins.
        views: What events may look at: "values" (the default) or "bits" or both. The bits of a recorded number tell how
            it was stored as well as how it was drawn, so they are looked at only where that is asked for.
        name: What the result calls the mechanism.
    """
    return carry_out(recorded_request(left, right, claim, alpha, seed, views, name))


def recorded_request(
    left: Any, right: Any, claim: Claim, alpha: float, seed: int, views: Sequence[str] | None, name: str | None
) -> Request:
    """The checked arguments, with recorded outputs in place of a mechanism's, and as many trials as they allow."""
    checked = request(_RECORDED, claim, [(0, 1)], 1, alpha, seed, views, name)
    tapes = tuple(_tape(side, data, checked.seed) for side, data in (("left", left), ("right", right)))
    for side, tape in zip(("left", "right"), tapes, strict=True):
        if tape.length < _FEWEST:
            raise UsageError(f"a side needs at least {_FEWEST} outputs, got {tape.length} on the {side}")
    _check_alike(tapes[0], tapes[1])
    trials = trials_for(*(tape.length - TUNING.rounds.pilot for tape in tapes))
    pair = NeighbourPair(tapes[0], tapes[1], why="recorded outputs")
    return replace(checked, pairs=(pair,), trials=trials, source=RecordedSource)


def _tape(side: str, data: Any, seed: int) -> Tape:
    if isinstance(data, (str, os.PathLike)):
        data = Recording(Path(data))
    if isinstance(data, Recording):
        return tape_of_file(data, seed, side)
    columns = tuple(map(str, data.columns)) if hasattr(data, "columns") else ()
    return tape_of_rows(rows_of(data, side), side, seed, side, columns)


def rows_of(data: Any, side: str) -> Rows:
    """Outputs in memory, one a row: an array as it is, a frame as tuples or numbers, anything else as a list."""
    if hasattr(data, "to_numpy"):
        data = data.to_numpy()
    if isinstance(data, np.ndarray):
        if data.ndim == 0:
            raise UsageError(f"recorded outputs must have one row for each, got a single value on the {side}")
        if data.dtype == object and data.ndim == 2:
            return [tuple(row) for row in data.tolist()]
        return data if data.dtype.kind in "biufc" else as_rows(data.tolist())
    if isinstance(data, (bytes, dict)) or not hasattr(data, "__iter__"):
        raise UsageError(
            f"recorded outputs must be an array, a list, a frame or the path of a file, got a {type(data).__name__} "
            f"on the {side}"
        )
    return as_rows(list(data))


def _check_alike(left: Tape, right: Tape) -> None:
    kinds = [tape.kind for tape in (left, right)]
    if kinds[0] != kinds[1]:
        raise UsageError(
            f"both sides must hold outputs of one kind, got {kinds[0]} on the left and {kinds[1]} on the right"
        )
    if left.columns and right.columns and left.columns != right.columns:
        shown = [", ".join(tape.columns)[:100] for tape in (left, right)]
        raise UsageError(
            f"both sides must have the same columns in the same order, got {shown[0]} on the left and {shown[1]} on "
            "the right; name the ones that are the output with --column, or choose them beforehand"
        )
