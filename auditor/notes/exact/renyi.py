"""Rényi divergences of the Laplace-log-normal distribution by log-space quadrature with an error bound.

Z = X e^(sigma Y) with X ~ Lap(1) and Y ~ N(0, 1) (004 section 15.1.1). With r = |z| its density is a mixture:

    f(r) = 1/2 e^(sigma^2/2) E[exp(-r e^(sigma^2 - sigma W))],   W ~ N(0, 1),

so log f is decreasing and convex in r with slope -e^(3 sigma^2/2) at 0, and h(u) = log f(e^u) has its second
derivative in [-1/sigma^2, 0], because log|Z| is a Gaussian plus an independent variable with a log-concave
density. Both facts make the truncation bounds below rigorous.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import wrightomega

from mechanisms.core import checks

Floats = np.ndarray[Any, np.dtype[np.float64]]

_LOWEST = -44.0  # e^-44 is left out at the ends of a part, and bounded


@dataclass(frozen=True)
class Grid:
    """How fine the two trapezoidal rules are; each estimates its own error from a grid that is half as fine."""

    nodes: int = 129  # of the inner rule, which integrates over W
    step: float = 1 / 8  # of the outer rule, which integrates over log |z|


@dataclass(frozen=True)
class Divergence:
    """A number and how far it can be from the true one."""

    value: float
    error: float

    @property
    def upper(self) -> float:
        """Not below the true value."""
        return self.value + self.error

    @property
    def lower(self) -> float:
        """Not above the true value."""
        return self.value - self.error


@dataclass(frozen=True)
class LaplaceLogNormal:
    """LLN(sigma): X e^(sigma Y) with X ~ Lap(1) and Y ~ N(0, 1) (004 section 15.1.1)."""

    sigma: float
    grid: Grid = Grid()

    def __post_init__(self) -> None:
        checks.positive("sigma", self.sigma)

    @property
    def slope(self) -> float:
        """sup |d log f / dz|, reached at 0: E[e^(sigma^2 - sigma W)] = e^(3 sigma^2 / 2)."""
        return math.exp(1.5 * self.sigma**2)

    def log_density(self, z: Floats | float) -> Floats:
        """log f(z)."""
        with np.errstate(divide="ignore"):
            return self.of_log(np.log(np.abs(np.asarray(z, dtype=float))))[0]

    def of_log(self, log_r: Floats) -> tuple[Floats, Floats, float]:
        """h = log f, h' = d log f / d log r at r = e^log_r, and the largest error of h by the inner rule.

        The integrand exp(-w^2/2 - c e^(-sigma w)) with c = r e^(sigma^2) is log-concave, with at least the
        curvature of a Gaussian. Its mode m solves m = sigma c e^(-sigma m), so sigma m = W_0(sigma^2 c). At
        distance x it has fallen by x^2/2 + (m/sigma)(e^(-sigma x) - 1 + sigma x), so that e^-40 bounds the
        relative integrand outside [m - 9/sqrt(1 + sigma m), m + right]. The trapezoidal rule does the rest.
        """
        sigma = self.sigma
        log_c = np.asarray(log_r, dtype=float)[..., None] + sigma**2
        sigma_m: Floats = wrightomega(log_c + 2 * math.log(sigma))  # W_0(e^x) without overflow
        left = 9 / np.sqrt(1 + sigma_m)
        with np.errstate(divide="ignore"):
            right = np.minimum(9.0, (20 * sigma + np.sqrt(400 * sigma**2 + 80 * sigma_m)) / sigma_m)
        step = (left + right) / (self.grid.nodes - 1)
        w = sigma_m / sigma - left + step * np.arange(self.grid.nodes)
        rate = np.exp(log_c - sigma * w)
        exponent = -(w**2) / 2 - rate
        top = exponent.max(axis=-1, keepdims=True)
        weights = np.exp(exponent - top)
        total = weights.sum(axis=-1)
        error = float(np.abs(np.log(2 * weights[..., ::2].sum(axis=-1) / total)).max(initial=0.0))
        log_integral = top[..., 0] + np.log(total * step[..., 0]) - 0.5 * math.log(2 * math.pi)
        return math.log(0.5) + sigma**2 / 2 + log_integral, -(weights * rate).sum(axis=-1) / total, error

    def mass(self) -> float:
        """The integral of the density: 1, up to the quadrature's own error."""
        u = np.arange(_LOWEST, self.reach(0.0, 0.0), self.grid.step)
        return float(2 * self.grid.step * np.exp(self.of_log(u)[0] + u).sum())

    def reach(self, drift: float, extra: float) -> float:
        """Where h(u) + u + drift u / sigma^2 + extra is 44 below its peak and falls at rate 1 or faster.

        From there on it only steepens, because h' decreases.
        """
        u = np.arange(0.0, 60 + 2 * drift + 20 * self.sigma * (1 + self.sigma) + self.sigma * math.sqrt(8 * extra), 0.5)
        height, slope, _ = self.of_log(u)
        tilt = drift / self.sigma**2
        height = height + u * (1 + tilt)
        low = (height + extra < np.maximum.accumulate(height) - 44) & (slope + 1 + tilt <= -1)
        if not low.any():
            raise ValueError(f"the quadrature reaches orders whose tilt is within e^700, got drift={drift!r}")
        return float(u[np.argmax(low)])

    def infinite_divergence_of_shift(self, shift: float) -> float:
        """D_inf(Z || Z + shift) = log f(0) - log f(shift): log f is convex and decreasing in |z|."""
        ends = self.log_density(np.asarray([0.0, shift]))
        return float(ends[0] - ends[1])


