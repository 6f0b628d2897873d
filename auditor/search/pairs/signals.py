"""What makes a pair worth auditing, seen on few draws. Nothing here certifies anything: these are scores to climb.

Both sides are drawn with the same random numbers. Where the data do not matter the outputs are then the same, and the
scores are zero without any sampling error; additive noise shows its whole difference in a single draw.

shift   how far the outputs move, in units of their own noise, and how much wider or narrower they get
sides   how well the best simple event of the outputs tells the sides apart: a lower bound on a log-ratio of counts
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Outputs
from auditor.tuning import TUNING, PairSearch

Floats = npt.NDArray[np.float64]

HIGHEST = 1e3  # the highest score, which an exception on one side only has


def shift(left: Outputs, right: Outputs, tuning: PairSearch = TUNING.pairs) -> float:
    """The l1 norm over columns of the move in mean deviations, and of the log-ratio of the deviations."""
    a, b = left.numbers, right.numbers
    both = np.isfinite(a) & np.isfinite(b)
    other = (a != b) & ~(np.isnan(a) & np.isnan(b)) & ~both
    unlike = float(np.mean(other.any(axis=1)))
    if left.labels is not None and right.labels is not None:
        unlike = max(unlike, float(np.mean([x != y for x, y in zip(left.labels, right.labels, strict=True)])))
    moves = [_move(a[both[:, j], j], b[both[:, j], j]) for j in range(a.shape[1])]
    return min(HIGHEST, sum(moves) + tuning.mismatch * unlike)


def _move(a: Floats, b: Floats) -> float:
    """Of one column: how far its values moved, relative to their mean deviations, and how these changed."""
    if not len(a) or np.array_equal(a, b):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        wide = _deviation(a), _deviation(b)
        noise = (wide[0] + wide[1]) / 2
        gaps = a - b
        if not noise > 1e-12 * float(np.max(np.abs([a, b]))):
            return HIGHEST
        far = abs(float(np.median(gaps))) / noise
        often = float(np.mean(np.abs(gaps))) / noise
        spread = abs(float(np.log((wide[0] + 1e-9 * noise) / (wide[1] + 1e-9 * noise))))
    found = far + 0.25 * often + spread
    return min(HIGHEST, found) if np.isfinite(found) else HIGHEST


def _deviation(values: Floats) -> float:
    return float(np.mean(np.abs(values - np.median(values))))


def sides(left: Outputs, right: Outputs, delta: float, tuning: PairSearch = TUNING.pairs) -> float:
    """The largest lower bound on log(P[event | one side] - delta) / P[event | other side]) over simple events."""
    found = [
        _events(a, b, delta, tuning)
        for column in range(min(tuning.columns, left.numbers.shape[1]))
        for a, b in _features(left.numbers[:, column], right.numbers[:, column], left.floating)
    ]
    if left.labels is not None:
        found.append(_coded(left.texts(), right.texts(), delta, tuning))
    if left.numbers.shape[1] > 1:
        found.append(_together(left.numbers, right.numbers, delta, tuning))
    return max(found, default=0.0)


def _together(left: Floats, right: Floats, delta: float, tuning: PairSearch) -> float:
    """The same for the values that columns with few values have together."""
    columns = np.concatenate([left, right]).T[: tuning.columns]
    few = [place for place, column in enumerate(columns) if 1 < len(np.unique(column)) <= tuning.few_values]
    if len(few) < 2:
        return 0.0
    rows = [[row.tobytes() for row in side[:, few]] for side in (left, right)]
    return _coded(rows[0], rows[1], delta, tuning)


def _coded(left: Sequence[object], right: Sequence[object], delta: float, tuning: PairSearch) -> float:
    """The same for labels: every one of them is an event."""
    codes = {label: code for code, label in enumerate(dict.fromkeys([*left, *right]))}
    a, b = (np.array([codes[label] for label in side], dtype=np.float64) for side in (left, right))
    return _events(a, b, delta, tuning)


def _features(a: Floats, b: Floats, floating: bool) -> list[tuple[Floats, Floats]]:
    """A column as it is, its place between whole numbers, and how many bits its doubles use."""
    a, b = (np.where(np.isnan(x), -np.inf, x) for x in (a, b))
    found = [(a, b)]
    if floating:
        with np.errstate(invalid="ignore"):
            found.append((np.nan_to_num(a % 1.0), np.nan_to_num(b % 1.0)))
        found.append((_zeros(a), _zeros(b)))
    return found


def _zeros(values: Floats) -> Floats:
    """The number of trailing zero bits of each double."""
    bits = values.view(np.uint64) if values.flags.c_contiguous else np.ascontiguousarray(values).view(np.uint64)
    lowest = bits & (~bits + np.uint64(1))
    return np.log2(np.maximum(lowest, 1).astype(np.float64))


def _events(a: Floats, b: Floats, delta: float, tuning: PairSearch) -> float:
    """The largest such bound over the tails of a column and its single values."""
    n, m = len(a), len(b)
    values, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(values)) for part in (places[:n], places[n:])]
    low = [np.cumsum(count) for count in counts]
    events = [np.concatenate([one, total - one, count]) for one, total, count in zip(low, (n, m), counts, strict=True)]
    return max(
        _ratio(events[0], events[1], delta * n, tuning.errors), _ratio(events[1], events[0], delta * m, tuning.errors)
    )


def _ratio(more: npt.NDArray[np.int64], less: npt.NDArray[np.int64], spent: float, errors: float) -> float:
    first, second = np.maximum(more - spent, 0.0) + 0.5, less + 0.5
    return float(np.max(np.log(first / second) - errors * np.sqrt(1 / first + 1 / second)))
