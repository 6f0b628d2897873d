"""Runs inside .venv-peers: jax-privacy's bounds from one run, as JSON lines in and out."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    """{file, delta, alpha} in, [(epsilon, delta) bound, f-DP bound, seconds] out: all thresholds, Bonferroni."""
    from jax_privacy import auditing

    for line in (folder / "jobs.jsonl").read_text().splitlines():
        job = json.loads(line)
        draws = np.load(folder / job["file"])
        scores, included = draws["scores"], draws["included"]
        start = time.perf_counter()
        auditor = auditing.CanaryScoreAuditor(scores[included], scores[~included])
        counted = float(auditor.epsilon_one_run(job["alpha"], job["delta"]))
        curved = float(auditor.epsilon_one_run_fdp(job["alpha"], job["delta"]))
        print(json.dumps([counted, curved, time.perf_counter() - start]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
