"""One training run, idealised: what is certified for how many canaries, how long it takes, and false alarms.

`python -m benchmarks one_run`, or `python -m benchmarks.one_run --alarms 10000` for false alarms alone.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.one_run import audit_one_run
from auditor.results.one_run import OneRunResult
from auditor.search import guess_counts
from auditor.search.guess_counts import guess_plan
from benchmarks.runs import spread
from benchmarks.tables import RESULTS, Columns, Table, at_least, number, publish, share, terminal, whole
from mechanisms.core.claims import ApproxDP, Claim, GaussianDP

ALPHA = 0.05
DELTA = 1e-5
TITLE = "One training run"

Scores = tuple[Any, Any]

# true epsilon at DELTA and its mu; wanted at 1,000, 10,000, 100,000 canaries; what the field has with the number of
# guesses chosen in hindsight, which is not valid
WANTED = (
    (1.0, 0.268, (0.27, 0.54, 0.68), (0.32, 0.59, 0.71)),
    (4.0, 0.925, (1.9, 2.55, 2.9), (2.20, 2.73, 3.03)),
    (8.0, 1.666, (4.1, 5.0, 5.7), (4.59, 5.36, 5.98)),
)
CANARIES = (1_000, 10_000, 100_000)


def gaussian(m: int, mu: float, rng: np.random.Generator) -> Scores:
    """Normal scores, shifted by mu where the canary was included: exactly mu-GDP."""
    included = rng.random(m) < 0.5
    return rng.normal(size=m) + mu * included, included


def response(m: int, epsilon: float, rng: np.random.Generator) -> Scores:
    """Randomized response: exactly epsilon-DP, and the worst case of the (epsilon, 0) test."""
    included = rng.random(m) < 0.5
    return (included ^ (rng.random(m) < 1 / (1 + math.exp(epsilon)))).astype(float), included


def all_or_none(m: int, epsilon: float, delta: float, rng: np.random.Generator) -> Scores:
    """With probability delta all coins are published, otherwise randomized response: exactly (epsilon, delta)-DP."""
    scores, included = response(m, epsilon, rng)
    return (included.astype(float) if rng.random() < delta else scores), included


def each_alone(m: int, epsilon: float, delta: float, rng: np.random.Generator) -> Scores:
    """Each coin is published with probability delta (and one sees that), otherwise randomized response."""
    scores, included = response(m, epsilon, rng)
    published = rng.random(m) < delta
    return np.where(published, 4 * included - 1.5, scores), included


@dataclass(frozen=True)
class Tight:
    """A run that attains its claim."""

    name: str
    claim: Claim
    draw: Callable[[np.random.Generator], Scores]

    def flags(self, seed: int) -> tuple[bool, bool]:
        """Whether the claim is refuted, and whether the bound that needs no assumption, or mu, passes the truth."""
        found = audit_one_run(*self.draw(np.random.default_rng([7, seed])), self.claim, alpha=ALPHA)
        if isinstance(self.claim, GaussianDP):
            return found.refuted, found.mu_lower > self.claim.mu
        return found.refuted, found.epsilon_lower_any > self.claim.epsilon_at(found.delta)


TIGHT = (
    Tight("Gaussian, 1,000 canaries", GaussianDP(1.0), lambda rng: gaussian(1000, 1.0, rng)),
    Tight("Gaussian, 100 canaries", GaussianDP(0.3), lambda rng: gaussian(100, 0.3, rng)),
    Tight("randomized response", ApproxDP(1.0), lambda rng: response(300, 1.0, rng)),
    Tight("all coins or randomized response", ApproxDP(0.5, 0.03), lambda rng: all_or_none(40, 0.5, 0.03, rng)),
    Tight("some coins, others randomized", ApproxDP(1.0, 0.02), lambda rng: each_alone(300, 1.0, 0.02, rng)),
)


def certify(mu: float, m: int, seed: int, cold: bool = False) -> tuple[OneRunResult, float]:
    """One run with its seconds; `cold` plans its numbers of guesses anew, as a first call does."""
    if cold:
        for cached in (guess_plan, guess_counts._rejects, guess_counts._p_value):
            cached.cache_clear()
    scores, included = gaussian(m, mu, np.random.default_rng([m, seed, round(1000 * mu)]))
    start = time.perf_counter()
    found = audit_one_run(scores, included, ApproxDP(8.0, DELTA), alpha=ALPHA)
    return found, time.perf_counter() - start


def power(seeds: int) -> Table:
    """One row for each true epsilon and number of canaries."""
    rows = []
    for epsilon, mu, wanted, field in WANTED:
        for m, least, theirs in zip(CANARIES, wanted, field, strict=True):
            runs = [certify(mu, m, seed, cold=seed == 0) for seed in range(seeds)]
            bound = statistics.median(found.epsilon_lower for found, _ in runs)
            rows.append(
                {
                    "true epsilon": epsilon,
                    "canaries": m,
                    "Gaussian": bound,
                    "at least": least,
                    "stands": at_least(bound, least),
                    "field, in hindsight": theirs,
                    "any mechanism": statistics.median(found.epsilon_lower_any for found, _ in runs),
                    "above truth": sum(found.epsilon_lower > epsilon for found, _ in runs),
                    "first": runs[0][1],
                    "seconds": statistics.median(seconds for _, seconds in runs),
                }
            )
    plain = dict.fromkeys(("Gaussian", "at least", "field, in hindsight", "any mechanism"), share)
    columns: Columns = {"true epsilon": number, "canaries": whole, **plain, "stands": str}
    return Table(
        f"Certified epsilon at delta {DELTA:g} from one run, 95 %, median of {seeds} runs",
        {**columns, "above truth": whole, "first": number, "seconds": number},
        rows,
        "Gaussian: if the trade-off curve is Gaussian. Any mechanism: no assumption. The field's figures choose "
        "the number of guesses after seeing the coins. First: seconds of a first call, which plans.",
    )


def count(row: int, seeds: range) -> tuple[int, int, int, int]:
    """Runs, refuted, above the truth, either."""
    flags = [TIGHT[row].flags(seed) for seed in seeds]
    return len(flags), sum(r for r, _ in flags), sum(a for _, a in flags), sum(r or a for r, a in flags)


def alarms(repeats: int, jobs: int) -> Table:
    """One row for each tight run."""
    calls = [(row, range(s, min(s + 250, repeats))) for row in range(len(TIGHT)) for s in range(0, repeats, 250)]
    totals = [[0, 0, 0, 0] for _ in TIGHT]
    for (row, _), found in zip(calls, spread(count, calls, jobs, "One run, false alarms"), strict=True):
        totals[row] = [a + b for a, b in zip(totals[row], found, strict=True)]
    rows = []
    for tight, (runs, refuted, above, either) in zip(TIGHT, totals, strict=True):
        allowed = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)
        rows.append(
            {
                "run": tight.name,
                "claim": str(tight.claim),
                "runs": runs,
                "refuted": 100 * refuted / runs,
                "above": 100 * above / runs,
                "either": 100 * either / runs,
                "allowed": 100 * allowed,
                "fine": "yes" if either / runs <= allowed else "TOO MANY",
            }
        )
    percents = dict.fromkeys(("refuted", "above", "either", "allowed"), lambda value: f"{value:.2f}")
    return Table(
        f"False alarms of one run at alpha = {ALPHA:g}, percent, exactly tight claims",
        {"run": str, "claim": str, "runs": whole, **percents, "fine": str},
        rows,
        "Above: the bound that needs no assumption, or mu, exceeds the truth. Allowed: alpha plus 3 standard errors.",
    )


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The tables of this part."""
    yield power(3 if quick else 25)
    yield alarms(200 if quick else 10_000, jobs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Both tables, stored with the others."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_run", description=__doc__)
    parser.add_argument("--alarms", type=int, default=10_000, help="runs for each tight row")
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = [power(options.seeds)]
    found[0].show(terminal())
    found.append(alarms(options.alarms, options.jobs))
    found[1].show(terminal())
    command = f"python -m benchmarks.one_run --alarms {options.alarms} --seeds {options.seeds}"
    publish(RESULTS, "one_run", TITLE, command, found, time.perf_counter() - start)


if __name__ == "__main__":
    main()
