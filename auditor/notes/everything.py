"""Runs the whole of the notes: every ledger entry, and an audit of everything in the catalogue."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from auditor import __version__
from auditor.errors import UsageError
from auditor.notes.catalogue_audits import audit_entry, count_tests
from auditor.notes.contents import CONTENTS
from auditor.notes.entries import Check, registered
from auditor.notes.run import Run
from auditor.results.document import Document
from auditor.results.entry import ERROR_OUTCOME, Entry
from mechanisms.core.catalogue import catalogue

ALPHA = 0.01
Progress = Callable[[int, int, Entry], None]  # entries done, entries in all, the one just finished


@cache
def checks() -> tuple[Check, ...]:
    """Every check of the ledger, found by looking at the folders `lecture_*`, in the order of the notes."""
    package = importlib.import_module("auditor.notes")
    for module in sorted(info.name for info in pkgutil.walk_packages(package.__path__, "auditor.notes.")):
        if module.startswith("auditor.notes.lecture_"):
            importlib.import_module(module)
    order = {identifier: place for place, identifier in enumerate(CONTENTS)}
    return tuple(sorted(registered(), key=lambda check: (check.id[:3], order.get(check.id, len(order)))))


@cache
def random_tests() -> int:
    """How many random tests share the run's alpha: those of the ledger's entries and of the catalogue's."""
    return sum(check.tests for check in checks()) + sum(map(count_tests, catalogue()))


def run_check(check: Check, quick: bool = False, seed: int = 0, alpha: float = ALPHA) -> Entry:
    """One entry, computed. A check that raises becomes an entry with outcome "error"; the others go on."""
    run = Run(check.id, alpha / random_tests(), check.tests, seed=seed, quick=quick)
    described: dict[str, Any] = {
        "id": check.id,
        "kind": "claim",
        "title": check.title,
        "source": check.source,
        "expected": check.expected,
        "statement": check.statement,
        "conditions": check.conditions,
        "seed": seed,
    }
    start = time.perf_counter()
    try:
        computed = dict(vars(check.function(run)))
        run.finished()
    except Exception as error:  # whatever went wrong belongs to this entry alone
        computed = {"outcome": ERROR_OUTCOME, "reason": f"{type(error).__name__}: {error}"}
    return Entry(**described, **computed, seconds=time.perf_counter() - start)


def _work(identifier: str, quick: bool, seed: int, alpha: float) -> Entry:
    for check in checks():
        if check.id == identifier:
            return run_check(check, quick, seed, alpha)
    return audit_entry(identifier, quick, seed, alpha / random_tests())


@contextlib.contextmanager
def processes(jobs: int) -> Iterator[None]:
    """Joblib works with so many processes in here; one that has grown is replaced without a warning."""
    from joblib import parallel_config

    with parallel_config(n_jobs=jobs), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        yield


def _collect(
    entries: list[Entry],
    identifiers: Sequence[str],
    quick: bool,
    jobs: int,
    seed: int,
    alpha: float,
    progress: Progress | None,
) -> None:
    """Computes the entries in worker processes and appends each as it is done: nothing done is lost."""
    from joblib import Parallel, delayed

    if not identifiers:
        return
    tasks = (delayed(_work)(name, quick, seed, alpha) for name in sorted(identifiers, key=_first))
    with processes(min(jobs, len(identifiers)) if jobs > 0 else jobs):
        for entry in Parallel(return_as="generator_unordered")(tasks):
            entries.append(entry)
            if progress is not None:
                progress(len(entries), len(identifiers), entry)


def known_ids() -> tuple[str, ...]:
    """Ledger ids in the order of the notes, then the catalogue's."""
    return (*(check.id for check in checks()), *(mechanism.id for mechanism in catalogue()))


def _chosen(ids: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    if ids is None:
        return list(known)
    wanted = list(ids)
    unknown = [identifier for identifier in wanted if identifier not in known]
    if unknown:
        raise UsageError(f"the id must be one that `dp-audit list` prints, got {unknown[0]!r}")
    return [identifier for identifier in known if identifier in wanted]


def _first(identifier: str) -> tuple[int, str]:
    """Long work first, so that the last worker does not end alone."""
    tests = {check.id: check.tests for check in checks()}
    return (-tests.get(identifier, 2), identifier)


def notes(
    ids: Iterable[str] | None = None,
    quick: bool = False,
    jobs: int = -1,
    seed: int = 0,
    alpha: float = ALPHA,
    progress: Progress | None = None,
    command: str = "dp-audit notes",
) -> Document:
    """The whole of `dp-audit notes`: the ledger, and every mechanism and mutant of the catalogue audited.

    One alpha covers the run: each random test gets alpha / random_tests() (Bonferroni). Corrections that look at all
    p-values first, such as Holm's, do not apply: an audit stops, and an interval is made, at a level that is fixed
    before anything is drawn. An interrupt keeps what is done.
    """
    start = time.perf_counter()
    known = known_ids()
    entries: list[Entry] = []
    interrupted = False
    try:
        _collect(entries, _chosen(ids, known), quick, jobs, seed, alpha, progress)
    except KeyboardInterrupt:
        interrupted = True
    return Document(
        entries=tuple(sorted(entries, key=lambda entry: known.index(entry.id))),
        version=__version__,
        title="The lecture notes, checked",
        alpha=alpha,
        seed=seed,
        command=command,
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
    )
