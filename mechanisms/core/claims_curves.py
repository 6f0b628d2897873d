"""Claims given as curves: one order of Rényi DP, any list of (epsilon, delta), an f-DP trade-off curve."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Claim, curve_points

_DELTAS = (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)  # at which `from_pld` asks


@dataclass(frozen=True)
class RenyiDP(Claim):
    """(order, epsilon)-Rényi differential privacy: D_order(P || Q) <= epsilon for all neighbours (Mironov 2017)."""

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", checks.positive("order", self.order))
        if self.order <= 1:
            raise ValueError(f"order must be a finite number above 1, got order={self.order!r}")
        object.__setattr__(self, "epsilon", checks.non_negative("epsilon", self.epsilon))

    def delta_at(self, epsilon: float) -> float:
        """An upper bound on what the claim allows: Canonne, Kamath and Steinke 2020, Prop 12, with this order alone.

        exp((order - 1) (epsilon' - epsilon)) / (order - 1) (1 - 1/order)^order, where epsilon' is the claimed one.
        """
        more = self.order - 1
        log_delta = more * (self.epsilon - epsilon) - math.log(more) + self.order * math.log1p(-1 / self.order)
        return math.exp(min(0.0, log_delta))

    def points(self) -> tuple[tuple[float, float], ...]:
        """From total variation out to a delta of about one in a million."""
        return curve_points(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "RenyiDP", "order": self.order, "epsilon": self.epsilon}

    def __str__(self) -> str:
        return f"({self.order:.6g}, {self.epsilon:.6g})-Rényi DP"


@dataclass(frozen=True)
class ProfileClaim(Claim):
    """(epsilon, delta)-DP at each of some points at once, as an accountant's table says."""

    listed: tuple[tuple[float, float], ...]

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        found = _pairs("points", points)
        each = [ApproxDP(epsilon, delta) for epsilon, delta in found]
        object.__setattr__(self, "listed", tuple(sorted((one.epsilon, one.delta) for one in each)))

    @staticmethod
    def from_pld(pld: Any, deltas: Sequence[float] = _DELTAS) -> ProfileClaim:
        """What a privacy-loss distribution of dp-accounting claims at some deltas."""
        found = [(float(pld.get_epsilon_for_delta(delta)), delta) for delta in deltas]
        return ProfileClaim([point for point in found if math.isfinite(point[0])])

    def delta_at(self, epsilon: float) -> float:
        """The least of what its points allow there."""
        return min(ApproxDP(*point).delta_at(epsilon) for point in self.listed)

    def points(self) -> tuple[tuple[float, float], ...]:
        """The claimed points."""
        return self.listed

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "ProfileClaim", "points": [list(point) for point in self.listed]}

    def __str__(self) -> str:
        rest = f" and {len(self.listed) - 1} points more" if len(self.listed) > 1 else ""
        return f"{ApproxDP(*self.listed[0])}{rest}"


@dataclass(frozen=True)
class TradeOffClaim(Claim):
    """f-differential privacy: no test has more true positives than the curve at its false positives.

    `points` are (false positive, true positive at most), the vertices of a concave curve; (0, 0) and (1, 1) may be left
    out. In Dong, Roth and Su (2022) the same is the trade-off function f = 1 - true positive.
    """

    vertices: tuple[tuple[float, float], ...]

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        found = _pairs("points", points)
        for x, y in found:
            if not 0 <= x <= 1 or not 0 <= y <= 1 or y < x:
                raise ValueError(f"a point must be (false positive, true positive) with 0 <= x <= y <= 1, got {(x, y)}")
        vertices = sorted({*found, (1.0, 1.0)} | ({(0.0, 0.0)} if all(x > 0 for x, _ in found) else set()))
        slopes = [_slope(a, b) for a, b in itertools.pairwise(vertices)]
        if any(b > a + 1e-9 for a, b in itertools.pairwise(slopes)):
            raise ValueError(f"points must lie on a concave curve, got points={list(found)!r:.80}")
        object.__setattr__(self, "vertices", tuple(vertices))

    def delta_at(self, epsilon: float) -> float:
        """The largest true positive minus e^epsilon times false positive (Dong, Roth and Su 2022, Prop 2.12)."""
        factor = math.exp(min(700.0, epsilon))
        return max(0.0, max(y - factor * x for x, y in self.vertices))

    def points(self) -> tuple[tuple[float, float], ...]:
        """Where the profile bends, at the logarithms of the curve's slopes from 1 upwards, and at epsilon 0."""
        slopes = [_slope(a, b) for a, b in zip(self.vertices, self.vertices[1:], strict=False)]
        epsilons = {0.0, *(math.log(slope) for slope in slopes if 1 < slope < math.inf)}
        return tuple((epsilon, self.delta_at(epsilon)) for epsilon in sorted(epsilons))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"kind": "TradeOffClaim", "points": [list(point) for point in self.vertices]}

    def __str__(self) -> str:
        return f"f-DP with {len(self.vertices)} vertices"


def _pairs(name: str, points: object) -> tuple[tuple[float, float], ...]:
    try:
        found = tuple((float(a), float(b)) for a, b in points)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a list of pairs of numbers, got {name}={points!r:.60}") from error
    if not found:
        raise ValueError(f"{name} must have at least one pair, got {name}=[]")
    return found


def _slope(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else math.inf
