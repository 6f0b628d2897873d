"""Simultaneous bounds over thresholds, compared: two Bonferroni bounds, two exact bands, and one bound of the
difference.

`python -m benchmarks.bands`. Counts of a Gaussian are drawn at fixed thresholds; only the bound differs.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft
from scipy.special import gammaln, ndtr, ndtri

from auditor.certify import hull, losses
from auditor.certify.advantage import EventCounts, advantages
from auditor.certify.proportions import lower, upper
from benchmarks.tables import Table, number, terminal

ALPHA = 0.05
SEEDS = 9


def bonferroni(counts: EventCounts, slopes: Any, alpha: float) -> hull.Points:
    """A lower bound on P(S) and an upper one on Q(S) for each event, at alpha over twice their number."""
    return _corners(counts, alpha / 2 / len(slopes))


def equal_levels(counts: EventCounts, slopes: Any, alpha: float) -> hull.Points:
    """An exact one-sided band for each side: one local level for all thresholds, so that the whole has alpha / 2."""
    shares = np.sort(counts.left / counts.left_trials)
    return _corners(counts, local_level(shares, counts.left_trials, alpha / 2))


def difference(counts: EventCounts, slopes: Any, alpha: float) -> hull.Points:
    """What `tradeoff` does."""
    return hull.certified_hull(advantages(counts, slopes, np.full(len(slopes), alpha / len(slopes))))


def _corners(counts: EventCounts, level: float) -> hull.Points:
    x, n, y, m = counts.left, counts.left_trials, counts.right, counts.right_trials
    least, most = lower(x, n, level), upper(y, m, level)
    return hull.concave(list(zip(most.tolist(), least.tolist(), strict=True)))


def local_level(shares: Any, n: int, alpha: float) -> float:
    """The level of each order statistic's bound at which all hold together with probability 1 - alpha.

    The bounds are on the order statistics of ranks n * shares: U_(i) >= l_i for all of them, where l_i is the beta
    quantile. That is "fewer than i of the n uniform numbers lie below l_i", a Poisson process that stays below a
    boundary, given that it has n points in all.
    """
    ranks = np.unique(np.clip(np.round(n * shares), 1, n).astype(np.int64))
    low, high = alpha / len(ranks), alpha
    for _ in range(12):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if crossing(ranks, n, middle) <= alpha else (low, middle)
    return low


def crossing(ranks: Any, n: int, level: float) -> float:
    """1 - P[U_(i) >= l_i for all ranks i], by convolving Poisson increments (Moscovich and Nadler 2017)."""
    edges = np.append(lower(ranks, n, level), 1.0)
    most = np.append(ranks - 1, n)
    width = int(24 * np.sqrt(n)) + 64
    first, weights, before = 0, np.array([1.0]), 0.0
    for edge, top in zip(edges, most, strict=True):
        mean = n * (edge - before)
        before = edge
        k = np.arange(max(0, int(mean - 12 * np.sqrt(mean) - 40)), int(mean + 12 * np.sqrt(mean) + 40))
        steps = np.exp(k * np.log(mean) - mean - gammaln(k + 1)) if mean > 0 else np.array([1.0])
        size = fft.next_fast_len(len(weights) + len(steps))
        weights = fft.irfft(fft.rfft(weights, size) * fft.rfft(steps, size), size)[: len(weights) + len(steps) - 1]
        first += int(k[0]) if mean > 0 else 0
        weights = np.maximum(0.0, weights[: max(0, int(top) - first + 1)])
        if len(weights) > width:
            first, weights = first + len(weights) - width, weights[-width:]
    total = np.exp(n * np.log(n) - n - gammaln(n + 1))
    return float(1 - weights[n - first] / total) if n - first < len(weights) else 1.0


METHODS: dict[str, Callable[..., hull.Points]] = {
    "Bonferroni, both sides": bonferroni,
    "equal local levels, both sides": equal_levels,
    "the difference (used)": difference,
}


def table(trials: int = 950_000, events: int = 31, farthest: float = 3.4) -> Table:
    """Certified over exact, medians, for two compositions."""
    made: dict[str, tuple[float, Callable[[hull.Points], float]]] = {
        "DP-SGD, 1,000 steps": (1.0, lambda p: _epsilon(hull.subsampled(p, 0.01, "left"), 1000) / 1.828),
        "100 Gaussians": (0.1, lambda p: _epsilon(p, 100) / 4.377),
    }
    rows = []
    for name, method in METHODS.items():
        row: dict[str, Any] = {"bounds": name}
        for title, (mu, value) in made.items():
            at = np.linspace(-farthest, farthest, events) + mu / 2
            slopes = np.exp(mu * at - mu**2 / 2)
            found = []
            for seed in range(SEEDS):
                rng = np.random.default_rng(seed)
                counts = EventCounts(
                    _nested(rng, trials, ndtr(mu - at)), _nested(rng, trials, ndtr(-at)), trials, trials
                )
                found.append(value(method(counts, slopes, ALPHA)))
            row[title] = statistics.median(found)
        rows.append(row)
    title = (
        f"Certified / exact epsilon at delta 1e-5, {trials:,} counted draws a side, {events} thresholds, {SEEDS} seeds"
    )
    return Table(title, {"bounds": str, **dict.fromkeys(made, number)}, rows)


def _nested(rng: np.random.Generator, n: int, shares: Any) -> Any:
    """Counts of nested events with these probabilities, from the largest to the smallest."""
    cells = -np.diff(np.concatenate([[1.0], shares, [0.0]]))
    return n - np.cumsum(rng.multinomial(n, cells / cells.sum()))[:-1].astype(np.float64)


def _epsilon(points: hull.Points, k: int) -> float:
    both = points, hull.reversed_(points)
    return max(losses.power(losses.of_curve(one), k).epsilon_at(1e-5) for one in both)


def spread(level: float) -> float:
    """The level in standard errors."""
    return float(-ndtri(level))


if __name__ == "__main__":
    found = table()
    found.show(terminal())
    print(found.markdown())
