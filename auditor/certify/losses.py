"""Privacy-loss distributions of curves, composed with losses rounded down: a lower bound on delta at every epsilon.

A segment of a curve with rise p and run q is an output of probability p on one side and q on the other; its loss is
log(p / q). Runs on independent randomness add their losses. Whatever is done here to keep the sum on a grid makes it
smaller: losses are rounded down, mass that is cut off is dropped, and `error`, which covers what wraps around in a
Fourier transform and its rounding, is taken off every delta. The grid is handed to dp-accounting's PLDPmf, whose
optimistic estimate this is. (Its own self_compose adds the truncated mass to the infinite loss, which is not
optimistic.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft
from scipy.special import logsumexp

from auditor.certify.hull import Points

Floats = npt.NDArray[np.float64]

_GRID = 2**19  # points of the grid; the more, the less is lost by rounding down
_AT_ONCE = 40  # runs that are added on one grid; more are added in stages, the first on a finer grid
_TAIL = 1e-15  # probability outside of the grid, each side
_TRANSFORM = 1e-13  # error of a Fourier transform and back, beside four times the mass that it puts below zero


@dataclass(frozen=True)
class Losses:
    """Losses `values` (increasing) with their probabilities `weights`, of which some may be missing, and an infinite
    one.

    `step` is the grid's, 0 where there is none. Every delta computed is too large by at most `error`.
    """

    values: Floats
    weights: Floats
    infinite: float = 0.0
    step: float = 0.0
    error: float = 0.0

    @cached_property
    def _falling(self) -> tuple[Floats, Floats, Floats]:
        """The losses from the largest on, with the sums of their weights, and the logarithm of that of weight
        e^-loss.
        """
        values, weights = self.values[::-1], self.weights[::-1]
        with np.errstate(divide="ignore"):
            other = np.logaddexp.accumulate(np.log(weights) - values)
        return values, np.cumsum(weights), other

    def delta_at(self, epsilon: float) -> float:
        """A lower bound on the sum of weight times (1 - e^(epsilon - loss)) over the losses above epsilon."""
        above = self.values > epsilon
        inside = float(np.dot(self.weights[above], -np.expm1(epsilon - self.values[above])))
        return min(1.0, max(0.0, self.infinite + inside - self.error))

    def deltas_at(self, epsilons: Floats) -> Floats:
        """`delta_at` of many, quicker; as it adds before it subtracts, good to about 1e-12."""
        values, weight, other = self._falling
        last = np.searchsorted(-values, -epsilons) - 1  # of the losses above epsilon
        with np.errstate(over="ignore", invalid="ignore"):
            inside = weight[last] - np.exp(np.minimum(epsilons + other[last], 0.0))
        return np.where(last < 0, self.infinite, self.infinite + inside) - self.error

    def epsilon_at(self, delta: float) -> float:
        """A lower bound on the epsilon >= 0 at which delta is left: 0 where there is none."""
        wanted = delta + self.error
        if self.infinite > wanted:
            return math.inf
        _values, weight, other = self._falling
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = np.log(self.infinite + weight - wanted) - other  # of the events {loss >= value}
        return float(np.max(reached, initial=0.0, where=np.isfinite(reached)))

    def renyi(self, order: float) -> float:
        """The Rényi divergence of this order, log of the sum of weight e^((order - 1) loss), over order - 1."""
        if self.infinite > 0:
            return math.inf
        return max(0.0, float(logsumexp((order - 1) * self.values, b=self.weights)) / (order - 1))

    def rates(self) -> tuple[Floats, Floats]:
        """False and true positives, at most and at least, of the events {loss >= value}, from the largest value on."""
        _, weight, other = self._falling
        return np.minimum(1.0, np.exp(np.minimum(0.0, other)) + self.error), np.maximum(
            0.0, self.infinite + weight - self.error
        )

    def pld(self) -> Any:
        """The same as a PLDPmf of dp-accounting, with its optimistic estimate."""
        from dp_accounting.pld import pld_pmf

        if not self.step:
            raise ValueError("only losses on a grid are a PLDPmf, got step=0; use on_grid")
        low = round(self.values[0] / self.step)
        return pld_pmf.DensePLDPmf(self.step, low, self.weights.copy(), self.infinite, pessimistic_estimate=False)


def of_curve(points: Points) -> Losses:
    """The losses of one run: a segment's is the logarithm of its slope."""
    runs, rises = np.diff(np.array(points), axis=0).T
    some = (runs > 0) & (rises > 0)
    values, weights = np.log(rises[some] / runs[some])[::-1], rises[some][::-1]
    return Losses(values, weights, float(rises[runs <= 0].sum()))


