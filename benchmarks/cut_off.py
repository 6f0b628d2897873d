"""How often an audit that its time limit cuts off refutes a true claim, or certifies more than the truth.

The claims are exactly tight, and how long a call takes depends on what it returns, which is the worst that a clock can
do: it then chooses after which round the audit ends. Time is counted, not waited for. `python -m benchmarks.cut_off
[--repeats N] [--jobs N] [--out DIR]`.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from auditor import ApproxDP, AuditResult, Claim, GaussianDP
from auditor.engine import carry_out
from auditor.errors import MechanismError, TimeLimitError
from auditor.request import request
from benchmarks import cases
from benchmarks.runs import counted_by_row
from benchmarks.tables import RESULTS, Table, publish, terminal, whole

ALPHA = 0.05
TRIALS = 1_000
REPEATS = 1_000
BATCH = 100
_UNHURRIED = 300  # outputs before which nothing hangs, so that something is tested

Clock = Callable[["Clocked", float, Any], bool]  # whether a call on this dataset with these outputs passes the limit


class Clocked:
    """A mechanism that passes its time limit when its clock says so, from what its calls have returned."""

    def __init__(self, sample: Callable[..., Any], late: Clock) -> None:
        self.inner, self.late = sample, late
        self.drawn, self.spent = 0, 0.0

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """n outputs, or the end of the time."""
        outputs = self.inner(dataset, n, rng)
        self.drawn += n
        if self.late(self, dataset, outputs):
            raise TimeLimitError("the time limit has passed")
        return outputs


def _high(outputs: Any) -> Any:
    return np.asarray(outputs, dtype=np.float64) > 0.5


def slow_if_high(clock: Clocked, dataset: float, outputs: Any) -> bool:
    """Large outputs take twenty times as long, and the time is up after what 700 draws take on average."""
    clock.spent += float(np.sum(np.where(_high(outputs), 20.0, 1.0)))
    return clock.spent > 700 * 10.5


def hangs_when_unlucky(clock: Clocked, dataset: float, outputs: Any) -> bool:
    """A call never returns whose outputs point to the dataset less often than is likely: no round looks bad."""
    share = float(np.mean(_high(outputs) == (dataset > 0.5)))
    return clock.drawn > _UNHURRIED and share < 0.7


def hangs_when_lucky(clock: Clocked, dataset: float, outputs: Any) -> bool:
    """A call never returns after calls whose outputs point to the dataset more often than is likely."""
    lucky, clock.spent = clock.spent > 0, float(np.mean(_high(outputs) == (dataset > 0.5)) > 0.8)
    return clock.drawn > _UNHURRIED and lucky


def leaky(d: int, n: int, rng: np.random.Generator, delta: float = 0.1) -> Any:
    """Randomized response for epsilon 1 that names its input with probability delta: (1, delta)-DP, and no better."""
    return np.where(rng.random(n) < delta, 3.0 * d - 1.0, cases.response(d, n, rng))


CLOCKS: tuple[Clock, ...] = (slow_if_high, hangs_when_unlucky, hangs_when_lucky)


@dataclass(frozen=True)
class Row:
    """A tight mechanism and a clock."""

    name: str
    sample: Callable[..., Any]
    claim: Claim
    clock: Clock
    truth: Claim | None = None  # where the claim is looser: what is exactly tight, and bounds the bound

    def audit(self, seed: int) -> AuditResult | None:
        """One audit; None where the limit struck before anything was tested."""
        asked = request(
            Clocked(self.sample, self.clock), self.claim, [(0, 1)], TRIALS, ALPHA, seed, ("values",), self.name
        )
        try:
            return carry_out(asked)
        except MechanismError:
            return None


ROWS = tuple(
    Row(name, sample, claim, clock, truth)
    for name, sample, claim, truth in (
        ("randomized response", cases.response, ApproxDP(1.0), None),
        ("the same, claimed 2", cases.response, ApproxDP(2.0), ApproxDP(1.0)),
        ("Laplace", cases.laplace, ApproxDP(1.0), None),
        ("response or name", leaky, ApproxDP(1.0, 0.1), None),
        ("the same, claimed 2", leaky, ApproxDP(2.0, 0.1), ApproxDP(1.0, 0.1)),
        ("Gaussian, all of its curve", partial(cases.gaussian, sigma=1.0), GaussianDP(1.0), None),
    )
    for clock in CLOCKS
)


def counted(row: Row, repeats: range) -> Counter[str]:
    """Of these audits: how many were cut off, and how many of those erred."""
    found: Counter[str] = Counter()
    for seed in repeats:
        result = row.audit(seed)
        if result is None:
            found["untested"] += 1
            continue
        wrong = result.refuted or result.epsilon_lower > (row.truth or row.claim).epsilon_at(result.delta)
        found["audits"] += 1
        found["cut off"] += result.cut_off is not None
        found["wrong"] += wrong
    return found


def table(found: dict[Row, Counter[str]]) -> Table:
    """One row a mechanism and clock."""
    shown = []
    for row, counts in found.items():
        audits = max(1, counts["audits"])
        allowed = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / audits)
        line: dict[str, Any] = {"mechanism": row.name, "claim": str(row.claim)}
        line |= {"clock": row.clock.__name__.replace("_", " "), **{key: counts[key] for key in KEYS}}
        shown.append({**line, "rate": counts["wrong"] / audits, "fine": counts["wrong"] / audits <= allowed})
    columns = dict.fromkeys(("mechanism", "claim", "clock"), str) | dict.fromkeys(KEYS, whole)
    return Table(
        f"Audits that a clock cuts off, at alpha = {ALPHA:g} and {TRIALS:,} trials a side",
        {**columns, "rate": "{:.2%}".format, "fine": str},
        shown,
        "Untested: the limit struck before an event was tested, which is an error. Wrong: a true claim refuted or a "
        "bound above the truth, cut off or not.",
    )


KEYS = ("untested", "audits", "cut off", "wrong")


def main(arguments: Sequence[str] | None = None) -> int:
    """Counts, prints and stores; 1 when there are too many errors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cut_off", description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="audits a row (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    found = counted_by_row(counted, ROWS, options.repeats, BATCH, options.jobs, "Cut off")
    result = table(found)
    result.show(terminal())
    command = f"python -m benchmarks.cut_off --repeats {options.repeats}"
    publish(options.out, "cut_off", "Audits that are cut off", command, [result], time.perf_counter() - start)
    return int(not all(line["fine"] for line in result.rows))


if __name__ == "__main__":
    raise SystemExit(main())
