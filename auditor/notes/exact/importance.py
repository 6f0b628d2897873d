"""Tiny deltas by importance sampling with known densities: draw where the violation lives, weigh it back.

A black-box audit sees nothing rarer than one in its number of trials. With both densities known, outputs are
drawn from a proposal that sits on the violating tail, and delta = E[weight] exactly; the weights are bounded,
so the interval is exact in finite samples as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core import checks

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Estimate:
    """A mean of weights with an interval that covers it with probability at least 1 - alpha."""

    value: float
    low: float
    high: float
    draws: int

    @property
    def relative_width(self) -> float:
        """Half the interval's width relative to the value."""
        return (self.high - self.low) / (2 * self.value)

    def contains(self, value: float) -> bool:
        """Whether the interval allows this value."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.value:.6g}, in [{self.low:.6g}, {self.high:.6g}] from {self.draws} draws"


def bounded_mean(weights: Floats, top: float, alpha: float) -> Estimate:
    """Mean of independent weights in [0, top]: empirical Bernstein (Maurer and Pontil 2009, Thm 4).

    |mean - E| <= sqrt(2 V ln(4/alpha)/n) + 7 top ln(4/alpha) / (3(n-1)) with the sample variance V.
    """
    n = len(weights)
    if n < 2 or weights.min() < 0 or weights.max() > top * (1 + 1e-12):
        raise ValueError(f"weights must be at least two numbers in [0, top], got n={n}, top={top}")
    log_term = math.log(4 / checks.open_probability("alpha", alpha))
    mean, variance = float(weights.mean()), float(weights.var(ddof=1))
    reach = math.sqrt(2 * variance * log_term / n) + 7 * top * log_term / (3 * (n - 1))
    return Estimate(mean, max(0.0, mean - reach), mean + reach, n)


def tail_delta(
    log_p: Callable[[Floats], Floats],
    log_q: Callable[[Floats], Floats],
    start: float,
    rate: float,
    top: float,
    epsilon: float,
    draws: int,
    rng: np.random.Generator,
    alpha: float = 1e-3,
) -> Estimate:
    """delta(epsilon) = integral of (p - e^epsilon q)+, where ln p/q exceeds epsilon right of `start`.

    Proposal: start + Gamma(2, rate). Its density starts linearly, as p - e^epsilon q does at its own zero, so
    the ratio of the two is nearly constant. `top` must bound that ratio; a larger weight is an error.
    """
    checks.positive("rate", rate)
    y = rng.standard_gamma(2.0, draws) / rate
    x = start + y
    log_left = log_p(x)
    share = -np.expm1(np.minimum(0.0, epsilon + log_q(x) - log_left))
    weights = np.exp(log_left + rate * y - np.log(y) - 2 * math.log(rate)) * share
    return bounded_mean(weights, top, alpha)


def gaussian_delta(mu: float, epsilon: float, draws: int, rng: np.random.Generator, alpha: float = 1e-3) -> Estimate:
    """The Gaussian mechanism's delta (002 Thm 5.18) by importance sampling from N(mu, 1) against N(0, 1).

    With z0 = start - mu the weight is phi(z0)/rate² e^((rate-z0) y - y²/2) (1 - e^(-mu y))/y. The rate is the
    one that makes its logarithm flattest under the proposal; e^(c y - y²/2) <= e^(c²/2) and 1 - e^-x <= x
    bound it.
    """
    start = epsilon / checks.positive("mu", mu) + mu / 2
    z0 = start - mu
    slope = z0 + mu / 2
    rate = (slope + math.sqrt(slope**2 + 12)) / 2  # rate = slope + 3/rate
    log_norm = 0.5 * math.log(2 * math.pi)
    return tail_delta(
        lambda x: -((x - mu) ** 2) / 2 - log_norm,
        lambda x: -(x**2) / 2 - log_norm,
        start,
        rate,
        mu / rate**2 * math.exp(-(z0**2) / 2 - log_norm + (rate - z0) ** 2 / 2),
        epsilon,
        draws,
        rng,
        alpha,
    )
