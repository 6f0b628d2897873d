"""What is certified of compositions whose exact epsilon is known, from draws of one step alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditor import ApproxDP, TradeOff, audit, tradeoff
from benchmarks import cases
from benchmarks.runs import spread
from benchmarks.tables import Columns, Table, at_least, at_most, number, whole

ALPHA = 0.05
SEEDS = 9
TITLE = "Composition"


@dataclass(frozen=True)
class Case:
    """A step, what is made of its curve, the exact value, and what is wanted of the median: (at least, aim) by
    trials.
    """

    name: str
    step: Callable[..., Any]
    made: Callable[[TradeOff], float]
    exact: float
    wanted: dict[int, tuple[float, float]]


def _sgd(curve: TradeOff) -> float:
    return curve.subsampled(0.01).times(1000).epsilon_at(1e-5)


def _times(curve: TradeOff, k: int, delta: float) -> float:
    return curve.times(k).epsilon_at(delta)


def _mu(curve: TradeOff) -> float:
    return curve.mu


MILLION, TEN = 10**6, 10**7

CASES = (
    Case(
        "DP-SGD sigma 1, rate .01, 1,000 steps, delta 1e-5",
        partial(cases.gaussian, sigma=1.0),
        _sgd,
        1.828,
        {MILLION: (1.61, 1.70), TEN: (1.71, 1.78)},
    ),
    Case(
        "100 Gaussians of sigma 10, delta 1e-5",
        partial(cases.gaussian, sigma=10.0),
        partial(_times, k=100, delta=1e-5),
        4.377,
        {MILLION: (3.77, 4.05), TEN: (4.15, 4.28)},
    ),
    Case(
        "10 × Laplace .1, delta 0",
        partial(cases.laplace, scale=10.0),
        partial(_times, k=10, delta=0.0),
        1.0,
        {MILLION: (0.92, 0.96), TEN: (0.975, 0.99)},
    ),
    Case(
        "LaplaceParallel of the zoo (20 × .005), delta 0",
        partial(cases.laplace, scale=200.0),
        partial(_times, k=20, delta=0.0),
        0.1,
        {TEN: (0.06, 0.07)},
    ),
    Case(
        "mu of one Gaussian, sigma 1",
        partial(cases.gaussian, sigma=1.0),
        _mu,
        1.0,
        {MILLION: (0.97, 0.985), TEN: (0.99, 0.995)},
    ),
)


def certify(case: Case, seed: int, trials: int) -> tuple[float, float, float]:
    """What is certified, and the seconds that the curve and its composition took."""
    start = time.perf_counter()
    curve = tradeoff(case.step, (1, 0), trials=trials, alpha=ALPHA, seed=seed, jobs=1, views=("values",))
    drawn = time.perf_counter()
    return case.made(curve), drawn - start, time.perf_counter() - drawn


def table(trials: int, seeds: int, jobs: int, wanted: int | None = None) -> Table:
    """One row a mechanism; `wanted` is the number of trials for which something is wanted."""
    chosen = [case for case in CASES if (wanted or trials) in case.wanted]
    found = list(spread(certify, [(case, seed, trials) for case in chosen for seed in range(seeds)], jobs, TITLE))
    rows = []
    for index, case in enumerate(chosen):
        runs = found[index * seeds : (index + 1) * seeds]
        values = [value for value, _, _ in runs]
        least, aim = case.wanted[wanted or trials]
        median = statistics.median(values)
        rows.append(
            {
                "mechanism": case.name,
                "exact": case.exact,
                "median": median,
                "min": min(values),
                "max": max(values),
                "at least": least,
                "aim": aim,
                "stands": at_least(median, least, aim) if trials == (wanted or trials) else "",
                "above truth": sum(value > case.exact for value in values),
                "curve s": statistics.median(seconds for _, seconds, _ in runs),
                "compose s": statistics.median(seconds for _, _, seconds in runs),
                "values": values,
            }
        )
    columns: Columns = {"mechanism": str, **dict.fromkeys(("exact", "median", "min", "max", "at least", "aim"), number)}
    columns |= {"stands": str, "above truth": whole, "curve s": number, "compose s": number}
    return Table(
        f"Certified from {trials:,} draws a side of one step, 95 %, {seeds} seeds",
        columns,
        rows,
        "Exact: dp-accounting, or closed forms. A bound may lie above the truth in 5 % of runs.",
    )


def against_audit(trials: int, repeats: int) -> Table:
    """Seconds of a curve of a scalar mechanism, and of an audit of the same size that uses all its draws."""

    def seconds(run: Callable[[int], Any]) -> float:
        found = []
        for seed in range(repeats):
            start = time.perf_counter()
            run(seed)
            found.append(time.perf_counter() - start)
        return statistics.median(found)

    options: dict[str, Any] = {"trials": trials, "jobs": 1, "views": ("values",)}
    curve = seconds(lambda seed: tradeoff(cases.laplace, (1, 0), seed=seed, **options))
    whole_audit = seconds(lambda seed: audit(cases.laplace, ApproxDP(5.0), [(1, 0)], seed=seed, **options))
    row = {"trials": trials, "curve s": curve, "audit s": whole_audit, "ratio": curve / whole_audit}
    columns: Columns = {"trials": whole, "curve s": number, "audit s": number, "ratio": number, "stands": str}
    return Table("Time beside an audit of Laplace", columns, [{**row, "stands": at_most(curve / whole_audit, 2.0)}])


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The tables of this part."""
    if quick:
        yield table(100_000, 3, jobs, MILLION)
        return
    yield table(MILLION, SEEDS, jobs)
    yield table(TEN, SEEDS, jobs)
    yield against_audit(MILLION, 5)
