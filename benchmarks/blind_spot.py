"""Whether the stated blind spot is true: how many audits refute a mechanism whose epsilon is the stated one.

For each kind the stated epsilon is the median of a few audits of a mechanism that keeps its claim exactly. It is meant
to be refuted with probability .9; between 88 and 97 % is what is wanted.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from auditor import ApproxDP, GaussianDP, audit
from benchmarks.tables import Table, number, percent, terminal, whole

Draw = Callable[[Any, int, np.random.Generator], Any]
TITLE = "Blind spot"
ALPHA = 0.01
STATED = 6  # audits whose median is the stated epsilon


def laplace(epsilon: float, delta: float) -> Draw:
    """Laplace noise whose epsilon at delta is this one: delta = 1 - e^((epsilon - 1/scale)/2)."""
    scale = 1 / (epsilon - 2 * math.log1p(-delta))
    return lambda d, n, rng: d + rng.laplace(0, scale, n)


def response(epsilon: float, delta: float) -> Draw:
    """Randomized response: an event that never abstains."""
    keep = (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))
    return lambda d, n, rng: np.where(rng.random(n) < keep, d, 1 - d)


def geometric(epsilon: float, delta: float) -> Draw:
    """Two-sided geometric noise."""
    stop = -math.expm1(-epsilon)
    return lambda d, n, rng: d + rng.geometric(stop, n) - rng.geometric(stop, n)


def subsampled(epsilon: float, delta: float) -> Draw:
    """One record, in the Poisson sample with probability .3, with Laplace noise."""
    inner = math.log1p(math.expm1(epsilon) / 0.3)
    return lambda d, n, rng: d * (rng.random(n) < 0.3) + rng.laplace(0, 1 / inner, n)


def vector(epsilon: float, delta: float) -> Draw:
    """Four answers with Laplace noise, a quarter of the budget each."""
    return lambda d, n, rng: d + rng.laplace(0, 4 / epsilon, (n, 4))


def gaussian(epsilon: float, delta: float) -> Draw:
    """Gaussian noise whose epsilon at delta is this one."""
    mu = brentq(lambda mu: GaussianDP(mu).epsilon_at(delta) - epsilon, 1e-3, 20)
    return lambda d, n, rng: d + rng.normal(0, 1 / mu, n)


def gaussian_vector(epsilon: float, delta: float) -> Draw:
    """The same, spread over four coordinates."""
    mu = brentq(lambda mu: GaussianDP(mu).epsilon_at(delta) - epsilon, 1e-3, 20)
    return lambda d, n, rng: d / 2 + rng.normal(0, 1 / mu, (n, 4))


def labels(epsilon: float, delta: float) -> Draw:
    """Randomized response among four labels."""
    keep = math.exp(epsilon) / (math.exp(epsilon) + 3)

    def draw(d: Any, n: int, rng: np.random.Generator) -> list[str]:
        other = (d + rng.integers(1, 4, n)) % 4
        return ["abcd"[i] for i in np.where(rng.random(n) < keep, d, other)]

    return draw


@dataclass(frozen=True)
class Case:
    """A family of mechanisms by their true epsilon at delta, a claim that one of them keeps exactly, and trials."""

    name: str
    family: Callable[[float, float], Draw]
    trials: int
    epsilon: float = 1.0
    delta: float = 0.0

    def audits(self, epsilon: float, seeds: range) -> Iterator[Any]:
        """Audits of the claim on the mechanism with this true epsilon."""
        for seed in seeds:
            yield audit(
                self.family(epsilon, self.delta),
                ApproxDP(self.epsilon, self.delta),
                [(0, 1)],
                trials=self.trials,
                alpha=ALPHA,
                seed=seed,
                jobs=1,
                views=("values",),
                name=self.name,
            )


CASES = (
    Case("randomized response", response, 1_000),
    Case("randomized response", response, 10_000),
    Case("two-sided geometric", geometric, 1_000),
    Case("two-sided geometric", geometric, 10_000),
    Case("labels", labels, 2_000),
    Case("labels", labels, 10_000),
    Case("Laplace", laplace, 1_000),
    Case("Laplace", laplace, 10_000),
    Case("Laplace", laplace, 100_000),
    Case("Poisson-subsampled Laplace", subsampled, 10_000, 0.5),
    Case("randomized response, delta .01", response, 4_000, delta=0.01),
    Case("randomized response, delta .2", response, 4_000, delta=0.2),
    Case("Laplace, delta .01", laplace, 10_000, delta=0.01),
    Case("Gaussian, delta .01", gaussian, 1_000, delta=0.01),
    Case("Gaussian, delta .01", gaussian, 4_000, delta=0.01),
    Case("Gaussian, delta .01", gaussian, 20_000, delta=0.01),
    Case("Gaussian, delta .001", gaussian, 20_000, delta=0.001),
    Case("vector of four", vector, 4_000),
    Case("Gaussian vector, delta .01", gaussian_vector, 10_000, delta=0.01),
)


def row(case: Case, seeds: int) -> dict[str, Any]:
    """One kind of mechanism."""
    stated = statistics.median(found.detectable_epsilon for found in case.audits(case.epsilon, range(STATED)))
    found = [audited.refuted for audited in case.audits(stated, range(1000, 1000 + seeds))]
    share = sum(found) / seeds
    return {
        "mechanism": case.name,
        "trials": case.trials,
        "claimed": case.epsilon,
        "stated": stated,
        "refuted": share,
        "as meant": "yes" if 0.88 <= share <= 0.97 else "NO",
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind_spot", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", nargs="*", default=(), help="beginnings of names")
    options = parser.parse_args()
    chosen = [case for case in CASES if case.name.startswith(tuple(options.only) or "")]
    rows = []
    for case in chosen:
        rows.append(row(case, options.seeds))
        print(rows[-1], flush=True)
    columns: dict[str, Callable[[Any], str]] = {
        "mechanism": str,
        "trials": whole,
        "claimed": number,
        "stated": number,
        "refuted": percent,
    }
    note = f"{options.seeds} audits each, alpha {ALPHA:g}; meant: 88 to 97 %."
    Table(TITLE, {**columns, "as meant": str}, rows, note).show(terminal())


if __name__ == "__main__":
    main()
