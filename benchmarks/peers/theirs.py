"""Runs inside .venv-peers: reads draws, writes the peers' bounds and times as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def jax_bonferroni(left: Any, right: Any, delta: float, alpha: float) -> float:
    """jax_privacy, both directions, all thresholds with a Bonferroni correction (its default)."""
    from jax_privacy import auditing

    auditor = auditing.CanaryScoreAuditor(right, left)
    return float(auditor.epsilon_clopper_pearson(alpha, delta, one_sided=False))


def jax_split(left: Any, right: Any, delta: float, alpha: float) -> float:
    """jax_privacy, both directions, the threshold chosen on half of the draws."""
    from jax_privacy import auditing

    auditor = auditing.CanaryScoreAuditor(right, left)
    strategy = auditing.Split(seed=0)
    return float(auditor.epsilon_clopper_pearson(alpha, delta, one_sided=False, threshold_strategy=strategy))


def estimates(method: str) -> Callable[[Any, Any, float, float], float]:
    """privacy-estimates by one of its methods. It takes counts: half the draws choose the threshold."""

    def run(left: Any, right: Any, delta: float, alpha: float) -> float:
        from privacy_estimates import AttackResults, compute_eps_lo

        half = len(left) // 2
        cut = threshold(left[:half], right[:half], delta)
        above_left, above_right = int((left[half:] >= cut).sum()), int((right[half:] >= cut).sum())
        counts = AttackResults(
            FN=len(right) - half - above_right,
            FP=above_left,
            TN=len(left) - half - above_left,
            TP=above_right,
        )
        return float(compute_eps_lo(count=counts, delta=delta, alpha=alpha, method=method))

    return run


def threshold(left: Any, right: Any, delta: float) -> float:
    """Where the estimated epsilon, less three standard errors, is largest."""
    both = np.unique(np.quantile(np.concatenate([left, right]), np.linspace(0.005, 0.995, 397)))
    n = len(left)
    high = [n - np.searchsorted(np.sort(side), both) for side in (left, right)]
    best, value = float(both[0]), -np.inf
    for a, b in (high, [n - h for h in high[::-1]]):
        with np.errstate(divide="ignore", invalid="ignore"):
            epsilon = np.log((b - delta * n) / a) - 3 * np.sqrt(1 / a + 1 / b)
        epsilon = np.where(np.isfinite(epsilon), epsilon, -np.inf)
        if epsilon.max() > value:
            best, value = float(both[epsilon.argmax()]), float(epsilon.max())
    return best


PEERS: dict[str, Callable[[Any, Any, float, float], float]] = {
    "jax-privacy, Bonferroni": jax_bonferroni,
    "jax-privacy, split": jax_split,
    "privacy-estimates, beta": estimates("beta"),
    "privacy-estimates, joint-beta": estimates("joint-beta"),
}


def main(folder: Path) -> None:
    """One JSON line a job: {case, delta, alpha, file, peers} in, {peer: [bound, seconds]} out."""
    import jax_privacy.auditing  # noqa: F401
    import privacy_estimates  # noqa: F401 (loaded before anything is timed)

    for line in (folder / "jobs.jsonl").read_text().splitlines():
        job = json.loads(line)
        draws = np.load(folder / job["file"])
        found = {}
        for peer in job["peers"]:
            start = time.perf_counter()
            try:
                value: float | None = PEERS[peer](draws["left"], draws["right"], job["delta"], job["alpha"])
            except Exception as error:
                print(f"{peer} on {job['case']}: {type(error).__name__}: {error}", file=sys.stderr)
                value = None
            found[peer] = [value, time.perf_counter() - start]
        with (folder / "results.jsonl").open("a") as out:
            out.write(json.dumps({"id": job["id"], "found": found}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
