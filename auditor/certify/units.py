"""What is certified at one point of a curve, said in the unit of a claim that is a curve.

If a mechanism were mu-GDP, its delta at epsilon would be at most the curve's. So a certified (epsilon, delta) on or
above the curve of mu says that no smaller mu is true, and the largest such mu is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from mechanisms.core.claims import Claim

_SMALLEST, _LARGEST = 1e-9, 1e4


def largest_refuted(claim: Callable[[float], Claim], epsilon: float, delta: float) -> float:
    """The largest parameter whose curve allows at most `delta` at `epsilon`, rounded down to nine digits.

    Assumes that the mechanism has at least `delta` at `epsilon`, and that the curve rises with the parameter.
    """
    if math.isinf(epsilon):
        return math.inf
    low, high = _SMALLEST, _LARGEST
    if delta <= 0 or claim(low).delta_at(epsilon) > delta:
        return 0.0
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if claim(middle).delta_at(epsilon) <= delta else (low, middle)
    return low
