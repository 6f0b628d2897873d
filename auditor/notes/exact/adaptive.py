"""Adaptive composition of finite mechanisms: the second one is chosen by the first one's output."""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.notes.exact.finite import both_directions

Floats = np.ndarray[Any, np.dtype[np.float64]]


def adaptive_deltas(
    rng: np.random.Generator, count: int, first: float, second: float, outputs: int = 4
) -> tuple[Floats, Floats]:
    """delta of the joint output at first + second, and the sum of the two deltas, for random compositions.

    The first mechanism is a random pair of distributions, and so is the second for each output of the first.
    A mechanism is (e, delta)-DP with delta its own hockey-stick divergence at e, the worst over what was
    chosen.
    """
    alpha = rng.choice((0.3, 1.0, 5.0))
    p, q = rng.dirichlet(np.full(outputs, alpha), (2, count))
    then_p, then_q = rng.dirichlet(np.full(outputs, alpha), (2, count, outputs))
    sums = both_directions(p, q, first) + both_directions(then_p, then_q, second).max(axis=1)
    joint_p, joint_q = (
        (p[:, :, None] * then_p).reshape(count, -1),
        (q[:, :, None] * then_q).reshape(count, -1),
    )
    return both_directions(joint_p, joint_q, first + second), sums
