"""What an OpenDP measurement promises: the value of its privacy map, in the unit of its output measure, as a claim."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from auditor.errors import UsageError
from auditor.libraries.adapted import approx_dp
from mechanisms.core.claims import ZCDP, ApproxDP, Claim
from mechanisms.core.claims_curves import ProfileClaim, RenyiDP

_DELTAS = (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # a privacy profile is asked for its epsilon at these deltas
_ORDERS = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0, 64.0)  # a Rényi curve is asked at these orders


def claim_of_map(measurement: Any, d_in: Any) -> Claim:
    """What the measurement's privacy map says at `d_in`."""
    measure = str(measurement.output_measure)
    if measure not in _KNOWN:
        raise UsageError(
            f"the output measure must be one of {', '.join(_KNOWN)}, got {measure}; "
            "write the claim yourself and audit per_draw(lambda data, rng: measurement(data))"
        )
    try:
        loss = measurement.map(d_in)
    except Exception as error:  # OpenDP's own, and those of a map that a user wrote
        raise UsageError(f"d_in must be a distance that the map takes, got d_in={d_in!r:.60}: {error}") from error
    try:
        return _KNOWN[measure](loss)
    except UsageError:
        raise
    except (TypeError, ValueError) as error:
        raise UsageError(f"a library's claim must be testable: {error}") from error


def _approximate_zcdp(loss: Any) -> Claim:
    """Approximate zCDP (Bun and Steinke 2016, Def 8.1): with probability 1 - delta on both sides it is rho-zCDP.

    What follows at each epsilon: P(S) <= delta + (1 - delta) P(S | E) <= e^epsilon Q(S) + delta + (1 - delta) delta',
    where delta' is what rho-zCDP allows at epsilon.
    """
    rho, delta = (float(part) for part in loss)
    return ProfileClaim([(epsilon, min(1.0, delta + (1 - delta) * more)) for epsilon, more in ZCDP(rho).points()])


def _profile(profile: Any) -> Claim:
    """The profile's epsilon at some deltas."""
    found = [(float(profile.epsilon(delta)), delta) for delta in _DELTAS]
    return ProfileClaim([point for point in found if math.isfinite(point[0])])


def _renyi(curve: Any) -> Claim:
    """At each epsilon that one of the orders has a point at, the least delta that any of the orders allows."""
    each = [RenyiDP(order, float(curve(order))) for order in _ORDERS]
    epsilons = sorted({epsilon for claim in each for epsilon, _ in claim.points()})
    return ProfileClaim([(epsilon, min(claim.delta_at(epsilon) for claim in each)) for epsilon in epsilons])


def _pure(epsilon: Any) -> ApproxDP:
    return approx_dp(epsilon)


_KNOWN: dict[str, Callable[[Any], Claim]] = {
    "MaxDivergence": _pure,
    "ZeroConcentratedDivergence": lambda rho: ZCDP(float(rho)),
    "Approximate(MaxDivergence)": lambda loss: approx_dp(*loss),
    "Approximate(ZeroConcentratedDivergence)": _approximate_zcdp,
    "SmoothedMaxDivergence": _profile,
    "RenyiDivergence": _renyi,
}
