"""Rényi divergences of distributions over finitely many outputs (004 Lemma 15.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

Floats = np.ndarray[Any, np.dtype[np.float64]]


def renyi(log_p: Floats, log_q: Floats, order: Floats | float) -> Floats:
    """D_order(P || Q) = ln sum p^order q^(1-order) / (order - 1), outputs along the last axis."""
    order = np.asarray(order, dtype=float)[..., None]
    terms = order * log_p + (1 - order) * log_q
    return np.asarray(logsumexp(terms, axis=-1)) / (order[..., 0] - 1)


def concentration(log_p: Floats, log_q: Floats, orders: Floats) -> float:
    """The smallest rho with D_order(P || Q) <= rho order at each of the orders (zero-concentrated DP)."""
    return float((renyi(log_p, log_q, orders) / orders).max())
