"""Hockey-stick divergences of distributions over finitely many outputs (000 Thm 1, 002 Def 5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Distribution = Sequence[float] | Floats


def hockey_stick(p: Distribution, q: Distribution, epsilon: float) -> Any:
    """max over events S of P(S) - e^epsilon Q(S), the delta of one direction; along the last axis."""
    return np.clip(np.asarray(p) - math.exp(epsilon) * np.asarray(q), 0.0, None).sum(axis=-1)


def both_directions(p: Distribution, q: Distribution, epsilon: float) -> Any:
    """The delta of the pair: the larger of the two directions."""
    return np.maximum(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def by_events(p: Distribution, q: Distribution, epsilon: float) -> float:
    """The same delta from the definition, by going through all 2^outputs events; for at most 16 outputs."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    if p.size > 16:
        raise ValueError(f"there must be at most 16 outputs, got outputs={p.size}")
    events = (np.arange(1 << p.size)[:, None] >> np.arange(p.size)) & 1
    left, right = events @ p, events @ q
    excess = np.maximum(left - math.exp(epsilon) * right, right - math.exp(epsilon) * left)
    return float(excess.max())


def max_divergence(p: Distribution, q: Distribution) -> float:
    """The smallest epsilon at which the pair has delta 0: the largest |ln P(y)/Q(y)|, possibly infinite."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    occurs = (p > 0) | (q > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[occurs]) - np.log(q[occurs])).max())


def product(*marginals: Distribution) -> Floats:
    """The joint distribution of independent outputs, flattened."""
    joint = np.ones(1)
    for marginal in marginals:
        joint = np.multiply.outer(joint, np.asarray(marginal, dtype=float)).ravel()
    return joint
