"""How often a certified curve, or what it composes to, passes the truth: small budgets, exactly known mechanisms.

`python -m benchmarks.coverage [--repeats N] [--jobs N] [--out DIR]`. A row errs when any vertex of the curve lies above
the exact curve, or any epsilon after composition above the exact one.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr, ndtri

from auditor import GaussianDP, TradeOff, tradeoff
from auditor.certify import losses
from auditor.notes.exact.composition import composed_randomized_response
from benchmarks import cases
from benchmarks.runs import spread
from benchmarks.tables import RESULTS, Columns, Table, number, publish, terminal, whole
from mechanisms.core.claims import Profile
from mechanisms.core.profiles import laplace_product_profile

ALPHA = 0.05
BUDGETS = (300, 1_000, 5_000)  # draws a side, in turn
REPEATS = 5_000  # curves a row: 2e4 and more in all
RUNS = 20  # of the composition
DELTAS = (0.0, 1e-5, 1e-2)
EVERY = 5  # of so many curves one is composed, which takes longer than to certify it
BATCH = 50  # curves a task
GRID = 2**14  # of the composed losses: coarser than elsewhere, as there are many
RATE = 0.1
TITLE = "Coverage of trade-off curves"

Floats = Any


@dataclass(frozen=True)
class Known:
    """A mechanism with its exact curve (true positives at false positives) and its exact epsilons after RUNS runs."""

    name: str
    sample: Callable[..., Any]
    curve: Callable[[Floats], Floats]
    composed: Callable[[], tuple[float, ...]]


def gaussian_curve(x: Floats) -> Floats:
    """Phi(Phi^-1(x) + 1): mu = 1."""
    return ndtr(ndtri(x) + 1)


def laplace_curve(x: Floats) -> Floats:
    """Of two Laplace distributions one scale apart."""
    low, middle = math.e * x, 1 - math.exp(-1) / (4 * np.maximum(x, 1e-9))
    return np.where(x < math.exp(-1) / 2, low, np.where(x <= 0.5, middle, 1 - math.exp(-1) * (1 - x)))


def response_curve(x: Floats) -> Floats:
    """Of randomized response with epsilon 1: slopes e and 1/e."""
    return np.minimum(math.e * x, 1 - math.exp(-1) * (1 - x))


def subsampled_curve(x: Floats) -> Floats:
    """(1 - rate) N(0, 1) + rate N(1, 1) against N(0, 1)."""
    return (1 - RATE) * x + RATE * gaussian_curve(x)


def subsampled_gaussian(dataset: Any, n: int, rng: np.random.Generator) -> Any:
    """The record 1 is sampled with probability RATE; without it, noise alone."""
    return rng.normal(0, 1, n) + dataset * (rng.random(n) < RATE)


def epsilons(profile: Callable[[], Profile]) -> tuple[float, ...]:
    """The exact epsilons after RUNS runs at DELTAS."""
    exact = profile()
    return tuple(
        math.inf if delta == 0 and isinstance(exact, GaussianDP) else exact.epsilon_at(delta) for delta in DELTAS
    )


@cache
def subsampled_epsilons() -> tuple[float, ...]:
    """By dp-accounting, rounded up."""
    from dp_accounting.pld import privacy_loss_distribution

    one = privacy_loss_distribution.from_gaussian_mechanism(1.0, sampling_prob=RATE, value_discretization_interval=1e-4)
    composed = one.self_compose(RUNS)
    return tuple(math.inf if delta == 0 else composed.get_epsilon_for_delta(delta) for delta in DELTAS)


ROWS = (
    Known(
        "Gaussian, mu 1",
        partial(cases.gaussian, sigma=1.0),
        gaussian_curve,
        cache(partial(epsilons, partial(GaussianDP, math.sqrt(RUNS)))),
    ),
    Known(
        "Laplace 1", cases.laplace, laplace_curve, cache(partial(epsilons, partial(laplace_product_profile, 1.0, RUNS)))
    ),
    Known(
        "randomized response 1",
        cases.response,
        response_curve,
        cache(partial(epsilons, partial(composed_randomized_response, 1.0, RUNS))),
    ),
    Known("Gaussian, mu 1, rate .1", subsampled_gaussian, subsampled_curve, subsampled_epsilons),
)


def above(known: Known, curve: TradeOff, compose: bool) -> tuple[bool, bool | None]:
    """Whether a vertex lies above the truth, and whether an epsilon after composition does, if it is composed."""
    x, y = np.array([*curve.points[1:-1], (0.5, 0.5)]).T
    vertex = bool((y > known.curve(x) + 1e-12).any())
    if not compose:
        return vertex, None
    with patch.object(losses, "_GRID", GRID):
        made = curve.times(RUNS)
        found = [made.epsilon_at(delta) for delta in DELTAS]
    return vertex, any(a > b * (1 + 1e-9) for a, b in zip(found, known.composed(), strict=True))


def count(row: int, first: int, number_of: int) -> list[tuple[bool, bool | None]]:
    """Some curves of a row: whether they were above the truth."""
    known, found = ROWS[row], []
    for seed in range(first, first + number_of):
        trials = BUDGETS[seed % len(BUDGETS)]
        curve = tradeoff(known.sample, (1, 0), trials=trials, alpha=ALPHA, seed=seed, jobs=1, views=("values",))
        found.append(above(known, curve, compose=seed // len(BUDGETS) % EVERY == 0))
    return found


def table(repeats: int, jobs: int) -> Table:
    """One row a mechanism."""
    calls = [(row, first, BATCH) for row in range(len(ROWS)) for first in range(0, repeats, BATCH)]
    found: dict[int, list[tuple[bool, bool | None]]] = {row: [] for row in range(len(ROWS))}
    for (row, _, _), part in zip(calls, spread(count, calls, jobs, TITLE), strict=True):
        found[row] += part
    rows = []
    for row, runs in found.items():
        composed = [b for _, b in runs if b is not None]
        rate = sum(a for a, _ in runs) / len(runs)
        after = sum(composed) / len(composed)
        allowed = [ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / size) for size in (len(runs), len(composed))]
        rows.append(
            {
                "mechanism": ROWS[row].name,
                "curves": len(runs),
                "above %": 100 * rate,
                "allowed %": 100 * allowed[0],
                f"{RUNS}-fold": len(composed),
                f"{RUNS}-fold above %": 100 * after,
                f"{RUNS}-fold allowed %": 100 * allowed[1],
                "fine": "yes" if rate <= allowed[0] and after <= allowed[1] else "TOO MANY",
            }
        )
    columns: Columns = {"mechanism": str, "curves": whole, **dict.fromkeys([*rows[0]][2:-1], number), "fine": str}
    columns[f"{RUNS}-fold"] = whole
    note = (
        f"Budgets of {', '.join(f'{b:,}' for b in BUDGETS)} draws a side in turn; allowed: 5 % and 3 standard errors."
    )
    return Table(f"Certified curves above the truth, at {ALPHA:.0%}".replace("%", " %"), columns, rows, note)


def tables(quick: bool, jobs: int) -> Any:
    """The table of this part."""
    yield table(200 if quick else REPEATS, jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line and runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="curves a row")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = table(options.repeats, options.jobs)
    found.show(terminal())
    command = f"python -m benchmarks.coverage --repeats {options.repeats}"
    publish(options.out, "coverage", TITLE, command, [found], time.perf_counter() - start)
    return int(any(row["fine"] != "yes" for row in found.rows))


if __name__ == "__main__":
    raise SystemExit(main())
