"""Recorded outputs and training runs as rows of the results file, and their replay from the same files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from auditor.doors import gate
from auditor.errors import UsageError
from auditor.one_run import audit_one_run
from auditor.results.entry import Entry
from auditor.results.one_run import OneRunResult
from auditor.samples import audit_samples
from auditor.sampling.files import Recording
from mechanisms.core.claims import Claim

_TRUE, _FALSE = ("true", "yes", "in", "1"), ("false", "no", "out", "0")


def samples_entry(
    left: Recording,
    right: Recording,
    claim: Claim,
    name: str | None,
    alpha: float,
    seed: int,
    views: Sequence[str] | None,
) -> Entry:
    """An audit of two files, with what a replay needs: their paths, columns and hashes."""
    files = f"{left.path.name} and {right.path.name}"
    identifier = name or files
    location = {
        "file": left.path.as_posix(),
        "line": None,
        "door": "samples",
        "files": [left.path.as_posix(), right.path.as_posix()],
        "digests": [left.digest(), right.digest()],
        "columns": list(left.columns),
    }
    called = f"what drew {files}" if identifier == files else identifier
    result = audit_samples(left, right, claim, alpha=alpha, seed=seed, views=views, name=called)
    return gate.entry_of(result, identifier, "recorded outputs", location, "")


def one_run_entry(recording: Recording, claim: Claim, name: str | None, alpha: float) -> Entry:
    """An audit of one training run; the whole OneRunResult stands in its location."""
    identifier = name or recording.path.name
    scores, included = score_columns(recording)
    found = audit_one_run(scores, included, claim, alpha=alpha, name=identifier)
    found = replace(found, source=recording.digest())
    location = {
        "file": recording.path.as_posix(),
        "line": None,
        "door": "one-run",
        "files": [recording.path.as_posix()],
        "digests": [found.source],
        "columns": list(recording.columns),
        "one_run": found.to_dict(),
    }
    return Entry(
        id=identifier,
        kind=gate.KIND,
        title="one training run",
        source=gate.index(location),
        outcome=found.verdict.value,
        claimed=claim.epsilon_at(found.delta),
        certified=found.epsilon_lower_any,
        delta=found.delta,
        p_value=found.p_value,
        trials_used=found.canaries,
        witness=found.sentence(),
        seconds=found.seconds,
        statement=str(claim),
        explanation="\n".join(found.limits),
        location=location,
    )


def again(stored: Entry) -> Entry:
    """The same entry, computed anew from the same files; a file that changed is an error."""
    location = stored.location or {}
    if not {"files", "digests", "columns"} <= set(location):
        raise UsageError(f"an entry must name its files, their hashes and columns to be replayed, got {stored.id!r}")
    files, digests, columns = location["files"], location["digests"], location["columns"]
    recordings = [Recording(Path(path), tuple(columns)) for path in files]
    for recording, digest in zip(recordings, [*digests, None, None], strict=False):
        if recording.digest() != digest:
            raise UsageError(
                f"a replay needs the file that was audited, got another {recording.path} (its hash differs)"
            )
    if location["door"] == "one-run" and recordings:
        before = OneRunResult.from_dict(location.get("one_run"))
        return one_run_entry(recordings[0], before.claim, stored.id, before.alpha)
    result = stored.audit_result
    if result is None or len(recordings) != 2:
        raise UsageError(f"an entry with a verdict can be replayed, got {stored.id!r} with outcome {stored.outcome!r}")
    return samples_entry(recordings[0], recordings[1], result.claim, stored.id, result.alpha, result.seed, result.views)


def score_columns(recording: Recording) -> tuple[Any, Any]:
    """The scores and whether each canary was included."""
    rows = recording.rows()
    if isinstance(rows, np.ndarray):
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise UsageError(f"{recording.path.name} must have two columns, a score and whether it was included")
        return rows[:, 0], rows[:, 1]
    return [row[0] for row in rows], [_flag(row[1], recording.path.name) for row in rows]


def _flag(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return value
    text = f"{value:g}" if isinstance(value, float) else str(value).strip().lower()
    if text not in _TRUE + _FALSE:
        raise UsageError(f"{name}: included must be 1 or 0, true or false, got {value!r:.40}")
    return text in _TRUE
