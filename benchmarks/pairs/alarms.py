"""False alarms of audits with searched pairs on mechanisms that are exactly tight.

python -m benchmarks.pairs.alarms [--audits N] [--trials T] prints, for each mechanism, how many of N audits at alpha
0.05 refute the true claim, and how many bounds on epsilon exceed the truth, with the exact 99 % limit of the rate.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import hypothesis.strategies as st
import numpy as np

from auditor import ApproxDP, audit, neighbouring
from auditor.certify import proportions

ALPHA = 0.05


def clipped_count(d: Any, n: int, rng: np.random.Generator) -> Any:
    """Laplace noise on a clipped sum: tight on every pair whose record is at the bound or beyond."""
    return sum(min(x, 1.0) for x in d) + rng.laplace(0, 1, n)


def response(d: Any, n: int, rng: np.random.Generator) -> Any:
    """Randomized response on three answers: tight on all pairs of different ones."""
    return np.where(rng.random(n) < 0.4, "abc".index(d), rng.integers(0, 3, n))


def raising_response(d: Any, n: int, rng: np.random.Generator) -> Any:
    """Tight, and no answer is an exception: a batch that holds one raises, so it is drawn one by one."""
    answers = np.where(rng.random(n) < 0.4, len(d) % 2, rng.integers(0, 2, n))
    if n == 1 and answers[0] == 1:
        raise ValueError("no answer")
    if n > 1:
        raise TypeError("one at a time")
    return answers


CASES = {
    "clipped sum": (clipped_count, 1.0, neighbouring(st.lists(st.floats(0, 3), max_size=3))),
    "response": (response, math.log(0.6 / 0.2), neighbouring(st.sampled_from("abc"), relation="local")),
    "exceptions": (raising_response, math.log(0.7 / 0.3), neighbouring(st.lists(st.integers(0, 1), max_size=2))),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first audit")
    parser.add_argument("--only", nargs="*", default=list(CASES))
    options = parser.parse_args()
    for name in options.only:
        mechanism, epsilon, pairs = CASES[name]
        refuted = exceeded = 0
        start = time.perf_counter()
        for seed in range(options.first, options.first + options.audits):
            result = audit(
                mechanism, ApproxDP(epsilon), pairs, trials=options.trials, alpha=ALPHA, seed=seed, jobs=1,
                views=("values",),
            )  # fmt: skip
            refuted += result.refuted
            exceeded += result.epsilon_lower > epsilon + 1e-12
        worst = max(refuted, exceeded)
        limit = float(proportions.upper(worst, options.audits, 0.01))
        print(
            f"{name:12} {options.audits} audits of {options.trials} trials: {refuted} refuted, {exceeded} bounds too "
            f"large, rate at most {limit:.4f} (99 %); {time.perf_counter() - start:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
