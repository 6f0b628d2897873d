"""Histograms of both sides' outputs, stored with a result so that reports draw without sampling."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from auditor.events import features
from auditor.events.event import Event
from auditor.events.outputs import Floats
from auditor.events.words import reads_digits
from auditor.search.past import Past

_BINS = 48
_ATOMS = 24
_MOST_SHADED = 200  # most intervals of an event that are shaded
_MOST = 2**15  # draws a side that are enough for a picture


@np.errstate(all="ignore")
def output_histogram(past: Past, event: Event) -> dict[str, Any]:
    """Bins and atoms of what the event looks at: its feature, or its score."""
    if past.left is None or past.right is None:
        return {}
    sides = tuple(side.take(slice(_MOST)) for side in past.sides())
    axis = event.score.axis
    if axis is None and any(side.labels is not None for side in sides):
        return _label_atoms(past)
    left, right = (event.score.of(side) if axis is None else features.column_of(side, axis) for side in sides)
    values, counts = np.unique(
        np.concatenate([left, right])[~np.isnan(np.concatenate([left, right]))], return_counts=True
    )
    if axis is not None and reads_digits(axis):
        return {"score": axis, **_bins(left[:0], right[:0]), "atoms": digits(left, right), "shade": _shade(event)}
    if len(values) <= _ATOMS:
        atoms = values
    else:
        atoms = np.sort(values[counts >= max(10, (len(left) + len(right)) // 100)][:_ATOMS])
    rows = [[f"{a:.6g}", int((left == a).sum()), int((right == a).sum())] for a in atoms]
    missing = int(np.isnan(left).sum()), int(np.isnan(right).sum())
    if any(missing):
        rows.append(["⊥", *missing])
    remaining = [side[~np.isnan(side) & ~np.isin(side, atoms)] for side in (left, right)]
    return {"score": axis or "score", **_bins(remaining[0], remaining[1]), "atoms": rows, "shade": _shade(event)}


def digits(left: Floats, right: Floats) -> list[list[Any]]:
    """Counts of each binary digit, in order: those whose counts differ most, and all others together."""
    counts = [Counter(side[~np.isnan(side)].astype(int).tolist()) for side in (left, right)]
    missing = [int(np.isnan(side).sum()) for side in (left, right)]
    most = sorted(counts[0] | counts[1], key=lambda digit: (-abs(counts[0][digit] - counts[1][digit]), digit))
    shown, remaining = sorted(most[: _ATOMS - 1]), most[_ATOMS - 1 :]
    rows: list[list[Any]] = [[str(digit), *(side[digit] for side in counts)] for digit in shown]
    rows += [["others", *(sum(side[digit] for digit in remaining) for side in counts)]] if remaining else []
    return rows + ([["⊥", *missing]] if any(missing) else [])


def _bins(left: Floats, right: Floats) -> dict[str, Any]:
    pooled = np.concatenate([left, right])
    pooled = pooled[np.isfinite(pooled)]
    if len(pooled) == 0:
        return {"edges": [], "left": [], "right": []}
    low, high = (float(q) for q in np.quantile(pooled, [0.002, 0.998]))
    if not low < high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _BINS + 1)
    return {
        "edges": [float(f"{e:.6g}") for e in edges],
        "left": np.histogram(left, edges)[0].tolist(),
        "right": np.histogram(right, edges)[0].tolist(),
    }


def _label_atoms(past: Past) -> dict[str, Any]:
    left, right = (Counter(side.texts()) for side in past.sides())
    most = sorted(left | right, key=lambda label: (-left[label] - right[label], label))[:_ATOMS]
    rows = [[label[:40], left[label], right[label]] for label in sorted(most)]
    return {"score": "output", "edges": [], "left": [], "right": [], "atoms": rows, "shade": []}


def _shade(event: Event) -> list[list[Any]]:
    """The event's regions on the histogram's axis: [from, to, side], null for an open end."""
    regions = [(side, getattr(event, side)) for side in ("left", "right") if getattr(event, side)]
    return [[_end(low), _end(high), side] for side, region in regions for low, high in event.score.intervals(region)][
        :_MOST_SHADED
    ]


def _end(at: float) -> float | None:
    return at if np.isfinite(at) else None
