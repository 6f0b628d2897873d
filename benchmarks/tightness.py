"""How close the certified epsilon comes to the exact one, the event not known in advance."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from auditor import ApproxDP, audit
from benchmarks import cases
from benchmarks.runs import spread
from benchmarks.tables import Columns, Table, at_least, number, share, whole

ALPHA = 0.05
TRIALS = 1_000_000  # what the wanted shares are for
TITLE = "Tightness"


@dataclass(frozen=True)
class Case:
    """A mechanism whose epsilon is known, with what is wanted of its bound as a share of that epsilon.

    `ceiling` is the median of a bound that knows the best event in advance (joint test, all draws).
    """

    name: str
    sample: Callable[..., Any]
    exact: float
    least: float
    aim: float
    ceiling: float
    delta: float = 0.0
    pair: tuple[int, int] = (0, 1)


CASES = (
    Case("Laplace, epsilon 1", cases.laplace, 1.0, 0.990, 0.995, 0.996),
    Case("randomized response, epsilon 1", cases.response, 1.0, 0.990, 0.997, 0.998),
    Case("two-sided geometric, epsilon 1", cases.geometric, 1.0, 0.990, 0.997, 0.998),
    Case("classic Gaussian for (1, 1e-3)", cases.gaussian, 0.633906, 0.93, 0.965, 0.973, 1e-3),
    Case("Poisson q = 0.1 of Laplace 1", cases.subsampled, 0.158565, 0.93, 0.965, 0.974),
    Case(
        "propose-test-release, distances 5/6",
        cases.propose_test_release,
        1.99,
        0.98,
        0.99,
        0.993,
        1e-3,
        (5, 6),
    ),
    Case("10 × Laplace 0.1, vector", cases.composed, 1.0, 0.85, 0.91, 0.919),
)


def certify(case: Case, seed: int, trials: int) -> tuple[float, float]:
    """Certified / exact, and seconds. The claim is far above the truth: all draws go into the bound."""
    start = time.perf_counter()
    claim = ApproxDP(5 * case.exact, case.delta)
    result = audit(case.sample, claim, [case.pair], trials=trials, alpha=ALPHA, seed=seed, jobs=1, views=("values",))
    return result.epsilon_lower / case.exact, time.perf_counter() - start


def table(seeds: int, trials: int, jobs: int) -> Table:
    """One row a mechanism."""
    calls = [(case, seed, trials) for case in CASES for seed in range(seeds)]
    found = list(spread(certify, calls, jobs, TITLE))
    rows = []
    for place, case in enumerate(CASES):
        runs = found[place * seeds : (place + 1) * seeds]
        ratios = [ratio for ratio, _ in runs]
        median = statistics.median(ratios)
        rows.append(
            {
                "mechanism": case.name,
                "exact": case.exact,
                "delta": case.delta,
                "median": median,
                "min": min(ratios),
                "max": max(ratios),
                **(_wanted(case, median) if trials == TRIALS else {}),
                "above truth": sum(ratio > 1 for ratio in ratios),
                "seconds": statistics.median(seconds for _, seconds in runs),
                "ratios": ratios,
            }
        )
    columns: Columns = {"mechanism": str, "exact": number, **dict.fromkeys(("median", "min", "max"), share)}
    if trials == TRIALS:
        columns |= {**dict.fromkeys(("at least", "aim", "oracle"), share), "stands": str}
    return Table(
        f"Certified / exact epsilon at {trials:,} trials a side, 95 %, {seeds} seeds",
        {**columns, "above truth": whole, "seconds": number},
        rows,
        "The oracle knows the best event in advance. A bound may lie above the truth in 5 % of runs.",
    )


def _wanted(case: Case, median: float) -> dict[str, Any]:
    stands = at_least(median, case.least, case.aim)
    return {"at least": case.least, "aim": case.aim, "oracle": case.ceiling, "stands": stands}


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part."""
    yield table(seeds=3 if quick else 25, trials=100_000 if quick else TRIALS, jobs=jobs)
