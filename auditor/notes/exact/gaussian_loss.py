"""The privacy loss of Gaussian noise: L ~ N(mu²/2, mu²) with mu = Delta/sigma (002 Lemma 5.13)."""

from __future__ import annotations

import math

from scipy.special import log_ndtr

from mechanisms.core import checks


def log_loss_tail(mu: float, loss: float) -> float:
    """ln P[L > loss], finite for every loss: the tail never ends."""
    return float(log_ndtr(checks.positive("mu", mu) / 2 - loss / mu))


def loss_tail(mu: float, loss: float) -> float:
    """P[L > loss]; the probability of the bad event, not delta (002 Lemma 5.5)."""
    return math.exp(log_loss_tail(mu, loss))
