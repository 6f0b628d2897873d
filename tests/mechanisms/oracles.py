"""Independent computations that the exact profiles and the samplers are held against."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from scipy import integrate, stats

FALSE_ALARM = 1e-7  # of each sampler check below, if the sampler is right; seeds are fixed


def quadrature_delta(p, q, epsilon, breaks):
    """The hockey-stick divergence of two densities, the worse direction, integrated between the breaks."""

    def one_way(f, g):
        def excess(y):
            return max(0.0, f(y) - math.exp(epsilon) * g(y))

        return sum(integrate.quad(excess, a, b, limit=400, epsabs=1e-12, epsrel=1e-10)[0] for a, b in pairwise(breaks))

    return max(one_way(p, q), one_way(q, p))


def enumerated_delta(p, q, epsilon):
    """The same for two dictionaries from outputs to probabilities."""
    factor = math.exp(epsilon)

    def one_way(f, g):
        return math.fsum(max(0.0, f[y] - factor * g.get(y, 0.0)) for y in f)

    return max(one_way(p, q), one_way(q, p))


def fits_density(outputs, cdf):
    """Kolmogorov-Smirnov p-value of continuous outputs."""
    return stats.kstest(outputs, cdf).pvalue


def fits_probabilities(outputs, law):
    """Chi-square p-value of outputs against a dictionary of probabilities; rare outputs form one cell."""
    values, counts = np.unique(outputs, return_counts=True)
    observed = dict(zip(values.tolist(), counts.tolist(), strict=True))
    n = len(outputs)
    if any(value not in law for value in observed):
        return 0.0
    common = [value for value, p in law.items() if p * n >= 10]
    expected = np.array([law[value] * n for value in common])
    seen = np.array([observed.get(value, 0) for value in common])
    rest = n - expected.sum()
    if rest > 1e-6:
        expected, seen = np.append(expected, rest), np.append(seen, n - seen.sum())
        if rest < 10:  # too few for a cell of its own: join the last
            expected = np.append(expected[:-2], expected[-2:].sum())
            seen = np.append(seen[:-2], seen[-2:].sum())
    return stats.chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue
