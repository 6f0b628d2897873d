"""Privacy profiles: which delta holds at each epsilon.

A profile is the map epsilon -> delta(epsilon) for which every event S and every pair of neighbours satisfy
P[A(x) in S] <= e^epsilon P[A(x') in S] + delta(epsilon)   (000 Thm 1, 002 Def 5.1).
A claim is a profile somebody promises; an exact profile is one that is known to be attained.
One engine audits them all.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scipy.special import log_ndtr

from mechanisms.core import checks

_LARGEST_EPSILON = 700.0  # e^700 is the last power that a double holds with room to spare


class Profile(ABC):
    """delta as a function of epsilon, non-increasing, and its inverse."""

    @abstractmethod
    def delta_at(self, epsilon: float) -> float:
        """The largest delta allowed at `epsilon` (>= 0)."""

    def epsilon_at(self, delta: float) -> float:
        """The smallest epsilon >= 0 whose delta is at most `delta`; infinity where there is none."""
        delta = checks.probability("delta", delta)
        if self.delta_at(0.0) <= delta:
            return 0.0
        top = 1.0
        while self.delta_at(top) > delta:
            if top >= _LARGEST_EPSILON:
                return math.inf
            top = min(2 * top, _LARGEST_EPSILON)
        from scipy.optimize import brentq  # takes long to import

        root = float(brentq(lambda e: self.delta_at(e) - delta, 0.0, top, xtol=1e-12, rtol=1e-12))
        bottom = root - 1e-11 * max(1.0, root)
        if bottom <= 0 or self.delta_at(bottom) > delta:
            return root
        bottom, top = 0.0, root  # a flat part of the profile, on which the search stopped anywhere: its start
        while top - bottom > 1e-12 * max(1.0, top):
            middle = (bottom + top) / 2
            bottom, top = (bottom, middle) if self.delta_at(middle) <= delta else (middle, top)
        return top


class Claim(Profile):
    """A profile that somebody promises and an audit can refute."""

    @abstractmethod
    def points(self) -> tuple[tuple[float, float], ...]:
        """The points (epsilon, delta) of the profile at which an audit looks for a violation."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `claim_from_dict` makes an equal claim."""


@dataclass(frozen=True)
class ApproxDP(Claim):
    """(epsilon, delta)-differential privacy (002 Def 5.1); pure DP is delta = 0."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.non_negative("epsilon", self.epsilon))
        object.__setattr__(self, "delta", checks.probability("delta", self.delta))

    def delta_at(self, epsilon: float) -> float:
        """Below the claimed epsilon: what the worst (epsilon, delta)-DP pair attains.

        That pair reveals the input with probability delta and is randomized response otherwise
        (Kairouz, Oh and Viswanath 2015, Thm 3.4).
        """
        if epsilon >= self.epsilon:
            return self.delta
        # (e^eps - e^e) / (1 + e^eps), without overflow for a large eps
        gap = -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))
        return self.delta + (1 - self.delta) * gap

    def epsilon_at(self, delta: float) -> float:
        """Infinite below the claimed delta: the claim promises nothing there. Above it, `delta_at` inverted."""
        if checks.probability("delta", delta) < self.delta:
            return math.inf
        if self.delta_at(0.0) <= delta:
            return 0.0
        gap = (delta - self.delta) / (1 - self.delta)
        return self.epsilon + math.log1p(-gap * (1 + math.exp(-self.epsilon)))

    def points(self) -> tuple[tuple[float, float], ...]:
        """The claimed point: it implies all the others, so a violation anywhere shows there."""
        return ((self.epsilon, self.delta),)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "ApproxDP", "epsilon": self.epsilon, "delta": self.delta}

    def __str__(self) -> str:
        return f"({self.epsilon:.6g}, {self.delta:.6g})-DP" if self.delta else f"{self.epsilon:.6g}-DP"


@dataclass(frozen=True)
class GaussianDP(Claim):
    """mu-Gaussian differential privacy: no worse than telling N(0, 1) from N(mu, 1) (Dong, Roth, Su 2022)."""

    mu: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive("mu", self.mu))

    def delta_at(self, epsilon: float) -> float:
        """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)   (002 Thm 5.18 with mu = Delta/sigma)."""
        first = log_ndtr(self.mu / 2 - epsilon / self.mu)
        second = epsilon + log_ndtr(-self.mu / 2 - epsilon / self.mu)
        return max(0.0, float(math.exp(first) * -math.expm1(min(0.0, second - first))))

    def points(self) -> tuple[tuple[float, float], ...]:
        """From total variation out to a delta of about one in a million."""
        return curve_points(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "GaussianDP", "mu": self.mu}

    def __str__(self) -> str:
        return f"{self.mu:.6g}-GDP"


@dataclass(frozen=True)
class ZCDP(Claim):
    """rho-zero-concentrated DP: D_alpha <= rho alpha for every alpha > 1 (004 Prop 15.1 with rho = eps^2/2)."""

    rho: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", checks.positive("rho", self.rho))

    def delta_at(self, epsilon: float) -> float:
        """An upper bound on what rho-zCDP allows: Canonne, Kamath and Steinke 2020, Prop 12.

        inf over alpha of exp((alpha-1)(alpha rho - eps)) / (alpha-1) (1 - 1/alpha)^alpha. The infimum is
        found numerically; any alpha gives a valid bound, so a refutation stays sound.
        """

        from scipy.optimize import minimize_scalar  # takes long to import

        def log_delta(log_order: float) -> float:
            order = 1 + math.exp(log_order)
            return float((order - 1) * (order * self.rho - epsilon) - log_order + order * math.log1p(-1 / order))

        best = minimize_scalar(log_delta, bounds=(-12.0, 14.0), method="bounded", options={"xatol": 1e-9})
        return min(1.0, math.exp(min(0.0, float(best.fun))))

    def points(self) -> tuple[tuple[float, float], ...]:
        """From total variation out to a delta of about one in a million."""
        return curve_points(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "ZCDP", "rho": self.rho}

    def __str__(self) -> str:
        return f"{self.rho:.6g}-zCDP"


@dataclass(frozen=True)
class NumericProfile(Profile):
    """An exact profile given by a function: closed form, enumeration, quadrature or a loss distribution."""

    function: Callable[[float], float] = field(repr=False)
    how: str = "closed form"

    def delta_at(self, epsilon: float) -> float:
        """The function's value, kept inside [0, 1] against rounding."""
        return min(1.0, max(0.0, float(self.function(epsilon))))


_CURVE_DELTAS = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6)


def curve_points(claim: Claim) -> tuple[tuple[float, float], ...]:
    """Points that the claim implies. Where an epsilon is beyond all that can be computed with, the delta that the claim
    leaves at the largest one takes its place: no stronger than the claim, and never refuted falsely."""
    start = claim.delta_at(0.0)
    points = [(0.0, start)] if start < 1 else []
    for delta in _CURVE_DELTAS:
        if delta < start:
            epsilon = min(claim.epsilon_at(delta), _LARGEST_EPSILON)
            points.append((epsilon, claim.delta_at(epsilon)))
    return tuple(dict.fromkeys(points))


def _kinds() -> dict[str, Callable[..., Claim]]:
    from mechanisms.core.claims_curves import ProfileClaim, RenyiDP, TradeOffClaim

    every = (ApproxDP, GaussianDP, ZCDP, RenyiDP, ProfileClaim, TradeOffClaim)
    return {kind.__name__: kind for kind in every}


def claim_from_dict(data: object) -> Claim:
    """The claim that `to_dict` described; anything else is an error."""
    kinds = _kinds()
    if not isinstance(data, dict) or data.get("kind") not in kinds:
        raise ValueError(f"a claim must be an object with kind one of {', '.join(kinds)}, got {data!r:.80}")
    values = {key: value for key, value in data.items() if key != "kind"}
    try:
        return kinds[data["kind"]](**values)
    except TypeError as error:
        raise ValueError(f"a {data['kind']} claim does not have the fields {sorted(values)}") from error
