"""Lecture 000: approximate DP, the Gaussian and exponential mechanisms, subsampling."""

from __future__ import annotations

import math

from scipy.special import ndtr

from auditor.ledger.entries import Outcome, entry, judge
from auditor.ledger.facts import at_least, at_most
from auditor.ledger.run import Run
from mechanisms.claims import GaussianDP


@entry(
    "000-R1",
    kind="R",
    title="δ as a probability of no guarantee",
    statement="With probability 1 − δ we obtain the guarantee of pure DP; with probability δ, none at all.",
    conditions="read as P[privacy loss > ε] ≤ δ",
    source="000 §1, after Theorem 1",
    expected="false as printed",
)
def delta_is_not_a_failure_probability(run: Run) -> Outcome:
    """The Gaussian mechanism with exact delta 1e-5 at eps = 1 exceeds the loss 1 far more often than that."""
    epsilon, delta = 1.0, 1e-5
    mu = _gaussian_mu(epsilon, delta)
    exceeds = float(ndtr(mu / 2 - epsilon / mu))  # P[L > eps], L ~ N(mu²/2, mu²), 002 Lemma 5.13
    larger = 2 * epsilon  # P[L > 2 eps] <= delta / (1 - e^-eps), 002 remark after Lemma 5.5
    exceeds_larger = float(ndtr(mu / 2 - larger / mu))
    return judge(
        printed=[
            at_most("P[loss > 1] of the Gaussian mechanism that is exactly (1, 1e-5)-DP", exceeds, delta)
        ],
        corrected=[
            at_most("P[loss > 2] ≤ δ/(1 − e^−1)", exceeds_larger, delta / -math.expm1(-epsilon)),
            at_least("δ is at most P[loss > ε]: the converse is sufficient", exceeds, delta),
        ],
        claimed=delta,
        exact=exceeds,
        quantity="P[loss > 1]",
        finding=(
            f"A Gaussian mechanism that is exactly (1, 1e-5)-DP has privacy loss above 1 with probability "
            f"{exceeds:.4g}, {exceeds / delta:.0f} times δ."
        ),
        correction="P[loss > ε] ≤ δ implies (ε, δ)-DP; (ε, δ)-DP gives only P[loss > 2ε] ≤ δ/(1 − e^−ε).",
    )


def _gaussian_mu(epsilon: float, delta: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda mu: GaussianDP(mu).delta_at(epsilon) - delta, 1e-3, 10.0, xtol=1e-13))
