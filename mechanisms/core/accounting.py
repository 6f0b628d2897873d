"""The notes' theorems that turn claims into claims: pure functions of (epsilon, delta)."""

from __future__ import annotations

import math

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Claim


def approximate(claim: Claim) -> ApproxDP:
    """The claim, when it is an (epsilon, delta) that these theorems speak of."""
    if not isinstance(claim, ApproxDP):
        raise ValueError(f"the theorems of the notes take (epsilon, delta) claims, got claim={claim}")
    return claim


def basic_composition(*claims: Claim) -> ApproxDP:
    """(sum of epsilons, sum of deltas), adaptive or not (001 Thm 1.7; 000 below Thm 1; 002 Lemma 5.3)."""
    parts = [approximate(claim) for claim in claims]
    return ApproxDP(math.fsum(part.epsilon for part in parts), min(1.0, math.fsum(part.delta for part in parts)))


def advanced_composition(claim: Claim, k: int, slack: float) -> ApproxDP:
    """k runs of (epsilon, delta): (epsilon', k delta + slack) (000 Thm 2.1).

    epsilon' = sqrt(2 k ln(1/slack)) epsilon + k epsilon (e^epsilon - 1). Below k epsilon only where
    epsilon < ln 2 and k > 2 ln(1/slack) / (2 - e^epsilon)^2.
    """
    single, k, slack = approximate(claim), checks.whole("k", k), checks.open_probability("slack", slack)
    epsilon = single.epsilon
    return ApproxDP(
        math.sqrt(2 * k * math.log(1 / slack)) * epsilon + k * epsilon * math.expm1(epsilon),
        min(1.0, k * single.delta + slack),
    )


def parallel_composition(*claims: Claim) -> ApproxDP:
    """The largest epsilon and delta, where a record is in one part alone: add/remove (000 below Thm 1)."""
    parts = [approximate(claim) for claim in claims]
    return ApproxDP(max(part.epsilon for part in parts), max(part.delta for part in parts))


def group_privacy(claim: Claim, k: int) -> ApproxDP:
    """Groups of k: (k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)).

    001 Prop 1.2 has delta = 0. For delta > 0, k steps of P <= e^epsilon P' + delta add a geometric series,
    not k delta, and a chain of k steps attains it.
    """
    single, k = approximate(claim), checks.whole("k", k)
    steps = math.fsum(math.exp(j * single.epsilon) for j in range(k))
    return ApproxDP(k * single.epsilon, min(1.0, single.delta * steps))


def subsampling(claim: Claim, rate: float) -> ApproxDP:
    """(ln(1 + rate (e^epsilon - 1)), rate delta) (002 Thm 5.4; 000 Lemma 4.1).

    For Poisson sampling it holds under add/remove, and under replace-one when the base is private for both
    relations. For samples of fixed size without replacement it holds under replace-one, with rate m/n
    (Balle, Barthe and Gaboardi 2018, Thms 8 and 9).
    """
    single, rate = approximate(claim), checks.probability("rate", rate)
    return ApproxDP(math.log1p(rate * math.expm1(single.epsilon)), rate * single.delta)
