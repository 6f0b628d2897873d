"""How the cost of an audit grows: with trials, with pairs, and with mechanisms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from auditor import ApproxDP, AuditResult, audit
from benchmarks import cases, runs
from benchmarks.tables import Table, share, whole


def _timed(pairs: int, trials: int, name: str = "Laplace count") -> tuple[float, AuditResult]:
    """One core; every pair is as bad as the next, so none is dropped before its time."""
    both = [(k, k + 1) for k in range(pairs)]
    start = time.perf_counter()
    result = audit(cases.laplace, ApproxDP(1.0), both, trials=trials, seed=1, jobs=1, views=("values",), name=name)
    return time.perf_counter() - start, result


def _row(what: str, seconds: float, results: Sequence[AuditResult]) -> dict[str, Any]:
    draws = sum(runs.draws(result) for result in results)
    return {"what": what, "draws": draws, "s": seconds, "ns a draw": 1e9 * seconds / draws}


def table(most: int) -> Table:
    """One row a size, each the only thing that grows."""
    _timed(1, 10_000)
    rows = []
    for trials in (10**power for power in range(4, 9) if 10**power <= most):
        seconds, result = _timed(1, trials)
        rows.append(_row(f"{trials:,} trials", seconds, [result]))
    for pairs in (1, 10, 100):
        seconds, result = _timed(pairs, most // 100)
        rows.append(_row(f"{most // 100:,} trials, {pairs} pairs", seconds, [result]))
    for number in (1, 10, 100):
        found = [_timed(1, most // 1000, f"mechanism {place}") for place in range(number)]
        seconds = sum(seconds for seconds, _ in found)
        rows.append(_row(f"{most // 1000:,} trials, {number} mechanisms", seconds, [result for _, result in found]))
    return Table(
        "How cost grows: Laplace counts with true claims, one core",
        {"what": str, "draws": whole, "s": share, "ns a draw": "{:.1f}".format},
        rows,
        "Draws of both sides and all pairs.",
    )
