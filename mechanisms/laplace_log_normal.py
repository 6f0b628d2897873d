"""Laplace log-normal noise, Z = X e^(sigma Y) with X ~ Lap(1) and Y ~ N(0, 1) (004 Section 15.1.1)."""

from __future__ import annotations

import math

import numpy as np

from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise

_Y = np.linspace(-9, 9, 61)  # the trapezoidal rule is exact to rounding for these smooth, decaying integrands
_WEIGHTS = np.exp(-(_Y**2) / 2) / np.exp(-(_Y**2) / 2).sum()


def log_normal_noise(sigma: float, n: int, rng: np.random.Generator) -> Outputs:
    """n draws of X e^(sigma Y)."""
    stretch = rng.standard_normal(n)
    stretch *= sigma
    np.exp(stretch, out=stretch)
    stretch *= laplace_noise(1.0, n, rng)
    return stretch


def density(z: Outputs, sigma: float) -> Outputs:
    """E[e^(-sigma Y) exp(-|z| e^(-sigma Y))] / 2."""
    rate = np.exp(-sigma * _Y)
    return np.asarray(np.exp(-np.abs(z)[..., None] * rate) @ (0.5 * _WEIGHTS * rate))


def tail(z: Outputs, sigma: float) -> Outputs:
    """P[Z > z] = E[exp(-z e^(-sigma Y))] / 2 for z >= 0."""
    half = np.asarray(np.exp(-np.abs(z)[..., None] * np.exp(-sigma * _Y)) @ (0.5 * _WEIGHTS))
    return np.where(z > 0, half, 1 - half)


def hockey(sigma: float, shift: Outputs, ratio: Outputs, epsilon: float) -> Outputs:
    """H_epsilon(Z || shift + ratio Z) for each entry of the arrays `shift` and `ratio`.

    Where the densities cross is bracketed on a grid and bisected; between crossings the tails are exact.
    """
    shift, ratio, factor = shift[:, None], ratio[:, None], math.exp(epsilon)

    def excess(z: Outputs, shift: Outputs, ratio: Outputs) -> Outputs:
        return density(z, sigma) - factor * density((z - shift) / ratio, sigma) / ratio

    reach = np.geomspace(1e-4, 40 * math.exp(9 * sigma), 64)
    around = np.concatenate([-reach[::-1], [0.0], reach])
    grid = np.sort(np.concatenate([np.broadcast_to(around, (len(shift), around.size)), shift + around], axis=1))
    above = excess(grid, shift, ratio) > 0
    row, column = np.nonzero(above[:, 1:] != above[:, :-1])
    low, high, rising = grid[row, column], grid[row, column + 1], above[row, column + 1]
    for _ in range(60):
        middle = (low + high) / 2
        right = (excess(middle, shift[row, 0], ratio[row, 0]) > 0) == rising  # the crossing is left of the middle
        low, high = np.where(right, low, middle), np.where(right, middle, high)
    beyond = tail(low, sigma) - factor * tail((low - shift[row, 0]) / ratio[row, 0], sigma)
    crossings = np.bincount(row, np.where(rising, beyond, -beyond), minlength=len(shift))
    return crossings + above[:, 0] * (1 - factor)
