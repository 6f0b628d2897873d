"""False alarms of audits of recorded outputs, on exactly tight claims.

`python -m benchmarks samples`, or `python -m benchmarks.samples --repeats 4000 --jobs 1`.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.samples import audit_samples
from benchmarks.runs import spread
from benchmarks.tables import RESULTS, Table, publish, terminal, whole
from mechanisms.core.claims import ApproxDP, Claim, GaussianDP

ALPHA = 0.05
TITLE = "Recorded outputs"
SIZES = ((200, 200), (300, 700), (500, 500))  # outputs of each side, in turn

Sides = tuple[Any, Any]


def response(left: int, right: int, rng: np.random.Generator) -> Sides:
    keep = 1 / (1 + math.exp(-1))
    return (rng.random(left) < keep).astype(float), (rng.random(right) >= keep).astype(float)


def laplace(left: int, right: int, rng: np.random.Generator) -> Sides:
    """Sorted, as files sometimes are: the order in which outputs are used is the audit's own."""
    return np.sort(rng.laplace(0, 1, left)), np.sort(rng.laplace(1, 1, right))


def gaussian(left: int, right: int, rng: np.random.Generator) -> Sides:
    return rng.normal(0, 1, left), rng.normal(1, 1, right)


def shamed(left: int, right: int, rng: np.random.Generator) -> Sides:
    return tuple(np.where(rng.random(n) < 0.2, side, -1.0) for side, n in enumerate((left, right)))  # type: ignore[return-value]


@dataclass(frozen=True)
class Tight:
    """Outputs of a mechanism that attains its claim."""

    name: str
    claim: Claim
    draw: Callable[[int, int, np.random.Generator], Sides]

    def flags(self, repeat: int) -> tuple[bool, bool]:
        """Whether the claim is refuted, and whether the bound passes the truth, which is the claim."""
        sides = self.draw(*SIZES[repeat % len(SIZES)], np.random.default_rng([11, repeat]))
        found = audit_samples(*sides, self.claim, alpha=ALPHA, seed=repeat)
        return found.refuted, found.epsilon_lower > self.claim.epsilon_at(found.delta)


TIGHT = (
    Tight("randomized response", ApproxDP(1.0), response),
    Tight("Laplace, sorted", ApproxDP(1.0), laplace),
    Tight("Gaussian, all of its curve", GaussianDP(1.0), gaussian),
    Tight("name and shame", ApproxDP(0.0, 0.2), shamed),
)


def count(row: int, repeats: range) -> tuple[int, int, int, int]:
    """Audits, refuted, above the truth, either."""
    flags = [TIGHT[row].flags(repeat) for repeat in repeats]
    return len(flags), sum(r for r, _ in flags), sum(a for _, a in flags), sum(r or a for r, a in flags)


def alarms(repeats: int, jobs: int) -> Table:
    """One row for each mechanism."""
    calls = [(row, range(s, min(s + 100, repeats))) for row in range(len(TIGHT)) for s in range(0, repeats, 100)]
    totals = [[0, 0, 0, 0] for _ in TIGHT]
    for (row, _), found in zip(calls, spread(count, calls, jobs, TITLE), strict=True):
        totals[row] = [a + b for a, b in zip(totals[row], found, strict=True)]
    rows = []
    for tight, (audits, refuted, above, either) in zip(TIGHT, totals, strict=True):
        allowed = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / audits)
        shares = {"refuted": refuted, "above": above, "either": either}
        rows.append(
            {
                "mechanism": tight.name,
                "claim": str(tight.claim),
                "audits": audits,
                **{name: 100 * hits / audits for name, hits in shares.items()},
                "allowed": 100 * allowed,
                "fine": "yes" if either / audits <= allowed else "TOO MANY",
            }
        )
    percents = dict.fromkeys(("refuted", "above", "either", "allowed"), lambda value: f"{value:.2f}")
    return Table(
        f"False alarms of recorded outputs at alpha = {ALPHA:g}, percent, exactly tight claims",
        {"mechanism": str, "claim": str, "audits": whole, **percents, "fine": str},
        rows,
        f"Outputs of each side, in turn: {', '.join(f'{a} and {b}' for a, b in SIZES)}. Above: the bound exceeds the "
        "truth. Allowed: alpha plus 3 standard errors.",
    )


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part."""
    yield alarms(30 if quick else 2_500, jobs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Counts, prints and stores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samples", description=__doc__)
    parser.add_argument("--repeats", type=int, default=2_500, help="audits a row")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = alarms(options.repeats, options.jobs)
    found.show(terminal())
    command = f"python -m benchmarks.samples --repeats {options.repeats}"
    publish(RESULTS, "samples", TITLE, command, [found], time.perf_counter() - start)


if __name__ == "__main__":
    main()
