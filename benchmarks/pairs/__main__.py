"""Audits every case with a searched pair and prints a table: python -m benchmarks.pairs [--seeds K] [--only NAME…]."""

from __future__ import annotations

import argparse
import time

from auditor import audit
from benchmarks.pairs.broken import BROKEN
from benchmarks.pairs.case import Case
from benchmarks.pairs.correct import CORRECT
from benchmarks.pairs.harder import HARDER
from benchmarks.pairs.kept import KEPT
from benchmarks.pairs.later import LATER
from benchmarks.pairs.releases import RELEASES
from benchmarks.pairs.tables import TABLES
from benchmarks.pairs.values import VALUES

GROUPS = {"broken": BROKEN + HARDER + LATER + VALUES + RELEASES + TABLES, "correct": CORRECT + KEPT}


def measured(case: Case, seed: int, trials: int, alpha: float, jobs: int = -1) -> tuple[bool, float, str]:
    start, cpu = time.perf_counter(), time.process_time()
    result = audit(
        case.mechanism,
        case.claim,
        case.pairs,
        trials=trials,
        alpha=alpha,
        seed=seed,
        jobs=jobs,
        views=("values",),
        name=case.name,
    )
    seconds = time.perf_counter() - start
    shown = f"{time.process_time() - cpu:5.1f} s of CPU, {result.epsilon_lower:.3g} on {result.witness.pair}"
    return result.refuted, seconds, shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--alpha", type=float, default=1e-3)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    for title, cases in GROUPS.items():
        chosen = [case for case in cases if not options.only or case.name in options.only]
        count, slowest = 0, 0.0
        for case in chosen:
            runs = [measured(case, seed, options.trials, options.alpha, options.jobs) for seed in range(options.seeds)]
            refuted = sum(run[0] for run in runs)
            count += refuted == len(runs) if title == "broken" else refuted > 0
            longest = max(run[1] for run in runs)
            slowest = max(slowest, longest)
            print(f"{title:8} {case.name:24} {refuted}/{len(runs)} refuted {longest:6.1f} s  {runs[0][2]}", flush=True)
        print(f"{title}: {count} of {len(chosen)} refuted; the slowest took {slowest:.1f} s\n", flush=True)


if __name__ == "__main__":
    main()
