"""One training run beside jax-privacy, on the same scores: `python -m benchmarks.peers.one_run`.

jax-privacy pays for choosing the number of guesses by a Bonferroni correction over all thresholds, its valid default.
The tests themselves are the same: for given counts they agree to six digits.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from auditor import ApproxDP, audit_one_run
from benchmarks.one_run import ALPHA, DELTA, gaussian
from benchmarks.peers.__main__ import environment
from benchmarks.tables import RESULTS, Table, number, publish, share, terminal, whole

CASES = ((1.0, 0.268), (4.0, 0.925), (8.0, 1.666))  # true epsilon at DELTA, and mu
TITLE = "One training run beside jax-privacy"


def rows_of(python: Path, canaries: Sequence[int], seeds: int) -> list[dict[str, float]]:
    """One row for each true epsilon and number of canaries."""
    rows = []
    for epsilon, mu in CASES:
        for m in canaries:
            runs = [gaussian(m, mu, np.random.default_rng([m, seed, round(1000 * mu)])) for seed in range(seeds)]
            ours = [audit_one_run(*run, ApproxDP(8.0, DELTA), alpha=ALPHA) for run in runs]
            theirs = _theirs(python, runs)
            rows.append(
                {
                    "true epsilon": epsilon,
                    "canaries": m,
                    "ours, any": statistics.median(found.epsilon_lower_any for found in ours),
                    "theirs, (epsilon, delta)": statistics.median(found[0] for found in theirs),
                    "ours, Gaussian": statistics.median(found.epsilon_lower for found in ours),
                    "theirs, f-DP": statistics.median(found[1] for found in theirs),
                    "our seconds": statistics.median(found.seconds for found in ours),
                    "their seconds": statistics.median(found[2] for found in theirs),
                }
            )
    return rows


def _theirs(python: Path, runs: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[list[float]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jobs = []
        for index, (scores, included) in enumerate(runs):
            np.savez(folder / f"{index}.npz", scores=scores, included=included)
            jobs.append(json.dumps({"file": f"{index}.npz", "delta": DELTA, "alpha": ALPHA}))
        (folder / "jobs.jsonl").write_text("\n".join(jobs) + "\n")
        script = Path(__file__).with_name("theirs_one_run.py")
        ran = subprocess.run([str(python), str(script), str(folder)], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table and stores it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.one_run", description=__doc__)
    parser.add_argument("--canaries", type=int, nargs="+", default=[1_000, 5_000])
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--python", type=Path, help="one with jax-privacy; .venv-peers by default")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    rows = rows_of(options.python or environment(), options.canaries, options.seeds)
    bounds = ("ours, any", "theirs, (epsilon, delta)", "ours, Gaussian", "theirs, f-DP")
    columns = {"true epsilon": number, "canaries": whole, **dict.fromkeys(bounds, share)}
    table = Table(
        f"Certified epsilon at delta {DELTA:g} from one run, 95 %, median of {options.seeds} runs, valid tests only",
        {**columns, "our seconds": number, "their seconds": number},
        rows,
        "Any and (epsilon, delta): no assumption. Gaussian and f-DP: if the trade-off curve is Gaussian. Their seconds "
        "are for both bounds, as ours are.",
    )
    table.show(terminal())
    command = f"python -m benchmarks.peers.one_run --seeds {options.seeds}"
    publish(RESULTS, "peers_one_run", TITLE, command, [table], time.perf_counter() - start)


if __name__ == "__main__":
    main()
