"""The mechanisms that are measured, as a user writes them: functions of (dataset, n, rng)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Draws = np.ndarray[Any, np.dtype[Any]]
Rng = np.random.Generator

CLASSIC_SIGMA = math.sqrt(2 * math.log(1.25 / 1e-3))  # the classic Gaussian mechanism for (1, 1e-3)


def laplace(d: float, n: int, rng: Rng, scale: float = 1.0) -> Draws:
    """d + Lap(scale)."""
    return d + rng.laplace(0, scale, n)


def told_laplace(d: float, n: int, rng: Rng, scale: float = 1.0) -> Draws:
    """Which side of both datasets 0 and 1 the output of `laplace` lies on, or between them: with this nothing has to be
    learned, and the best event is the same."""
    x = laplace(d, n, rng, scale)
    return np.where(x <= 0, -1.0, np.where(x >= 1, 1.0, 0.0))


def float_laplace(d: float, n: int, rng: Rng) -> Draws:
    """The same on doubles, as the bits view sees it."""
    return float(d) + rng.laplace(0, 1, n)


def response(d: int, n: int, rng: Rng, epsilon: float = 1.0) -> Draws:
    """The bit with probability e^epsilon / (1 + e^epsilon), the other one otherwise."""
    return np.where(rng.random(n) < 1 / (1 + math.exp(-epsilon)), d, 1 - d)


def geometric(d: int, n: int, rng: Rng) -> Draws:
    """d plus two-sided geometric noise of ratio 1/e."""
    stop = -math.expm1(-1)
    return d + rng.geometric(stop, n) - rng.geometric(stop, n)


def gaussian(d: float, n: int, rng: Rng, sigma: float = CLASSIC_SIGMA) -> Draws:
    """d + N(0, sigma^2)."""
    return d + rng.normal(0, sigma, n)


def subsampled(d: float, n: int, rng: Rng, rate: float = 0.1) -> Draws:
    """Poisson subsampling of one record, then Laplace noise."""
    return d * (rng.random(n) < rate) + rng.laplace(0, 1, n)


def propose_test_release(d: int, n: int, rng: Rng, delta: float = 1e-3) -> Draws:
    """Epsilon 1 each: the distance d has to pass a noisy test (else ⊥), the answer d - 5 is noisy too."""
    passed = d + rng.laplace(0, 1, n) > math.log(1 / delta)
    return np.where(passed, (d - 5) + rng.laplace(0, 1, n), np.nan)


def composed(d: float, n: int, rng: Rng, parts: int = 10) -> Draws:
    """A vector of `parts` answers, each with 1/parts of the budget."""
    return d + rng.laplace(0, parts, (n, parts))


def shamed(d: float, n: int, rng: Rng, delta: float = 0.01) -> Draws:
    """The record with probability delta, ⊥ otherwise: (0, delta)-DP, and no better."""
    return np.where(rng.random(n) < delta, d, np.nan)


class OwnShamed:
    """`shamed` from a generator of its own: (0, delta)-DP, and no better, as long as no draw of it is used twice."""

    def __init__(self, seed: int, delta: float = 0.03) -> None:
        self.own, self.delta = np.random.default_rng(seed), delta

    def sample(self, d: float, n: int, rng: Rng) -> Draws:
        """The record with probability delta, ⊥ otherwise."""
        return shamed(d, n, self.own, self.delta)


def placed(d: int, n: int, rng: Rng) -> Draws:
    """A number in one of three places, 0 in those before it and ⊥ in those after it: 1-DP, half for the place, which is
    answered at random, and half for the number. Only the two together show all of it."""
    truth = math.exp(0.5) / (math.exp(0.5) + 2)
    place = np.where(rng.random(n) < truth, d, (d + rng.integers(1, 3, n)) % 3)
    outputs = np.where(np.arange(3) < place[:, None], 0.0, np.nan)
    outputs[np.arange(n), place] = d + rng.laplace(scale=2.0, size=n)
    return outputs


def one_laplace(d: float, rng: Rng) -> float:
    """One draw a call."""
    return d + rng.laplace()


_RARE = 0.02  # of a member that changes the type of its array


def _some(d: int, n: int, rng: Rng) -> tuple[Draws, list[int]]:
    """Which draws are the rare member, e times as likely for d = 1, and one of three values for the others."""
    return rng.random(n) < _RARE * math.exp(d), rng.integers(0, 3, n).tolist()


def mixed_array(d: int, n: int, rng: Rng) -> Draws:
    """A rare text among whole numbers, in one array: 1-DP, and every draw of a batch that has one becomes a text."""
    rare, values = _some(d, n, rng)
    return np.array(["none" if r else v for r, v in zip(rare.tolist(), values, strict=True)])


def mixed_rows(d: int, n: int, rng: Rng) -> Draws:
    """A rare None in rows of two, in one array: 1-DP, and a batch that has one becomes one of objects."""
    rare, values = _some(d, n, rng)
    return np.array([[v, None if r else 0.5] for r, v in zip(rare.tolist(), values, strict=True)])


def mixed_times(d: int, n: int, rng: Rng) -> Draws:
    """A rare second among days, in one array: 1-DP, and a batch that has one counts in seconds."""
    rare, values = _some(d, n, rng)
    days, second = [np.datetime64(7 + k, "D") for k in range(3)], np.datetime64(1, "s")
    return np.array([second if r else days[v] for r, v in zip(rare.tolist(), values, strict=True)])