def power(losses: Losses, k: int) -> Losses:
    """The sum of k independent losses, in stages of at most `_AT_ONCE`."""
    if k <= _AT_ONCE:
        return _sum((losses,), (k,)) if k > 1 else losses
    stages = math.ceil(math.log(k) / math.log(_AT_ONCE))
    inner = math.ceil(k ** (1 / stages))
    outer, remaining = divmod(k, inner)
    whole = power(_sum((losses,), (inner,)), outer)
    return _sum((whole, losses), (1, remaining)) if remaining else whole


def add(first: Losses, second: Losses) -> Losses:
    """The sum of two independent losses."""
    return _sum((first, second), (1, 1))


def _sum(parts: tuple[Losses, ...], counts: tuple[int, ...]) -> Losses:
    """The sum of independent losses, each so many times, by one Fourier transform on a grid that holds them all."""
    low, high = _range(parts, counts)
    runs = sum(counts)
    step = (high - low) / (_GRID - 2 * runs - 2)
    if step <= 0:  # a constant
        return Losses(np.array([low]), _product(parts, counts), _infinite(parts, counts), error=_error(parts, counts))
    product = np.ones(_GRID // 2 + 1, dtype=np.complex128)
    for part, count in zip(parts, counts, strict=True):
        weights = np.zeros(_GRID)
        np.add.at(weights, np.floor(part.values / step).astype(np.int64) % _GRID, part.weights)
        product *= fft.rfft(weights) ** count
    first = math.floor(low / step) - runs - 1
    weights = np.roll(np.asarray(fft.irfft(product, _GRID), dtype=np.float64), -(first % _GRID))
    size = math.ceil(high / step) - first + 1
    values: Floats = (first + np.arange(_GRID, dtype=np.float64)) * step
    keep = slice(0, min(size, _GRID))
    noise = -float(weights.sum(where=weights < 0))  # rounding puts as much above zero as below
    error = _error(parts, counts) + 4 * noise
    return Losses(values[keep], np.maximum(0.0, weights[keep]), _infinite(parts, counts), step, error)


def _product(parts: tuple[Losses, ...], counts: tuple[int, ...]) -> Floats:
    return np.array([math.prod(float(p.weights.sum()) ** c for p, c in zip(parts, counts, strict=True))])


def _infinite(parts: tuple[Losses, ...], counts: tuple[int, ...]) -> float:
    """The probability that one of the losses is infinite."""
    finite = sum(
        c * math.log1p(-p.infinite) if p.infinite < 1 else -math.inf for p, c in zip(parts, counts, strict=True)
    )
    return -math.expm1(finite)


def _error(parts: tuple[Losses, ...], counts: tuple[int, ...]) -> float:
    return sum(c * p.error for p, c in zip(parts, counts, strict=True)) + 2 * _TAIL + _TRANSFORM


def _range(parts: tuple[Losses, ...], counts: tuple[int, ...]) -> tuple[float, float]:
    """An interval outside of which the sum has probability at most `_TAIL` on each side (Chernoff)."""
    ends = []
    for sign in (-1, 1):
        atoms = [_coarse(part, sign) for part in parts]
        most = sum(c * values.max() for c, (values, _) in zip(counts, atoms, strict=True))
        spread = math.sqrt(sum(c * _variance(*a) for c, a in zip(counts, atoms, strict=True))) + 1e-300
        for t in np.geomspace(0.05, 50, 60) / spread:
            moment = sum(
                c * _log_moment(values, weights, t) for c, (values, weights) in zip(counts, atoms, strict=True)
            )
            most = min(most, (moment - math.log(_TAIL)) / t)
        ends.append(sign * most)
    return ends[0], max(ends[1], ends[0])


def _coarse(part: Losses, sign: int) -> tuple[Floats, Floats]:
    """At most a few thousand atoms of sign times the loss, none smaller than what it stands for."""
    values, weights = (sign * part.values)[::sign], part.weights[::sign]
    size = -(-len(values) // 4096)
    if size == 1:
        return values, weights
    starts = np.arange(0, len(values), size)
    return values[np.minimum(starts + size, len(values)) - 1], np.add.reduceat(weights, starts)


def _variance(values: Floats, weights: Floats) -> float:
    total = float(weights.sum())
    mean = float(weights @ values) / total
    return float(weights @ (values - mean) ** 2) / total


def _log_moment(values: Floats, weights: Floats, t: float) -> float:
    top = float(t * values.max())
    return top + math.log(float(weights @ np.exp(t * values - top)))
