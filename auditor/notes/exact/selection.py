"""Choosing by score: the exponential mechanism on any score vector, its worst cases, and permute-and-flip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.core.neighbours import NeighbourPair
from mechanisms.exponential import Exponential

Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class ByScore(Exponential):
    """The catalogue's exponential mechanism where the dataset is the score vector itself."""

    epsilon: float = 1.0
    delta_u: float = 1.0
    size: int = 2

    @property
    def outcomes(self) -> Floats:
        """0, 1, …, size - 1."""
        return np.arange(self.size, dtype=float)

    @property
    def sensitivity(self) -> float:
        """Delta_u as given."""
        return self.delta_u

    def scores(self, dataset: Any) -> Floats:
        """The dataset."""
        return np.asarray(dataset, dtype=float)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The leader's score rises while all others fall: their log-odds move by the whole epsilon.

        The others have probability about e^-3 together, rare enough for a ratio close to e^epsilon.
        """
        lead = (math.log(self.size - 1) + 3) * 2 * self.delta_u / self.epsilon
        others = self.size - 1
        left = (lead,) + (0.0,) * others
        right = (lead + self.delta_u,) + (-self.delta_u,) * others
        return (NeighbourPair(left, right, why="the best score rises and the others fall"),)


def law(scores: Sequence[float] | Floats, epsilon: float = 1.0, sensitivity: float = 1.0) -> Floats:
    """The exponential mechanism's output distribution on a score vector, from the catalogue."""
    mechanism = ByScore(epsilon, sensitivity, len(scores))
    return np.asarray(mechanism.probabilities(scores), dtype=float)


def failure(scores: Sequence[float] | Floats, limit: float, epsilon: float = 1.0, sensitivity: float = 1.0) -> float:
    """P[score of the output <= limit], with room for rounding where a score equals the limit."""
    values = np.asarray(scores, dtype=float)
    return float(law(values, epsilon, sensitivity)[values <= limit + 1e-9 * max(1.0, abs(limit))].sum())


def worst_failure(outcomes: int, best: int, t: float) -> float:
    """The largest P[score <= OPT - (2 Delta/eps)(ln(H/H*) + t)] over all scores with `best` best outcomes.

    It is reached where all others lie exactly at the limit, each with weight x = (H*/H) e^-t relative to the
    best: (H - H*) x / (H* + (H - H*) x), which is below e^-t.
    """
    x = best / outcomes * math.exp(-t)
    return (outcomes - best) * x / (best + (outcomes - best) * x)


def expected_score(scores: Sequence[float] | Floats, epsilon: float = 1.0, sensitivity: float = 1.0) -> float:
    """E[score of the output] of the exponential mechanism."""
    return float(law(scores, epsilon, sensitivity) @ np.asarray(scores, dtype=float))


def permute_and_flip(scores: Sequence[float] | Floats, epsilon: float = 1.0, sensitivity: float = 1.0) -> Floats:
    """The output distribution of permute-and-flip (McKenna and Sheldon 2020, Alg 1), which is epsilon-DP too.

    Outcomes in random order, each accepted with p_r = exp(eps (u_r - OPT)/(2 Delta)): P(r) is
    p_r times the integral over t in (0, 1) of the product over s != r of (1 - t p_s), a polynomial.
    """
    values = np.asarray(scores, dtype=float)
    accept = np.exp(epsilon * (values - values.max()) / (2 * sensitivity))
    nodes, weights = np.polynomial.legendre.leggauss(len(values) // 2 + 1)
    t, weights = (nodes + 1) / 2, weights / 2
    factors = 1 - t[:, None] * accept
    return np.array([p * float(weights @ np.delete(factors, r, axis=1).prod(axis=1)) for r, p in enumerate(accept)])
