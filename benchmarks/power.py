"""How many draws a false claim survives: per side, at alpha = 0.001, with nothing known in advance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditor import ApproxDP, audit
from benchmarks import cases
from benchmarks.runs import spread
from benchmarks.tables import Table, at_most, ninetieth, whole

ALPHA = 1e-3
MOST = 2_000_000  # trials a side before an audit gives up
TITLE = "Power"


@dataclass(frozen=True)
class Case:
    """A mechanism that breaks a claim of (1, delta), and how many draws nine of ten audits may need."""

    name: str
    sample: Callable[..., Any]
    most: int
    aim: int
    delta: float = 0.0
    views: tuple[str, ...] = ("values",)


CASES = (
    Case("Laplace, truly 2", partial(cases.laplace, scale=1 / 2), 400, 250),
    Case("Laplace, truly 1.5", partial(cases.laplace, scale=1 / 1.5), 1_200, 800),
    Case("Laplace, truly 1.1", partial(cases.laplace, scale=1 / 1.1), 20_000, 12_000),
    Case("Laplace, truly 1.1, its best event as output", partial(cases.told_laplace, scale=1 / 1.1), 20_000, 12_000),
    Case("randomized response, truly 2", partial(cases.response, epsilon=2.0), 250, 180),
    Case("randomized response, truly 1.1", partial(cases.response, epsilon=1.1), 13_000, 8_000),
    Case(
        "Gaussian for (1, 1e-3), sigma halved",
        partial(cases.gaussian, sigma=cases.CLASSIC_SIGMA / 2),
        70_000,
        40_000,
        1e-3,
    ),
    Case("Laplace on doubles, bits view", cases.float_laplace, 400, 200, views=("values", "bits")),
)


def survived(case: Case, seed: int, most: int) -> float:
    """Draws a side until the claim was refuted; infinite when it was not."""
    claim = ApproxDP(1.0, case.delta)
    result = audit(
        case.sample,
        claim,
        [(0, 1)],
        trials=most,
        alpha=ALPHA,
        seed=seed,
        jobs=1,
        views=case.views,
        name=case.name,
    )
    return result.trials_used if result.refuted else math.inf


def table(seeds: int, jobs: int, most: int = MOST) -> Table:
    """One row a mechanism."""
    calls = [(case, seed, most) for case in CASES for seed in range(seeds)]
    found = list(spread(survived, calls, jobs, TITLE))
    rows = []
    for place, case in enumerate(CASES):
        used = sorted(found[place * seeds : (place + 1) * seeds])
        late = ninetieth(used)
        rows.append(
            {
                "mechanism": case.name,
                "median": statistics.median(used),
                "90th": late,
                "at most": case.most,
                "aim": case.aim,
                "stands": at_most(late, case.most, case.aim),
                "missed": sum(map(math.isinf, used)),
                "draws": used,
            }
        )
    columns = dict.fromkeys(("median", "90th", "at most", "aim"), whole)
    return Table(
        f"Draws per side to refute a claim of epsilon 1 at alpha = {ALPHA:g}, {seeds} seeds",
        {"mechanism": str, **columns, "stands": str, "missed": whole},
        rows,
        f"The 90th percentile is compared. Missed: not refuted within {most:,} trials a side.",
    )


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part."""
    yield table(seeds=20 if quick else 100, jobs=jobs)
