"""Exact profiles of k-fold compositions: binomial sums for randomized response, else loss distributions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaln, log_expit

from mechanisms import checks
from mechanisms.claims import NumericProfile, Profile


def composed_randomized_response(epsilon: float, k: int, delta: float = 0.0) -> Profile:
    """k runs of the worst (epsilon, delta)-DP mechanism: the optimal composition bound.

    Randomized response that tells the truth outright with probability delta dominates every (epsilon,
    delta)-DP mechanism (Kairouz, Oh and Viswanath 2015, Thm 3.4), so no bound of k-fold composition can be
    below this: 1 - (1-delta)^k (1 - sum_j [P(j) - e^e Q(j)]+), j ~ Bin(k, e^epsilon/(1+e^epsilon)), loss
    (2j-k) epsilon.
    """
    checks.non_negative("epsilon", epsilon)
    checks.whole("k", k)
    heads = np.arange(k + 1)
    ways = gammaln(k + 1) - gammaln(heads + 1) - gammaln(k - heads + 1)
    log_p = ways + heads * log_expit(epsilon) + (k - heads) * log_expit(-epsilon)
    loss = (2 * heads - k) * epsilon
    none_leaked = (1 - checks.probability("delta", delta)) ** k

    def delta_at(e: float) -> float:
        worst = loss > e
        inside = float(np.sum(np.exp(log_p[worst]) * -np.expm1(e - loss[worst])))
        return 1 - none_leaked * (1 - inside) if delta else inside

    return NumericProfile(delta_at, "binomial sum")


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
        value = float(
            self._distribution.get_epsilon_for_delta(max(checks.probability("delta", delta), 1e-12))
        )
        return math.inf if math.isnan(value) else value


def _profile(distribution: Any) -> Profile:
    return _LossDistribution(distribution)
