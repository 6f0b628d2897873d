"""What all benchmarks that repeat audits share: many of them over joblib's workers, and the draws of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from auditor import AuditResult
from benchmarks.tables import track

T = TypeVar("T")


def spread(function: Callable[..., T], calls: Sequence[Sequence[Any]], jobs: int, label: str) -> Iterator[T]:
    """function(*call) for every call, in order. An audit inside has jobs=1: the calls share the cores."""
    if jobs == 1:
        results: Any = (function(*call) for call in calls)
    else:
        from joblib import Parallel, delayed

        results = Parallel(n_jobs=jobs, return_as="generator")(delayed(function)(*call) for call in calls)
    yield from track(results, label, len(calls))


def draws(result: AuditResult) -> int:
    """All draws of an audit, both sides and all pairs, from the trace of its rounds."""
    levels = sorted({drawn for drawn, _ in result.evidence})
    before = dict(zip(levels, [0, *levels], strict=False))
    return 2 * sum(drawn - before[drawn] for drawn, _ in result.evidence)
