"""How often a true claim is refuted, or a bound passes the truth, on mechanisms whose claim is exactly tight.

`python -m benchmarks.false_alarms [--repeats N] [--jobs N] [--out DIR]`. The table is printed and stored anew
after every tenth of the work, so an interrupted run keeps what it has.
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from auditor import ApproxDP, AuditResult, Claim, GaussianDP
from auditor.certify import proportions
from auditor.engine import carry_out
from auditor.learner_tuning import ShapeTables
from auditor.request import Request, request
from auditor.tuning import TUNING, Learning, LoneOutputs, Rounds, Sharing, Tuning
from benchmarks import cases
from benchmarks.eyes.listed import twin
from benchmarks.runs import spread
from benchmarks.tables import RESULTS, Table, publish, terminal, whole
from mechanisms.gaussian import analytic_sigma
from mechanisms.lattice_laplace import LatticeLaplace
from mechanisms.randomized_response import RandomizedResponse
from mechanisms.truncated_laplace import TruncatedLaplace

ALPHA = 0.05
BUDGETS = (250, 500, 2_000)  # trials a side, in turn
REPEATS = 8_400  # audits a row: more than 1e5 in all
LEVEL = 0.99  # of the intervals
BATCH = 60  # audits a task
BLOCKS = 10
TITLE = "False alarms"


def plainly(ask: Callable[[], Request], tuning: Tuning) -> AuditResult:
    """An audit as it comes."""
    return carry_out(ask(), tuning=tuning)


def limited(ask: Callable[[], Request], tuning: Tuning) -> AuditResult:
    """With a time limit: the mechanism runs in a process of its own."""
    return carry_out(ask(), time_limit=3600.0, tuning=tuning)


def on_workers(ask: Callable[[], Request], tuning: Tuning, backend: str = "loky") -> AuditResult:
    """With two workers, however little there is to do."""
    from joblib import parallel_config

    eager = replace(tuning, sharing=Sharing(at_once=1e-6, in_all=1e-6, at_once_threads=1e-6, task=1e-4, last_task=1e-5))
    with parallel_config(backend=backend):
        return carry_out(ask(), 2, tuning=eager)


class Interruption(Exception):  # noqa: N818 - not an error
    """An audit is interrupted."""


def interrupted(ask: Callable[[], Request], tuning: Tuning) -> AuditResult:
    """Interrupted after half of its draws, and continued from its checkpoint by a mechanism that was made anew."""

    def progress(done: int, total: int) -> None:
        if done > total / 2:
            raise Interruption

    with TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint"
        with contextlib.suppress(Interruption):
            return carry_out(ask(), progress=progress, checkpoint=path, tuning=tuning)
        return carry_out(ask(), checkpoint=path, tuning=tuning)


@dataclass(frozen=True)
class Tight:
    """A mechanism that attains its claim on each of these pairs: the worst case for a false alarm."""

    name: str
    sample: Callable[..., Any]
    claim: Claim
    pairs: tuple[tuple[Any, Any], ...] = ((0, 1),)
    views: tuple[str, ...] = ("values",)
    every: int = 1  # only every so many of the repeats, where an audit takes long
    budgets: tuple[int, ...] = BUDGETS  # trials a side, in turn
    tuning: Tuning = TUNING
    made: Callable[[int], Any] | None = None  # the mechanism of each audit, from its seed, instead of `sample`
    how: Callable[[Callable[[], Request], Tuning], AuditResult] = plainly

    def flags(self, trials: int, seed: int) -> tuple[bool, bool]:
        """Whether an audit refutes the claim, and whether its bound passes the truth (which is the claim)."""
        result = self._audit(trials, seed)
        return result.refuted, result.epsilon_lower > self.claim.epsilon_at(result.delta)

    def _audit(self, trials: int, seed: int) -> AuditResult:
        def ask() -> Request:
            mechanism = self.sample if self.made is None else self.made(seed)
            return request(mechanism, self.claim, self.pairs, trials, ALPHA, seed, self.views, self.name)

        return self.how(ask, self.tuning)


_LATTICE = LatticeLaplace()
_TRUNCATED = TruncatedLaplace()
_SIGMA = analytic_sigma(1.0, 1e-2, 1.0)
_THREE = RandomizedResponse()
_SHORT = Tuning(learning=Learning(remembered=128))
_PLACES = Tuning(learning=Learning(shapes=ShapeTables(least=64)))
_LONE = Tuning(rounds=Rounds(lone_share=0.9), lone=LoneOutputs(least=0, least_part=2**30, clearly=0.5))
_RARE = ApproxDP(0.0, 0.03)
_OWN = partial(cases.shamed, delta=0.03)
_ON_THREADS = partial(on_workers, backend="threading")
_EIGHT = tuple((low, low + 1) for low in range(8))

ROWS = (
    Tight("randomized response", cases.response, ApproxDP(1.0)),
    Tight("Laplace", cases.laplace, ApproxDP(1.0)),
    Tight("two-sided geometric", cases.geometric, ApproxDP(1.0)),
    Tight("two-sided geometric, mostly lone outputs", cases.geometric, ApproxDP(1.0), tuning=_LONE),
    Tight("name and shame", cases.shamed, ApproxDP(0.0, 0.01)),
    Tight("name and shame, often", partial(cases.shamed, delta=0.2), ApproxDP(0.0, 0.2)),
    Tight("analytic Gaussian", partial(cases.gaussian, sigma=_SIGMA), ApproxDP(1.0, 1e-2)),
    Tight("Gaussian, all of its curve", partial(cases.gaussian, sigma=1.0), GaussianDP(1.0), every=2),
    Tight("truncated Laplace", _TRUNCATED.sample, _TRUNCATED.claim, (((0.0,), (1.0,)),)),
    Tight("lattice Laplace, values", _LATTICE.sample, _LATTICE.claim, (((0.0,), (1.0,)),)),
    Tight("lattice Laplace, bits", _LATTICE.sample, _LATTICE.claim, (((0.0,), (1.0,)),), ("bits",)),
    Tight("lattice Laplace, both", _LATTICE.sample, _LATTICE.claim, (((0.0,), (1.0,)),), ("values", "bits")),
    Tight(
        "Laplace, counted after 128 draws",
        cases.laplace,
        ApproxDP(1.0),
        tuning=Tuning(learning=Learning(remembered=128)),
    ),
    Tight("Laplace, eight pairs", cases.laplace, ApproxDP(1.0), _EIGHT, every=2),
    Tight("randomized response, three records", _THREE.sample, _THREE.claim, (((0, 1, 0), (1, 1, 0)),), every=10),
    *(
        Tight(
            f"twin: {name}",
            partial(twin, name=name),
            ApproxDP(1.0),
            views=("values", "bits"),
            every=4,
            budgets=BUDGETS[:2],
        )
        for name in (
            "parity of one of 20 counts",
            "18th of 20 numbers",
            "an element of a set",
            "a character at a place",
            "parity of a large number",
            "one of 100 columns",
        )
    ),
    Tight("a number in one of three places", cases.placed, ApproxDP(1.0), tuning=_PLACES, every=4),
    Tight("numbers and a rare text in one array", cases.mixed_array, ApproxDP(1.0)),
    Tight("rows with a rare None in one array", cases.mixed_rows, ApproxDP(1.0), every=4),
    Tight("days and a rare second in one array", cases.mixed_times, ApproxDP(1.0)),
    Tight("name and shame, interrupted", _OWN, _RARE, every=4, how=interrupted),
    Tight("name and shame, own generator", _OWN, _RARE, every=4, made=cases.OwnShamed),
    Tight("name and shame, own generator, time limit", _OWN, _RARE, every=4, made=cases.OwnShamed, how=limited),
    Tight("name and shame, own generator, processes", _OWN, _RARE, every=4, made=cases.OwnShamed, how=on_workers),
    Tight("name and shame, own generator, threads", _OWN, _RARE, every=4, made=cases.OwnShamed, how=_ON_THREADS),
    Tight("name and shame, own generator, interrupted", _OWN, _RARE, every=4, made=cases.OwnShamed, how=interrupted),
)

Found = Counter[tuple[str, int, str]]  # name, budget, what -> how often


def batch(row: Tight, repeats: range) -> Found:
    """Counts over these repeats; each has its own seed, and the budgets take turns."""
    found: Found = Counter()
    for repeat in repeats:
        trials = row.budgets[repeat // row.every % len(row.budgets)]
        refuted, above = row.flags(trials, repeat)
        for what, happened in (("audits", True), ("refuted", refuted), ("above", above)):
            found[row.name, trials, what] += happened
        found[row.name, trials, "either"] += refuted or above
    return found


def count(rows: Sequence[Tight], repeats: int, jobs: int, blocks: int = BLOCKS) -> Iterator[Found]:
    """The counts so far, `blocks` times: all rows move on together."""
    found: Found = Counter()
    for block in range(blocks):
        ahead = range(block * repeats // blocks, (block + 1) * repeats // blocks)
        calls = [(row, part) for row in rows for part in _batches(ahead[:: row.every])]
        for more in spread(batch, calls, jobs, f"{TITLE}, {block + 1} of {blocks}"):
            found.update(more)
        yield found


def _batches(repeats: range) -> list[range]:
    return [repeats[start : start + BATCH] for start in range(0, len(repeats), BATCH)]


def interval(hits: int, runs: int) -> tuple[float, float]:
    """Clopper–Pearson; where rates differ between the budgets, wider than needed (Hoeffding 1956, Thm 5)."""
    low, high = proportions.interval(hits, runs, 1 - LEVEL)
    return float(low), float(high)


def table(rows: Sequence[Tight], found: Found) -> Table:
    """One row a mechanism: rates, intervals, and whether alpha explains them within three standard errors."""
    shown: list[dict[str, Any]] = []
    for row in rows:
        by_budget = {b: {what: found[row.name, b, what] for what in WHAT} for b in row.budgets}
        runs, *hits = (sum(part[what] for part in by_budget.values()) for what in WHAT)
        if not runs:
            continue
        rates = {what: (k / runs, *interval(k, runs)) for what, k in zip(WHAT[1:], hits, strict=True)}
        allowed = ALPHA + 3 * sqrt(ALPHA * (1 - ALPHA) / runs)
        fine = rates["either"][0] <= allowed
        line = {"mechanism": row.name, "claim": str(row.claim), "audits": runs, **rates}
        shown.append({**line, "by budget": by_budget, "allowed": allowed, "fine": "yes" if fine else "TOO MANY"})
    audits = sum(line["audits"] for line in shown)
    return Table(
        f"False alarms at alpha = {ALPHA:g}: {audits:,} audits of true, exactly tight claims",
        {
            "mechanism": str,
            "claim": str,
            "audits": whole,
            "refuted": _rate,
            "above": _rate,
            "either": lambda rate: _percent(rate[0]),
            "by budget": _by_budget,
            "allowed": _percent,
            "fine": str,
        },
        shown,
        f"Percent, with exact {LEVEL:.0%} intervals. Above: the bound exceeds the truth. By budget: either, "
        f"at {', '.join(map(str, BUDGETS))} trials a side, of which twins have the first two. "
        "Allowed: alpha plus 3 standard errors.",
    )


WHAT = ("audits", "refuted", "above", "either")


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _rate(value: tuple[float, float, float]) -> str:
    rate, low, high = map(_percent, value)
    return f"{rate} [{low}, {high}]"


def _by_budget(value: dict[int, dict[str, int]]) -> str:
    return " ".join(_percent(part["either"] / part["audits"]) if part["audits"] else "-" for part in value.values())


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The table of this part, when all is counted; what is known so far goes to stderr."""
    blocks = 1 if quick else BLOCKS
    for block, found in enumerate(count(ROWS, 60 if quick else REPEATS, jobs, blocks), 1):
        if block < blocks:
            table(ROWS, found).show(Console(stderr=True, width=150))
    yield table(ROWS, found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line, counts, prints and stores; 1 when there are too many."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.false_alarms", description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="audits a row (default %(default)s)")
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    start, console = time.perf_counter(), terminal()
    command = f"python -m benchmarks.false_alarms --repeats {options.repeats}"
    command += f" --only {options.only!r}" if options.only else ""
    blocks = min(BLOCKS, max(1, options.repeats // BATCH))
    rows = [row for row in ROWS if options.only in row.name]
    for found in count(rows, options.repeats, options.jobs, blocks):
        result = table(rows, found)
        result.show(console)
        publish(options.out, "false_alarms", TITLE, command, [result], time.perf_counter() - start)
    return int(any(row["fine"] != "yes" for row in result.rows))


if __name__ == "__main__":
    raise SystemExit(main())
