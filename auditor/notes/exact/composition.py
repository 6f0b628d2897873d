"""Exact profiles of k-fold compositions: binomial sums for randomized response, else loss distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaln, log_expit

from mechanisms.core import checks
from mechanisms.core.claims import Profile


def composed_randomized_response(epsilon: float, k: int, delta: float = 0.0) -> Profile:
    """k runs of the worst (epsilon, delta)-DP mechanism: the optimal composition bound.

    Randomized response that tells the truth outright with probability delta dominates every (epsilon,
    delta)-DP mechanism (Kairouz, Oh and Viswanath 2015, Thm 3.4), so no bound of k-fold composition can be
    below this: 1 - (1-delta)^k (1 - sum_j [P(j) - e^e Q(j)]+), j ~ Bin(k, e^epsilon/(1+e^epsilon)), loss
    (2j-k) epsilon.
    """
    return _Responses(checks.non_negative("epsilon", epsilon), checks.whole("k", k), delta)


class _Responses(Profile):
    """The binomial sum, and its inverse by bisection up to k epsilon, where delta is 0 or what is leaked."""

    def __init__(self, epsilon: float, k: int, delta: float) -> None:
        heads = np.arange(k + 1)
        ways = gammaln(k + 1) - gammaln(heads + 1) - gammaln(k - heads + 1)
        self._log_p = ways + heads * log_expit(epsilon) + (k - heads) * log_expit(-epsilon)
        self._loss = (2 * heads - k) * epsilon
        self._leak = -math.expm1(k * math.log1p(-checks.probability("delta", delta)))

    def delta_at(self, epsilon: float) -> float:
        worst = self._loss > epsilon
        inside = float(np.sum(np.exp(self._log_p[worst]) * -np.expm1(epsilon - self._loss[worst])))
        return self._leak + (1 - self._leak) * inside

    def epsilon_at(self, delta: float) -> float:
        if self._leak > checks.probability("delta", delta):
            return math.inf
        if self.delta_at(0.0) <= delta:
            return 0.0
        bottom, top = 0.0, float(self._loss[-1])
        while top - bottom > 1e-12 * max(1.0, top):
            middle = (bottom + top) / 2
            bottom, top = (bottom, middle) if self.delta_at(middle) <= delta else (middle, top)
        return top


def composed_laplace(epsilon: float, k: int) -> Profile:
    """k Laplace mechanisms, each epsilon-DP and tight, by a privacy-loss distribution rounded up."""
    return _profile(_laplace(epsilon).self_compose(checks.whole("k", k)))


def composed_gaussian(mu: float, k: int) -> Profile:
    """k Gaussian mechanisms with Delta/sigma = mu, by a loss distribution; in theory mu sqrt(k) (002)."""
    from dp_accounting.pld import privacy_loss_distribution

    single = privacy_loss_distribution.from_gaussian_mechanism(
        1 / checks.positive("mu", mu), value_discretization_interval=_step(mu)
    )
    return _profile(single.self_compose(checks.whole("k", k)))


def _step(epsilon: float) -> float:
    """The grid of losses: fine against epsilon, coarse enough for a composition of thousands."""
    return min(1e-3, epsilon / 500)


def _laplace(epsilon: float) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_laplace_mechanism(
        1 / checks.positive("epsilon", epsilon), value_discretization_interval=_step(epsilon)
    )


class _LossDistribution(Profile):
    """A dp_accounting loss distribution. Rounded up, so never below the truth (up to about 1e-4 in epsilon).

    Its own epsilon at delta = 0 can be infinite for Laplace, where the discretised tail keeps an atom; delta
    is therefore raised to 1e-12 there.
    """

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution

    def delta_at(self, epsilon: float) -> float:
        return float(self._distribution.get_delta_for_epsilon(epsilon))

    def epsilon_at(self, delta: float) -> float:
        value = float(self._distribution.get_epsilon_for_delta(max(checks.probability("delta", delta), 1e-12)))
        return math.inf if math.isnan(value) else value


def _profile(distribution: Any) -> Profile:
    return _LossDistribution(distribution)