@dataclass(frozen=True)
class _Part:
    """A part of the line between kinks, on a uniform grid on which the integrand decays at both ends."""

    log_p: Floats
    log_q: Floats
    log_jacobian: Floats


@dataclass(frozen=True)
class AffinePair:
    """P = LLN(sigma) against Q = shift + e^dilation LLN(sigma), for orders up to the highest (004 15.1.2).

    The line is cut at the two kinks 0 and `shift`; each part is mapped so that the integrand is smooth and
    decays at both ends, where the trapezoidal rule converges faster than any power of its step.
    """

    sigma: float
    shift: float
    dilation: float
    highest_order: float = 64.0
    grid: Grid = Grid()

    def __post_init__(self) -> None:
        checks.positive("sigma", self.sigma)
        if not self.highest_order > 1:
            raise ValueError(f"highest_order must be above 1, got highest_order={self.highest_order!r}")

    @property
    def noise(self) -> LaplaceLogNormal:
        """Z itself."""
        return LaplaceLogNormal(self.sigma, self.grid)

    def divergence(self, order: float, reverse: bool = False) -> Divergence:
        """D_order(P || Q), or D_order(Q || P) with `reverse`.

        The error adds the change from the doubled step, the inner rule's, bounds of what lies outside the
        grid, and rounding.
        """
        if not 1 < order <= self.highest_order:
            raise ValueError(f"order must be above 1 and at most highest_order, got order={order!r}")
        a, b = (1 - order, order) if reverse else (order, 1 - order)
        parts, tail_p, tail_q, tail_u, inner = self._parts
        exponents = [a * part.log_p + b * part.log_q + part.log_jacobian for part in parts]
        top = max(float(e.max()) for e in exponents)
        fine = sum(float(np.exp(e - top).sum()) for e in exponents) * self.grid.step
        coarse = sum(float(np.exp(e[::2] - top).sum()) for e in exponents) * 2 * self.grid.step
        low_ends = sum(math.exp(float(e[0]) - top) for e in exponents) * 4
        high_end = 2 * math.exp(a * tail_p + b * tail_q + tail_u + self._offset_cost(order) - top)
        size = max(
            float((np.abs(a * part.log_p) + np.abs(b * part.log_q))[e > top - 40].max(initial=0.0))
            for part, e in zip(parts, exponents, strict=True)
        )
        density = (abs(a) + abs(b)) * inner + 4 * np.finfo(float).eps * (size + 1)
        wrong = abs(fine - coarse) + low_ends + high_end + fine * math.expm1(density)
        value = (top + math.log(fine)) / (order - 1)
        return Divergence(value, math.inf if wrong >= fine else -math.log1p(-wrong / fine) / (order - 1))

    def worst(self, order: float) -> Divergence:
        """The larger of the two directions."""
        return max(self.divergence(order), self.divergence(order, reverse=True), key=lambda d: d.upper)

    def _offset_cost(self, order: float) -> float:
        """How much the offset between the kinks can add to the exponent: both log densities are Lipschitz."""
        return order * abs(self.shift) * self.noise.slope * max(1.0, math.exp(-self.dilation))

    @cached_property
    def _parts(self) -> tuple[tuple[_Part, ...], float, float, float, float]:
        """The parts, both log densities at the far end without the offset, that end, and the inner error.

        Beyond the end the exponent's slope is at most h'(u) + 1 + order |dilation| / sigma^2, because h'
        falls by at most |dilation| / sigma^2 over the dilation.
        """
        noise, shift, dilation, step = self.noise, abs(self.shift), self.dilation, self.grid.step
        drift = abs(dilation) * self.highest_order
        reach = noise.reach(drift, self._offset_cost(self.highest_order)) + abs(dilation)
        u = np.arange(_LOWEST, reach + step, step)
        u = u[: len(u) - (len(u) + 1) % 2]
        errors: list[float] = []

        def part(log_z: Floats, log_distance: Floats, log_jacobian: Floats) -> _Part:
            log_p, _, error_p = noise.of_log(log_z)
            log_q, _, error_q = noise.of_log(log_distance - dilation)
            errors.extend((error_p, error_q))
            return _Part(log_p, log_q - dilation, log_jacobian)

        if not shift:
            half = part(u, u, u)
            return (half, half), float(half.log_p[-1]), float(half.log_q[-1]), float(u[-1]), max(errors)
        size = math.log(shift)
        far = np.logaddexp(u, size)
        v = np.arange(_LOWEST, -_LOWEST + step / 2, step)
        below, above = -np.logaddexp(0.0, -v), -np.logaddexp(0.0, v)  # log of z/shift and of 1 - z/shift
        parts = (part(u, far, u), part(far, u, u), part(size + below, size + above, size + below + above))
        end = part(u[-1:], u[-1:], u[-1:])
        return parts, float(end.log_p[0]), float(end.log_q[0]), float(u[-1]), max(errors)
