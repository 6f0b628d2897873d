"""Exact hockey-stick profiles that several mechanisms share.

H_e(P || Q) = sup over events of P(S) - e^e Q(S) is the delta that a pair of output distributions needs at e.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import NumericProfile, Profile


def worst(profiles: Iterable[Profile], how: str = "closed form") -> Profile:
    """The largest of several profiles at each epsilon: what holds for every pair."""
    every = tuple(profiles)
    return NumericProfile(lambda e: max(profile.delta_at(e) for profile in every), how)


def certain(how: str) -> Profile:
    """delta = 1 at every epsilon: some event is certain on one side and impossible on the other."""
    return NumericProfile(lambda e: 1.0, how)


def finite_profile(left: Sequence[float], right: Sequence[float]) -> Profile:
    """Both directions of two distributions over the same finite list of outputs, by enumeration."""
    p, q = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if p.shape != q.shape or not (math.isclose(p.sum(), 1) and math.isclose(q.sum(), 1)):
        raise ValueError(f"probabilities must sum to 1 over the same outputs, got {p.sum()} and {q.sum()}")

    def delta(epsilon: float) -> float:
        factor = math.exp(epsilon)
        return max(float(np.maximum(p - factor * q, 0).sum()), float(np.maximum(q - factor * p, 0).sum()))

    return NumericProfile(delta, "enumeration")


def laplace_tail(x: float) -> float:
    """P[Lap(1) > x]."""
    return 0.5 * math.exp(-x) if x > 0 else 1 - 0.5 * math.exp(x)


def laplace_hockey(shift: float, epsilon: float) -> float:
    """H_epsilon of two Laplace distributions `shift` scales apart; epsilon may be negative."""
    shift = abs(shift)
    if epsilon >= shift:
        return 0.0
    if epsilon <= -shift:
        return -math.expm1(epsilon)
    return -math.expm1((epsilon - shift) / 2)


def laplace_product_profile(each: float, k: int) -> Profile:
    """k independent Laplace coordinates, every one shifted by `each` scales.

    With v the part of [0, each] that a coordinate has passed, its loss is each (2v - 1), and v has the law
    e^(-each (1 - v)) / 2 times (a unit atom at 0, a unit atom at 1, the density `each` between them). The
    exponential factors out of a product, so the sum w of the k values is distributed as
    e^(-each (k - w)) / 2^k times a k-fold convolution: atoms at whole numbers and box splines between them.
    """
    a, k = checks.positive("each", each), checks.whole("k", k)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    whole = np.arange(k + 1)
    atoms = np.array([math.comb(k, h) for h in whole], dtype=float)

    def delta(epsilon: float) -> float:
        if epsilon >= k * a:
            return 0.0

        def gain(w: np.ndarray) -> np.ndarray:
            """The law's exponential factor times (1 - e^(epsilon - loss))_+."""
            return np.exp(-a * (k - w)) / 2.0**k * np.maximum(0.0, -np.expm1(epsilon - a * (2 * w - k)))

        start = max(0.0, (epsilon / a + k) / 2)  # the loss exceeds epsilon for w above this
        cuts = np.concatenate([[start], whole[whole > start]])
        half = np.diff(cuts)[:, None] / 2
        w = (cuts[:-1, None] + half) + half * nodes
        return float((atoms * gain(whole)).sum() + (_between_atoms(w, a, k) * gain(w) * weights * half).sum())

    return NumericProfile(delta, "closed form")


def _between_atoms(w: np.ndarray, a: float, k: int) -> np.ndarray:
    """The density of the k-fold convolution of (atom at 0) + (atom at 1) + a (uniform on [0, 1])."""
    from scipy.interpolate import BSpline

    density = np.zeros_like(w)
    for r in range(1, k + 1):  # r coordinates strictly between the atoms, h at 1, the rest at 0
        spline = BSpline.basis_element(np.arange(r + 1.0), extrapolate=False)
        for h in range(k - r + 1):
            density += a**r * math.comb(k, r) * math.comb(k - r, h) * np.nan_to_num(spline(w - h))
    return density


def laplace_composition_profile(epsilons: Sequence[float]) -> Profile:
    """Independent Laplace mechanisms on one pair that is worst for all of them."""
    first = epsilons[0]
    if all(epsilon == first for epsilon in epsilons):
        return laplace_product_profile(first, len(epsilons))
    from dp_accounting.pld import privacy_loss_distribution

    losses = [
        privacy_loss_distribution.from_laplace_mechanism(1 / epsilon, value_discretization_interval=1e-4)
        for epsilon in epsilons
    ]
    composed = losses[0]
    for loss in losses[1:]:
        composed = composed.compose(loss)
    most = math.fsum(epsilons)  # dp_accounting keeps a tail of about 1e-15 beyond it
    return NumericProfile(
        lambda e: composed.get_delta_for_epsilon(e) if e < most else 0.0, "loss distribution, rounded up"
    )


def subsampled_profile(base: Profile, rate: float) -> Profile:
    """rate times the base's delta at ln(1 + (e^e - 1)/rate): what 002 Thm 5.4 allows, at every e.

    It is attained by (1 - rate) Q + rate P against Q, where P and Q are worst for the base (Balle, Barthe and
    Gaboardi 2018, Thm 2): one record that is sampled or not, and nothing else.
    """
    rate = checks.probability("rate", rate)
    return NumericProfile(lambda e: rate * base.delta_at(math.log1p(math.expm1(e) / rate)) if rate else 0.0)
