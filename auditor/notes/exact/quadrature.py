"""Exact deltas by quadrature of densities: slow, and independent of every closed form."""

from __future__ import annotations

import itertools
import math


def gaussian_delta_by_quadrature(mu: float, epsilon: float) -> float:
    """The integral of (p - e^epsilon q)+ for p = N(mu, 1) and q = N(0, 1): no Φ, no algebra."""
    from scipy.integrate import quad

    start = epsilon / mu + mu / 2  # p > e^epsilon q right of here

    def excess(y: float) -> float:
        return math.exp(-((y - mu) ** 2) / 2) - math.exp(epsilon - y**2 / 2)

    total, _ = quad(excess, start, start + 40, points=[start + 1, start + 8], epsabs=1e-17, epsrel=1e-11)
    return float(total) / math.sqrt(2 * math.pi)


def truncated_laplace_delta_by_quadrature(shift: float, cut: float, epsilon: float) -> float:
    """The integral of (p - e^epsilon q)+ for the density (5.12) of 002 with lambda = 1, q shifted."""
    from scipy.integrate import quad

    inside = 2 * -math.expm1(-cut)  # Z = 2 lambda (1 - e^(-tau/lambda))   (002 Thm 5.6)

    def density(y: float) -> float:
        return math.exp(-abs(y)) / inside if abs(y) <= cut else 0.0

    def excess(y: float) -> float:
        return max(0.0, density(y) - math.exp(epsilon) * density(y - shift))

    kinks = {-cut, cut, shift - cut, 0.0, shift, (shift - epsilon) / 2}
    cuts = sorted(point for point in kinks if -cut <= point <= cut)
    return sum(float(quad(excess, a, b, epsabs=1e-15, epsrel=1e-10)[0]) for a, b in itertools.pairwise(cuts))
