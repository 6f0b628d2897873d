"""TradeOff: a certified curve of true against false positives, and what it composes to. Proofs: docs/method.md."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from auditor.certify import hull, losses
from auditor.certify.hull import Points
from auditor.certify.losses import Losses
from auditor.errors import UsageError
from mechanisms.core import checks
from mechanisms.core.claims import ZCDP, Claim, Profile
from mechanisms.core.claims_curves import RenyiDP

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SCHEMA = "dp-audit/tradeoff/1"
_STORED = "a stored trade-off"
_ORDERS = (1 + 1e-4, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0)
_ROUNDING = 1e-10  # probabilities smaller than this may be sums of rounding errors of doubles
_LOOKS = 200  # epsilons of each of the two grids on which a claim's curve is compared
_VERTICES = 400  # about so many vertices of a composed curve are shown by `points`


@dataclass(frozen=True)
class Certificate:
    """What one curve was counted on: with probability at least 1 - alpha it lies below the truth."""

    name: str
    pair: str
    trials: tuple[int, int]  # draws that were counted on the left and on the right
    alpha: float
    seed: int
    score: str = ""  # through what the outputs were looked at


@dataclass(frozen=True)
class Part:
    """A curve of one run, and how many independent runs there are."""

    points: Points
    times: int = 1


@dataclass(frozen=True)
class TradeOff:
    """What an adversary can provably do: true positives at least, at false positives at most.

    "Positive" guesses the left dataset of the pair. The curve lies below that of the best test between the outputs on
    the left and on the right; with its mirror image that covers both directions. Everything said of it and of all
    curves composed from it holds together with probability at least 1 - alpha. It is a statement about one pair of
    datasets: a lower bound on the privacy loss, never an upper one.
    """

    parts: tuple[Part, ...]
    certificates: tuple[Certificate, ...]
    assumed: tuple[str, ...] = ()  # what composition and subsampling assumed, in words

    def __post_init__(self) -> None:
        if not self.parts or not self.certificates:
            raise UsageError("a trade-off needs at least one part and one certificate, got none")
        for part in self.parts:
            _check(part)

    @property
    def alpha(self) -> float:
        """The probability of error of everything said of this curve: the sum over the curves it was made from."""
        return min(1.0, math.fsum(certificate.alpha for certificate in set(self.certificates)))

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        """The vertices (false positive at most, true positive at least), concave, from (0, 0) to (1, 1).

        Of a composed curve some of the vertices: their hull lies below the curve.
        """
        if len(self.parts) == 1 and self.parts[0].times == 1:
            return list(self.parts[0].points)
        ahead, back = (_thinned(found) for found in self._directions)
        return list(hull.concave([*ahead, *((1 - y, 1 - x) for x, y in back)]))

    @cached_property
    def _directions(self) -> tuple[Losses, Losses]:
        """The composed losses of left against right, and of right against left."""
        return self._composed(lambda points: points), self._composed(hull.reversed_)

    def _composed(self, turned: Callable[[Points], Points]) -> Losses:
        powers = [losses.power(losses.of_curve(turned(part.points)), part.times) for part in self.parts]
        return reduce(losses.add, powers)

    def epsilon_at(self, delta: float) -> float:
        """A certified lower bound on epsilon at `delta`, in the worse direction; 0 where nothing is certified."""
        delta = _checked(checks.probability, "delta", delta)
        if delta == 0:  # the largest losses of independent runs add up, however rare their sum is
            return max(self._largest(lambda points: points), self._largest(hull.reversed_))
        return max(found.epsilon_at(delta) for found in self._directions)

    def _largest(self, turned: Callable[[Points], Points]) -> float:
        each = [(losses.of_curve(turned(part.points)), part.times) for part in self.parts]
        return max(0.0, math.fsum(times * found.epsilon_at(0.0) for found, times in each))

    def delta_at(self, epsilon: float) -> float:
        """A certified lower bound on delta at `epsilon`, in the worse direction."""
        epsilon = _checked(checks.non_negative, "epsilon", epsilon)
        return max(found.delta_at(epsilon) for found in self._directions)

    @cached_property
    def mu(self) -> float:
        """A certified lower bound on mu of Gaussian DP: the curve passes that of every smaller mu.

        ndtri(true positive) - ndtri(false positive), at the vertex where it is largest (Dong, Roth, Su 2022).
        """
        best = 0.0
        for found in self._directions:
            x, y = found.rates()
            inside = (x > _ROUNDING) & (y > _ROUNDING) & (x < 1 - _ROUNDING) & (y < 1 - _ROUNDING)
            best = max(best, float(np.max(ndtri(y[inside]) - ndtri(x[inside]), initial=0.0)))
        return best

    def renyi_at(self, order: float) -> float:
        """A certified lower bound on the Rényi divergence of this order, in the worse direction; runs add up.

        Processing outputs never raises a Rényi divergence, and the curve's segments are such a processing.
        """
        order = _checked(checks.positive, "order", order)
        if order <= 1:
            raise UsageError(f"order must be a finite number above 1, got order={order!r}")
        each = [(part.points, part.times) for part in self.parts]
        return max(
            math.fsum(times * losses.of_curve(turned(points)).renyi(order) for points, times in each)
            for turned in (lambda points: points, hull.reversed_)
        )

    @cached_property
    def rho(self) -> float:
        """A certified lower bound on rho of zero-concentrated DP: the largest divergence over its order."""
        return max(self.renyi_at(order) / order for order in _ORDERS)

    def times(self, k: int) -> TradeOff:
        """k runs on the same pair, each with randomness of its own (independent given the dataset)."""
        k = _checked(checks.whole, "k", k)
        if k == 1:
            return self
        parts = tuple(Part(part.points, k * part.times) for part in self.parts)
        return TradeOff(parts, self.certificates, (*self.assumed, f"{k:,} independent runs on the same pair"))

    def then(self, other: TradeOff) -> TradeOff:
        """This and another mechanism, run on the same pair, each with randomness of its own."""
        if not isinstance(other, TradeOff):
            raise UsageError(f"then takes a TradeOff, got other={other!r:.60}")
        runs: dict[Points, int] = {}
        for part in (*self.parts, *other.parts):
            runs[part.points] = runs.get(part.points, 0) + part.times
        assumed = dict.fromkeys((*self.assumed, *other.assumed, "independent runs on the same pair"))
        return TradeOff(
            tuple(Part(points, times) for points, times in runs.items()),
            tuple(dict.fromkeys((*self.certificates, *other.certificates))),
            tuple(assumed),
        )

    def subsampled(self, rate: float, added: str = "left") -> TradeOff:
        """The mechanism on a Poisson sample: each record is kept with probability `rate`, independently.

        `added` is the side of the pair that has the record (add/remove). For a pair in which nothing but the differing
        record is sampled: the empty dataset against one record, or other records that do not move the output. Where
        others do, a random sample of them hides some of the difference, and the bound is for the pair without them.
        """
        rate = _checked(checks.probability, "rate", rate)
        if added not in ("left", "right"):
            raise UsageError(f"added must be 'left' or 'right', the side that has the record, got added={added!r:.60}")
        points = hull.subsampled(tuple(self.points), rate, added)
        said = f"a Poisson sample of rate {rate:.6g}, of a pair in which nothing but the differing record is sampled"
        return TradeOff((Part(points),), self.certificates, (*self.assumed, said))

    def refutes(self, claim: Profile) -> bool:
        """True where the curve passes what the claim allows, at some epsilon; false with probability 1 - alpha if true.

        One curve is certified at every epsilon at once, so looking at many costs nothing.
        """
        if isinstance(claim, RenyiDP):
            return self.renyi_at(claim.order) > claim.epsilon
        if isinstance(claim, ZCDP) and self.rho > claim.rho:
            return True
        top = self.epsilon_at(0.0)
        looked = [epsilon for epsilon, _ in claim.points()] if isinstance(claim, Claim) else []
        grid = np.array(
            [*looked, *np.linspace(0.0, min(top, 600.0), _LOOKS), *np.linspace(0.0, min(top, 10.0), _LOOKS)]
        )
        found = np.maximum(*(one.deltas_at(grid) for one in self._directions))
        allowed = np.array([claim.delta_at(epsilon) for epsilon in grid.tolist()])
        best = float(grid[int(np.argmax(found - allowed))])
        return self.delta_at(best) > claim.delta_at(best) + _ROUNDING

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `from_dict` makes an equal curve."""
        return {
            "schema": SCHEMA,
            "parts": [{"points": [list(point) for point in p.points], "times": p.times} for p in self.parts],
            "certificates": [{**vars(c), "trials": list(c.trials)} for c in self.certificates],
            "assumed": list(self.assumed),
        }

    def to_json(self) -> str:
        """One JSON document; `from_json` gives an equal curve."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> TradeOff:
        """The curve that `to_dict` described; anything else is a UsageError."""
        from auditor.results import schema

        schema.check("trade_off", data, _STORED)
        parts = tuple(Part(tuple((x, y) for x, y in p["points"]), p["times"]) for p in data["parts"])
        stored = tuple(Certificate(**{**c, "trials": tuple(c["trials"])}) for c in data["certificates"])
        return TradeOff(parts, stored, tuple(data["assumed"]))

    @staticmethod
    def from_json(text: str) -> TradeOff:
        """The curve that `to_json` wrote."""
        from auditor.results.plain import parsed

        return TradeOff.from_dict(parsed(text, _STORED))

    def plot(self, ax: Axes | None = None, claim: Profile | None = None, exact: Profile | None = None) -> Axes:
        """The certified region on matplotlib axes, with the claimed and the exact curve where given."""
        from auditor.certify.shown import plot

        return plot(self, ax, claim, exact)

    def __str__(self) -> str:
        from auditor.certify.shown import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from auditor.certify.shown import card

        return card(self)


def _check(part: Part) -> None:
    """A UsageError for a part that is no concave curve from (0, 0) to (1, 1)."""
    try:
        table = np.array(part.points, dtype=float)
        checks.whole("times", part.times)
        runs, rises = np.diff(table, axis=0).T
    except (TypeError, ValueError) as error:
        raise UsageError(f"a part must have points (x, y) and a whole number of times: {error}") from error
    ends = tuple(part.points[0]) == (0, 0) and tuple(part.points[-1]) == (1, 1)
    bends = rises[1:] * runs[:-1] <= rises[:-1] * runs[1:] + 1e-12
    if not (ends and (runs >= 0).all() and (rises >= 0).all() and bends.all()):
        raise UsageError(f"points must be concave and go from (0, 0) to (1, 1), got points={part.points!r:.80}")


def _checked(check: Callable[[str, object], Any], name: str, value: object) -> Any:
    try:
        return check(name, value)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _thinned(found: Losses) -> list[tuple[float, float]]:
    """Some of the points of a long list, spread evenly over the quantiles of both tails."""
    x, y = found.rates()
    with np.errstate(divide="ignore"):
        place = np.clip(ndtri(np.clip(x, 0, 1)), -9, 9) + np.clip(ndtri(np.clip(y, 0, 1)), -9, 9)
    _, first = np.unique(np.floor(place * _VERTICES / 36), return_index=True)
    return list(zip(x[first].tolist(), y[first].tolist(), strict=True))
