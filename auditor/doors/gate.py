"""What the two doors share: an audit as a row of the results file, and a refutation in words.

The doors are `dp-audit run` and the pytest fixture: both audit someone's own code, without a ground truth.
"""

from __future__ import annotations

import functools
import inspect
import os
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditor.escaping import logged
from auditor.results.document import Document
from auditor.results.entry import ERROR_OUTCOME, Entry, found
from auditor.results.result import AuditResult
from auditor.results.summary import by_bits
from auditor.sampling.built import BuiltInWorker
from auditor.sampling.draws import Batched, PerDraw

KIND = "audit"


def entry_of(result: AuditResult, identifier: str, title: str, location: Mapping[str, Any], replay: str) -> Entry:
    """A finished audit as a row of the results file."""
    return Entry(
        id=identifier,
        kind=KIND,
        title=title,
        source=index(location),
        explanation="\n".join([*by_bits(result), *result.warnings, *result.limits]),
        replay=replay if result.replayable else "",
        location=location,
        **found(result),
    )


NOT_REPLAYABLE = "it cannot be replayed: the mechanism draws its own randomness and ignores rng"


def error_entry(
    error: BaseException, identifier: str, title: str, location: Mapping[str, Any], seconds: float = 0.0
) -> Entry:
    """An audit that ended without a verdict, why, and after how many seconds."""
    return Entry(
        id=identifier,
        kind=KIND,
        title=title,
        source=index(location),
        outcome=ERROR_OUTCOME,
        reason=str(error) or type(error).__name__,
        seconds=seconds,
        location=location,
    )


def explain(result: AuditResult, replay: str) -> str:
    """Why a claim is refuted: the loss, the event with its counts, the evidence, the line that repeats it."""
    at = f" at delta = {result.delta:.3g}" if result.delta else ""
    lines = [
        f"{result.claim} is refuted: epsilon is {_beyond(result)}{at}",
        _indented(str(result.witness)),
        *(_indented(f"Why: {sentence}") for sentence in result.diagnosis),
        *map(_indented, by_bits(result)),
        *(_indented(f"But note: {warning}") for warning in result.warnings),
        f"  p-value  {result.p_value:.2g}, with a false-alarm probability of at most {result.alpha:.3g}",
        f"  draws    {result.trials_used:,} a side of at most {result.trials:,}, seed {result.seed}",
        f"  replay   {replay if result.replayable else NOT_REPLAYABLE}",
    ]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return textwrap.fill(logged(text), 76, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _beyond(result: AuditResult) -> str:
    """The certified epsilon, in as many digits as it takes to see that it lies above the claimed one."""
    claimed, certified = result.claim.epsilon_at(result.delta), result.epsilon_lower
    if certified <= claimed:
        return f"more than {claimed:.4g}"
    digits = next((d for d in range(4, 16) if f"{certified:.{d}g}" != f"{claimed:.{d}g}"), 16)
    return f"at least {certified:.{digits}g}"


def pytest_arguments(node: str, result: AuditResult, quick: bool, timed: bool = False, call: str = "") -> list[str]:
    """What makes pytest repeat the audit of one test: options of the test's own call win anyway, but for a budget of
    time (`timed`), whose trials are fixed now, and a time limit that cut off the test's `call` ("#2" the second)."""
    flags = [f"--dp-seed={result.seed}", f"--dp-trials={result.trials}", f"--dp-alpha={result.alpha!r}"]
    flags += ["--dp-quick"] if quick else []
    flags += ["--dp-seconds=0"] if timed else []
    flags += [] if result.cut_off is None else [f"--dp-cut-off={len(result.evidence)}:{result.cut_off!r}{call}"]
    return [node, *flags]


def title_of(mechanism: Any) -> str:
    """What people call this mechanism."""
    bare = unwrapped(mechanism)
    name = getattr(bare, "title", None) or getattr(bare, "__qualname__", None)
    return name if isinstance(name, str) else type(bare).__qualname__


def unwrapped(mechanism: Any) -> Any:
    """The function inside partials, methods and `per_draw`; anything else as it is."""
    for _ in range(10):
        if isinstance(mechanism, functools.partial):
            mechanism = mechanism.func
        elif isinstance(mechanism, (PerDraw, Batched, BuiltInWorker)):
            mechanism = mechanism.function
        elif inspect.ismethod(mechanism) or hasattr(mechanism, "__wrapped__"):
            mechanism = getattr(mechanism, "__wrapped__", None) or mechanism.__func__
        else:
            break
    return mechanism


def source_line(mechanism: Any) -> tuple[Path, int] | None:
    """The file and the line that define a mechanism: its function, or its class."""
    bare = unwrapped(mechanism)
    defined = bare if inspect.isfunction(bare) or inspect.isclass(bare) else type(bare)
    try:
        file = inspect.getsourcefile(defined)
        return None if file is None else (Path(file), max(1, inspect.getsourcelines(defined)[1]))
    except (OSError, TypeError):
        return None


def relative(path: str | os.PathLike[str], root: Path) -> str | None:
    """The path below `root`, with forward slashes; None when it lies elsewhere."""
    try:
        return Path(path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return None


def index(location: Mapping[str, Any]) -> str:
    """`file:line`, as editors and people read it."""
    file, line = location.get("file"), location.get("line")
    return f"{file}:{line}" if file and line else str(file or location.get("target", ""))


def weakest(entries: Iterable[Entry]) -> Entry | None:
    """The audit with the largest blind spot: what it can detect, compared with what is claimed."""

    def blindness(entry: Entry) -> float:
        detectable, claimed = entry.detectable or 0.0, entry.claimed or 0.0
        return detectable / claimed if claimed else detectable * 1e9

    judged = [entry for entry in entries if entry.detectable is not None and entry.outcome == "not refuted"]
    return max(judged, key=blindness, default=None)


def rooted(document: Document, root: Path, folder: Path) -> Document:
    """The document with the way from its folder back to `root`, so that a replay finds the code again."""
    try:
        way = Path(os.path.relpath(root.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive: the replay then starts from the current folder
        return document
    entries = (replace(e, location={**e.location, "root": way}) if e.location else e for e in document.entries)
    return replace(document, entries=tuple(entries))
