"""Which canaries to guess, and how: decided from the scores of one run, without the coins.

The order is a function of the scores alone, so the guesses are a function of the run's output and the one-run tests
hold whatever this file does. It changes power, never soundness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auditor.sampling.streams import stream
from auditor.tuning import TUNING, OneRunGuesses

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ordered:
    """Canaries from the surest guess to the least sure one, and whether each is guessed to be included."""

    places: Places
    guesses: Flags

    def correct(self, included: Flags) -> Places:
        """How many of the first r guesses are correct, for r = 0, 1, ..., m."""
        hits = included[self.places] == self.guesses
        return np.concatenate([[0], np.cumsum(hits)])


def ordered(scores: Floats, tuning: OneRunGuesses = TUNING.one_run) -> Ordered:
    """The order in which to guess. High scores are guessed to be included, low ones not.

    Where scores are about symmetric, both ends are guessed alike, by rank. Where they are clearly skewed, a mixture of
    two normal laws with weights 1/2 (the coins are fair) says which end tells more: an end with a long tail of its own
    is guessed first. Ties are broken at random, never by their place: a list may be sorted by what was included.
    """
    m = len(scores)
    shuffled = stream(m, "ties").permutation(m)
    ranks = np.empty(m, dtype=np.int64)
    ranks[shuffled[np.argsort(scores[shuffled], kind="stable")]] = np.arange(m)
    finite = scores[np.isfinite(scores)]
    ends = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    ascending = np.sort(np.clip(scores, *ends))
    odds = _log_odds(ascending, tuning) if abs(_skewness(ascending)) > tuning.skewed else None
    by_rank = np.arange(m) - (m - 1) / 2 if odds is None else odds
    certainty = by_rank[ranks]
    middle = np.abs(ranks - (m - 1) / 2)
    places = np.lexsort((shuffled, -middle, -np.abs(certainty)))
    return Ordered(places, certainty[places] > 0)


def _skewness(scores: Floats) -> float:
    """How far the ends are from lying symmetrically about the median, in standard errors."""
    low, quarter, median, upper, high = np.quantile(scores, [0.02, 0.25, 0.5, 0.75, 0.98])
    if not upper > quarter:
        return 0.0
    return float((high + low - 2 * median) / (high - low) * np.sqrt(len(scores)) / 2)


def _log_odds(ascending: Floats, tuning: OneRunGuesses) -> Floats:
    """The log-odds of "included" at each of the sorted scores, made non-decreasing, by a mixture of two normal laws."""
    sample = np.quantile(ascending, (np.arange(tuning.quantiles) + 0.5) / tuning.quantiles)
    half = tuning.quantiles // 2
    means = np.array([sample[:half].mean(), sample[half:].mean()])
    spreads = np.full(2, max(sample.std() / 1.5, 1e-300))
    floor = max(1e-3 * float(sample.std()), 1e-300)
    for _ in range(tuning.steps):
        logs = _log_densities(sample, means, spreads)
        upper = 1 / (1 + np.exp(np.clip(logs[0] - logs[1], -500, 500)))
        weights = np.stack([1 - upper, upper])
        weights *= half / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)  # the coins are fair
        before, means = means, (weights * sample).sum(axis=1) / half
        spreads = np.maximum(np.sqrt((weights * (sample - means[:, None]) ** 2).sum(axis=1) / half), floor)
        if np.abs(means - before).max() <= floor / 10:
            break
    low, high = np.argsort(means)
    logs = _log_densities(ascending, means, spreads)
    return _monotone(np.asarray(logs[high] - logs[low]))


def _log_densities(at: Floats, means: Floats, spreads: Floats) -> Floats:
    return np.asarray(-0.5 * ((at - means[:, None]) / spreads[:, None]) ** 2 - np.log(spreads[:, None]))


def _monotone(odds: Floats) -> Floats:
    """Odds that turn round towards an end are held where they turned: the wider of two normal laws wins both ends."""
    lowest = int(np.argmin(odds[: max(1, int(np.argmax(odds)))])) if np.argmax(odds) else 0
    odds = odds.copy()
    odds[:lowest] = odds[lowest]
    return np.maximum.accumulate(odds)
