"""Exact output probabilities of the zoo's discrete mechanisms, by quadrature between the kinks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_GRID = 8001  # points of a grid, where a kink falls between two of them
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def laplace_density(x: Floats, scale: float) -> Floats:
    """Density of Lap(scale)."""
    return np.exp(-np.abs(x) / scale) / (2 * scale)


def laplace_cdf(x: Floats, scale: float) -> Floats:
    """P[Lap(scale) <= x]; a step at 0 for a scale of 0."""
    if scale == 0:
        return (x >= 0).astype(np.float64)
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)


def exponential_cdf(x: Floats, scale: float) -> Floats:
    """P[Exp(scale) <= x]."""
    return -np.expm1(-np.maximum(x, 0) / scale)


def exponential_density(x: Floats, scale: float) -> Floats:
    """Density of Exp(scale)."""
    return np.where(x < 0, 0.0, np.exp(-np.maximum(x, 0) / scale) / scale)


def integrate(function: Callable[[Floats], Floats], kinks: Iterable[float], scale: float) -> float:
    """The integral over the line of a function smooth between the kinks, with tails of this scale."""
    inner = sorted(set(kinks))
    reach = np.concatenate([np.arange(0.0, 8.0, 0.5), np.arange(8.0, 60.0, 4.0), [60.0]])[1:] * scale
    panels = np.concatenate([inner[0] - reach[::-1], inner, inner[-1] + reach])
    panels = np.unique(np.concatenate([panels, np.linspace(inner[0], inner[-1], 9)]))
    middle, half = (panels[1:] + panels[:-1]) / 2, np.diff(panels) / 2
    points = middle[:, None] + half[:, None] * _NODES
    return float((function(points) * (_WEIGHTS * half[:, None])).sum())


def first_above(answers: Sequence[float], threshold: float, threshold_scale: float, query_scale: float) -> list[float]:
    """P[the first noisy answer above the noisy threshold is the i-th] for each i, and last P[none is]."""

    def below(rho: Floats, answer: float) -> Floats:
        return laplace_cdf(rho + threshold - answer, query_scale)

    def probability(i: int) -> float:
        def density(rho: Floats) -> Floats:
            value = laplace_density(rho, threshold_scale)
            for answer in answers[:i]:
                value = value * below(rho, answer)
            return value * (1 - below(rho, answers[i])) if i < len(answers) else value

        return integrate(density, [0.0, *(a - threshold for a in answers)], max(threshold_scale, query_scale))

    return [probability(i) for i in range(len(answers) + 1)]


def first_values(answers: Sequence[float], threshold: float, threshold_scale: float, query_scale: float) -> list[float]:
    """P[the first noisy answer above the noisy threshold is the i-th, and its noisy value lies in a cell] for each i
    and each of many narrow cells, and last P[none is above]; by sums over a fine grid."""
    reach = 24 * max(threshold_scale, query_scale)
    grid, step = np.linspace(-reach, reach, _GRID, retstep=True)
    asked = laplace_density(grid - threshold, threshold_scale) * step  # and no earlier answer was above this threshold
    found = []
    for answer in answers:
        found.append(laplace_density(grid - answer, query_scale) * (np.cumsum(asked) - asked / 2) * step)
        asked = asked * laplace_cdf(grid - answer, query_scale)
    return [*np.concatenate(found).tolist(), float(asked.sum())]


def patterns_above(
    answers: Sequence[float], most: int, threshold: float, threshold_scale: float, query_scale: float
) -> dict[tuple[int, ...], float]:
    """P[these noisy answers, and no others of those asked, are above the noisy threshold], for all sets of up to `most`
    of them, after which nothing is asked; by sums over a fine grid."""
    reach = 24 * max(threshold_scale, query_scale)
    grid, step = np.linspace(-reach, reach, _GRID, retstep=True)
    bar = laplace_density(grid - threshold, threshold_scale) * step
    below = [laplace_cdf(grid - answer, query_scale) for answer in answers]
    found = {}
    for size in range(most + 1):
        for above in itertools.combinations(range(len(answers)), size):
            asked = range(above[-1] + 1 if size == most else len(answers))
            value = bar
            for i in asked:
                value = value * (1 - below[i] if i in above else below[i])
            found[above] = float(value.sum())
    return found


def counts_above(
    levels: Sequence[float],
    sizes: Sequence[int],
    threshold: float,
    threshold_scale: float,
    query_scale: float,
) -> list[float]:
    """P[how many answers of each group are above], all counts in order, for a sparse vector without cut-off.

    Group g has `sizes[g]` queries whose answers are all `levels[g]`: they are exchangeable, so the counts
    carry all the information that the answers do.
    """
    kinks = [0.0, *(level - threshold for level in levels)]

    def probability(counts: tuple[int, ...]) -> float:
        def density(rho: Floats) -> Floats:
            value = laplace_density(rho, threshold_scale)
            for level, size, above in zip(levels, sizes, counts, strict=True):
                below = laplace_cdf(rho + threshold - level, query_scale)
                value = value * math.comb(size, above) * (1 - below) ** above * below ** (size - above)
            return value

        return integrate(density, kinks, max(threshold_scale, query_scale))

    return [probability(counts) for counts in itertools.product(*(range(size + 1) for size in sizes))]


def argmax(answers: Sequence[float], scale: float, one_sided: bool = False) -> list[float]:
    """P[the i-th noisy answer is the largest], with Laplace or exponential noise."""
    density, cdf = (exponential_density, exponential_cdf) if one_sided else (laplace_density, laplace_cdf)

    def probability(i: int) -> float:
        def joint(z: Floats) -> Floats:
            value = density(z - answers[i], scale)
            for j, answer in enumerate(answers):
                if j != i:
                    value = value * cdf(z - answer, scale)
            return value

        return integrate(joint, answers, scale)

    return [probability(i) for i in range(len(answers))]


def largest_ratio(left: Sequence[float], right: Sequence[float]) -> float:
    """The largest |ln(p / q)| over the outcomes of two discrete distributions; infinite on a lost support."""
    worst = 0.0
    for p, q in zip(left, right, strict=True):
        if max(p, q) <= 0:
            continue
        if min(p, q) <= 0:
            return math.inf
        worst = max(worst, abs(math.log(p / q)))
    return worst
