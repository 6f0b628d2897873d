"""How fast it is: beside the bare generator, in small audits, in reading outputs, with workers, one draw a call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from auditor import ApproxDP, audit, per_draw
from auditor.sampling.batch import Batch
from auditor.sampling.batch import run as draw
from auditor.sampling.source import Source
from benchmarks import backends, cases, growth, memory, reading
from benchmarks.runs import tight_laplace
from benchmarks.tables import Columns, Table, at_least, at_most, ninetieth, percent, share, whole
from mechanisms.lattice_laplace import LatticeLaplace

TITLE = "Speed"
BLOCK = 2**16
GENERATORS = {"PCG64DXSM": np.random.PCG64DXSM, "SFC64": np.random.SFC64}  # SFC64 is the audit's own


def clock(function: Callable[[], Any]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def bare_rate(generator: str, draws: int) -> float:
    """Draws a second of rng.laplace alone, in blocks that stay in cache."""
    rng = np.random.Generator(GENERATORS[generator](1))
    blocks = max(1, draws // BLOCK)

    def run() -> None:
        for _ in range(blocks):
            rng.laplace(0, 1, BLOCK)

    return blocks * BLOCK / clock(run)


def audit_rate(trials: int, jobs: int) -> float:
    """Draws a second, both sides, of a whole audit of d + rng.laplace(0, 1, n) with a true claim."""
    result, seconds = tight_laplace(trials, jobs)
    return 2 * result.trials_used / seconds


def rates(trials: int, repeats: int = 3) -> Table:
    """The generator's rate and the audit's, taken in turns; the best of each."""
    audit_rate(min(trials, 1_000_000), 1)
    bare = dict.fromkeys(GENERATORS, 0.0)
    ours = {1: 0.0, 2: 0.0}
    for _ in range(repeats):
        for name, best in bare.items():
            bare[name] = max(best, bare_rate(name, min(trials, 10_000_000)))
        for jobs, best in ours.items():
            ours[jobs] = max(best, audit_rate(trials, jobs))
    rows: list[dict[str, Any]] = [
        {"what": f"bare rng.laplace, {name}", "M draws/s": rate / 1e6} for name, rate in bare.items()
    ]
    wanted = {1: ("of rng.laplace, PCG64DXSM", 0.5, 0.9), 2: ("of one worker", 1.6, 1.9)}
    for jobs, (of, least, aim) in wanted.items():
        ratio = ours[jobs] / (bare["PCG64DXSM"] if jobs == 1 else ours[1])
        line = {"what": f"audit, jobs={jobs}", "M draws/s": ours[jobs] / 1e6, "ratio": ratio, "of": of}
        rows.append({**line, "at least": least, "aim": aim, "stands": at_least(ratio, least, aim)})
    return Table(
        f"Laplace count, {trials:,} trials a side, best of {repeats}",
        {
            "what": str,
            "M draws/s": "{:.1f}".format,
            "ratio": share,
            "of": lambda of: of.removeprefix("of "),
            "at least": "{:g}".format,
            "aim": "{:g}".format,
            "stands": str,
        },
        rows,
        f"The audit draws with SFC64: it makes {ours[1] / bare['SFC64']:.2f} of that generator's own rate. "
        "Draws of both sides are counted.",
    )


def small_audits(repeats: int, trials: int = 4_000) -> Table:
    """Seconds of a whole small audit whose claim is true, so that it draws all it may."""
    lattice = LatticeLaplace()
    rows = []
    for name, sample, claim, pair, views in (
        ("Laplace", cases.laplace, ApproxDP(1.0), (0, 1), ("values",)),
        ("randomized response", cases.response, ApproxDP(1.0), (0, 1), ("values",)),
        ("classic Gaussian, delta 1e-3", cases.gaussian, ApproxDP(1.0, 1e-3), (0, 1), ("values",)),
        ("lattice Laplace, both views", lattice.sample, lattice.claim, ((0,), (1,)), ("values", "bits")),
    ):
        run = partial(audit, sample, claim, [pair], trials=trials, jobs=1, views=views, name=name)
        run(seed=repeats)
        taken = [1e3 * clock(partial(run, seed=seed)) for seed in range(repeats)]
        median, late = statistics.median(taken), ninetieth(taken)
        line = {"mechanism": name, "median ms": median, "90th ms": late, "at most": 20.0}
        rows.append({**line, "stands": at_most(median, 20.0)})
    columns = dict.fromkeys(("median ms", "90th ms", "at most"), "{:.1f}".format)
    title = f"A whole audit of {trials:,} trials a side, {repeats} seeds, jobs=1"
    return Table(title, {"mechanism": str, **columns, "stands": str}, rows)


def one_label(d: int, rng: np.random.Generator) -> str:
    """One label a call."""
    return "yes" if (rng.random() < 0.7310585786300049) == bool(d) else "no"


def one_tuple(d: float, rng: np.random.Generator) -> tuple[float, float]:
    """Two numbers a call."""
    return d + rng.laplace(0, 2), d + rng.laplace(0, 2)


def per_draw_loss(trials: int, repeats: int = 5) -> Table:
    """What the path from a call to the counts adds to a Python loop that calls as often and keeps nothing."""
    rows = []
    for name, function in (("a number", cases.one_laplace), ("a label", one_label), ("a tuple", one_tuple)):
        wrapped = per_draw(function)
        run = partial(audit, wrapped, ApproxDP(1.0), [(0, 1)], trials=trials, jobs=1, views=("values",), seed=1)
        source, _ = Source(wrapped.sample, 0, 1, 1, name, 0).piloted(32)
        batch = Batch(source, run().witness.event, False, ("last",), 2 * trials)
        timed = partial(_loop, function, trials), partial(draw, batch, batch.calls()), run
        bare, counted, whole_audit = np.min([[clock(part) for part in timed] for _ in range(repeats)], axis=0)
        loss = 1 - bare / counted
        line = {"output": name, "calls": 2 * trials, "bare s": bare, "counted s": counted, "lost": loss}
        rows.append({**line, "at most": 0.1, "stands": at_most(loss, 0.1), "audit s": whole_audit})
    columns: Columns = {"output": str, "calls": whole, "bare s": share, "counted s": share, "lost": percent}
    return Table(
        f"One draw a call, {trials:,} trials a side, best of {repeats}",
        {**columns, "at most": percent, "stands": str, "audit s": share},
        rows,
        "Counted: every draw read and counted in the audit's last event. The whole audit also learns, from the first "
        "tenth of the draws: that time depends on what the outputs are, not on who draws them.",
    )


def _loop(function: Callable[[Any, np.random.Generator], Any], trials: int) -> None:
    rng = np.random.Generator(np.random.SFC64(1))
    for dataset in (0, 1):
        for _ in range(trials):
            function(dataset, rng)


def tables(quick: bool, jobs: int) -> Iterator[Table]:
    """The tables of this part. `jobs` is not asked: each figure has its own number of workers."""
    trials = 3_000_000 if quick else 30_000_000
    yield rates(trials)
    yield small_audits(20 if quick else 200)
    yield reading.table(4_000)
    yield reading.widths(2_000 if quick else 20_000)
    yield per_draw_loss(50_000 if quick else 1_000_000)
    yield backends.table(trials if quick else 100_000_000)
    yield memory.table((10**6, 10**7) if quick else (10**6, 10**7, 10**8))
    yield growth.table(10**6 if quick else 10**8)
