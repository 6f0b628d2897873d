"""What all benchmarks that repeat audits share: many of them over joblib's workers, and the draws of one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from auditor import ApproxDP, AuditResult, audit
from benchmarks import cases
from benchmarks.tables import track

T = TypeVar("T")
R = TypeVar("R", bound=Hashable)  # a row of a study


def spread(function: Callable[..., T], calls: Sequence[Sequence[Any]], jobs: int, label: str) -> Iterator[T]:
    """function(*call) for every call, in order. An audit inside has jobs=1: the calls share the cores."""
    if jobs == 1:
        results: Any = (function(*call) for call in calls)
    else:
        from joblib import Parallel, delayed

        results = Parallel(n_jobs=jobs, return_as="generator")(delayed(function)(*call) for call in calls)
    yield from track(results, label, len(calls))


def counted_by_row(
    count: Callable[[R, range], Mapping[str, int]], rows: Sequence[R], total: int, batch: int, jobs: int, label: str
) -> dict[R, Counter[str]]:
    """What `count(row, numbers)` counts for each row, over the numbers from 0 to `total`, in batches of them."""
    parts = [range(first, min(first + batch, total)) for first in range(0, total, batch)]
    calls = [(row, part) for part in parts for row in rows]
    found: dict[R, Counter[str]] = {row: Counter() for row in rows}
    for (row, _), counts in zip(calls, spread(count, calls, jobs, label), strict=True):
        found[row].update(counts)
    return found


def tight_laplace(trials: int, jobs: int) -> tuple[AuditResult, float]:
    """A whole audit of d + rng.laplace(0, 1, n) with a true claim, and the seconds that it took."""
    start = time.perf_counter()
    result = audit(
        cases.laplace, ApproxDP(1.0), [(0, 1)], trials=trials, alpha=0.01, seed=1, jobs=jobs, views=("values",)
    )
    return result, time.perf_counter() - start


def draws(result: AuditResult) -> int:
    """All draws of an audit, both sides and all pairs, from the trace of its rounds."""
    levels = sorted({drawn for drawn, _ in result.evidence})
    before = dict(zip(levels, [0, *levels], strict=False))
    return 2 * sum(drawn - before[drawn] for drawn, _ in result.evidence)
