"""Curves of true against false positives, as the vertices of a concave polygon from (0, 0) to (1, 1)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from auditor.certify.advantage import Advantage

Floats = npt.NDArray[np.float64]
Points = tuple[tuple[float, float], ...]  # (false positive, true positive), from (0, 0) to (1, 1)

_SAME = 1e-9  # two vertices whose probabilities differ by less are taken as one, the lower


def concave(points: Sequence[tuple[float, float]]) -> Points:
    """The vertices of the least concave curve from (0, 0) to (1, 1) above some points.

    Every point on it is reached by tossing a coin between the tests of two vertices, so the hull of certified points
    is certified.
    """
    stack = [(0.0, 0.0)]
    inside = [(float(x), float(y)) for x, y in points if y > x and not (1 - x <= _SAME and 1 - y <= _SAME)]
    for point in [*sorted(inside), (1.0, 1.0)]:
        if point[0] - stack[-1][0] <= _SAME and point[1] - stack[-1][1] <= _SAME:
            continue  # no vertex of its own: the slope in between would be made of rounding errors
        while len(stack) > 1 and _slope(stack[-1], point) >= _slope(stack[-2], stack[-1]) * (1 - 1e-12):
            stack.pop()
        stack.append(point)
    return tuple(stack)


def _slope(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else np.inf


def certified_hull(found: Advantage) -> Points:
    """The largest curve that certified advantages prove, in vertices.

    The true profile d(c) = sup over events of P(S) - c Q(S) is convex in c. An advantage h at slope s says that
    d(c) >= h + (s - c) Q(S), where Q(S) lies in [low, high]: so d(c) >= h + (s - c) low below s, h + (s - c) high
    above. Let D(c) be the largest of these and of 1 - c and 0 (the certain and the impossible event). The lower convex
    envelope of D lies below d, and a segment a - b c of it is the vertex (b, a) of the curve.
    """
    intercept = np.concatenate([found.least + found.slope * end for end in (found.low, found.high)] + [[1.0, 0.0]])
    fall = np.concatenate([found.low, found.high, [1.0, 0.0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = (intercept[:, None] - intercept) / (fall[:, None] - fall)
    at = np.unique(np.append(crossing[np.isfinite(crossing) & (crossing > 0)], 0.0))
    at = np.append(at, 2 * at[-1] + 1)  # beyond the last crossing D is 0
    side = np.where(at[:, None] < found.slope, found.low, found.high)
    lines = found.least + (found.slope - at[:, None]) * side
    deepest = np.maximum(np.maximum(0.0, 1 - at), lines.max(axis=1, initial=0.0))
    return concave(_vertices(at, deepest))


def _vertices(at: Floats, values: Floats) -> list[tuple[float, float]]:
    """The segments of the lower convex envelope of (at, values), each as (fall, intercept)."""
    stack: list[tuple[float, float]] = []
    for point in zip(at.tolist(), values.tolist(), strict=True):
        while len(stack) > 1 and _slope(stack[-1], point) <= _slope(stack[-2], stack[-1]):
            stack.pop()
        stack.append(point)
    found = []
    for (c, value), after in itertools.pairwise(stack):
        fall = min(1.0, max(0.0, -_slope((c, value), after)))
        found.append((fall, min(1.0, max(0.0, value + fall * c))))
    return found


def subsampled(points: Points, rate: float, added: str) -> Points:
    """The curve of a Poisson sample of that rate: the side that has the record becomes a mixture with the other one.

    left added:  P' = (1 - rate) Q + rate P against Q;  right added: P against Q' = (1 - rate) P + rate Q.
    """
    if added == "left":
        return concave([(x, (1 - rate) * x + rate * y) for x, y in points])
    return concave([((1 - rate) * y + rate * x, y) for x, y in points])


def reversed_(points: Points) -> Points:
    """The same curve with the two distributions exchanged: every event becomes its complement."""
    return tuple((1 - y, 1 - x) for x, y in reversed(points))


def delta_at(points: Points, factor: float) -> float:
    """The largest true positive minus `factor` times false positive."""
    return max(0.0, max(y - factor * x for x, y in points))
