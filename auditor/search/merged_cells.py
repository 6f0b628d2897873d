"""Log-ratios of a table's cells, after neighbouring cells that do not differ were merged into pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats

AT_ONCE = 2**15  # pieces whose costs are computed at once: few enough to stay in cache
_ENDS = 24  # ends of pieces that are looked at together, at the most
_GRID = 2.0**20  # the log-ratios of tables that are added up are multiples of one over this


def log_ratio(left: Floats, right: Floats) -> Floats:
    """The smoothed log-ratio of each cell: one draw in all is added to it, shared as the draws of the two sides are."""
    lefts, rights = (np.maximum(1.0, side.sum(axis=-1, keepdims=True)) for side in (left, right))
    weight = 2 * lefts / (lefts + rights), 2 * rights / (lefts + rights)
    return np.asarray(np.log((left + weight[0]) / lefts) - np.log((right + weight[1]) / rights))


def added(tables: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The counts of tables with the same cells, as one table."""
    lefts, rights = zip(*tables, strict=True)
    return np.sum(lefts, axis=0), np.sum(rights, axis=0)


def exact_in_sums(ratios: Floats) -> Floats:
    """Log-ratios rounded so that their sums are exact in whatever order the parts come: outputs that differ only in
    the order of their coordinates have the same score, and stand on the same side of every threshold."""
    return np.asarray(np.round(ratios * _GRID) / _GRID)


def merged_ratios(left: Floats, right: Floats, price: float = 1.0) -> Floats:
    """The log-ratio of each cell after neighbouring cells that do not differ were merged; the last cell (⊥) stays
    alone.

    The partition minimises the weighted squares of the cells' log-ratios around their piece's mean plus a price for
    each piece (Potts' functional; the price is in units of Schwarz's log n), exactly, by dynamic programming; one
    partition a row. The squares around 0 are the same for every partition, and are left out.
    """
    return merged_tables([(left, right)], price)[0]


def merged_tables(tables: Sequence[tuple[Floats, Floats]], price: float = 1.0) -> list[Floats]:
    """`merged_ratios` of many tables, each with as many rows as the others: the rows of tables that have about the same
    number of cells are partitioned together, because a step of the programme costs the same for many rows as for one.
    A cell without any draw has the middle of 0 and of the log-ratios beside it: it joins the piece that says less, and
    says nothing between one for the left and one for the right.
    """
    seen = [_seen(left, right) for left, right in tables]
    found: list[Floats] = [np.empty(0)] * len(tables)
    sizes = [int(np.count_nonzero(cells)).bit_length() // 2 for cells in seen]
    for size in set(sizes):
        alike = [index for index, other in enumerate(sizes) if other == size]
        filled = [(tables[index][0][:, seen[index]], tables[index][1][:, seen[index]]) for index in alike]
        for index, merged in zip(alike, _merged(filled, price), strict=True):
            found[index] = _spread(merged, seen[index])
    return found


def _seen(left: Floats, right: Floats) -> npt.NDArray[np.bool_]:
    """The cells that have a draw in some row, and always the first and the last two: what lies beyond all, and ⊥."""
    seen = np.asarray((left + right).any(axis=0))
    seen[0] = True
    seen[-2:] = True
    return seen


def _spread(merged: Floats, seen: npt.NDArray[np.bool_]) -> Floats:
    """The log-ratios of all cells, from those of the cells that were looked at."""
    number = np.cumsum(seen)
    before, after = merged[:, number - 1], merged[:, np.minimum(number, merged.shape[1] - 1)]
    between = np.clip(0.0, np.minimum(before, after), np.maximum(before, after))
    return np.where(seen, before, between)


def _merged(tables: Sequence[tuple[Floats, Floats]], price: float) -> list[Floats]:
    """The same for tables that are partitioned together: shorter ones have cells without weight at their ends."""
    many, size = len(tables[0][0]), max(left.shape[-1] - 1 for left, _ in tables)
    w, wv = np.zeros((2, many * len(tables), size + 1))
    raw, prices = [], []
    for first, (left, right) in zip(range(0, len(w), many), tables, strict=True):
        raw.append(log_ratio(left, right))
        prices.append(price * np.log(left.sum(axis=-1) + right.sum(axis=-1) + 2))
        weights = 1 / (1 / (left[:, :-1] + 1) + 1 / (right[:, :-1] + 1))
        rows, cells = slice(first, first + many), weights.shape[1]
        np.cumsum(weights, axis=-1, out=w[rows, 1 : cells + 1])
        np.cumsum(weights * raw[-1][:, :-1], axis=-1, out=wv[rows, 1 : cells + 1])
    cuts = _cuts(w, wv, np.concatenate(prices))
    for row, cut in enumerate(cuts):
        ratios = raw[row // many][row % many]
        end = len(ratios) - 1
        while end > 0:
            start = int(cut[end])
            ratios[start:end] = (wv[row, end] - wv[row, start]) / (w[row, end] - w[row, start])
            end = start
    return raw


def _cuts(w: Floats, wv: Floats, prices: Floats) -> npt.NDArray[np.int64]:
    """Where the last piece starts in the best partition of the cells before each place, by row and by place.

    `w` and `wv` are the sums of the weights and of the weighted log-ratios of all cells before each place.
    """
    rows, size = len(w), w.shape[1] - 1
    best, cuts = np.zeros((rows, size + 1)), np.zeros((rows, size + 1), dtype=np.int64)
    at_once = min(_ENDS, max(1, AT_ONCE // max(1, rows * size)))
    for first in range(1, size + 1, at_once):
        ends = np.arange(first, min(first + at_once, size + 1))
        gains = _gains(w, wv, ends)
        costs = best[:, :first] - gains[..., :first]
        cost, better, inside = _within(costs.min(axis=-1), gains[..., first:], prices)
        best[:, ends], cuts[:, ends] = cost.T, np.where(better, first + inside, costs.argmin(axis=-1)).T
    return cuts


def _within(
    before: Floats, gains: Floats, prices: Floats
) -> tuple[Floats, npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """What the best partitions cost up to each of some ends, by end and by row; where a last piece that starts at one
    of these ends is better than any that starts `before`, and at which one it starts.

    A partition with one more such start is tried until none is better: that is as often as the best one has of them.
    """
    many = len(before)
    too_late = (np.arange(many) >= np.arange(many)[:, None])[:, None, :-1]
    best = before + prices
    while True:
        costs = np.where(too_late, np.inf, best[:-1].T - gains)
        inside = np.minimum(before, costs.min(axis=-1, initial=np.inf))
        if not (inside + prices < best).any():
            return best, inside < before, costs.argmin(axis=-1) if many > 1 else np.zeros(before.shape, dtype=np.int64)
        best = inside + prices


def _gains(w: Floats, wv: Floats, ends: npt.NDArray[np.int64]) -> Floats:
    """By how much a piece's mean makes the weighted squares of its log-ratios smaller: by its end, by row and by its
    start; nothing of use where the start is not before the end."""
    weight, gain = (sums[:, ends].T[..., None] - sums[:, : ends[-1]] for sums in (w, wv))
    gain *= gain
    with np.errstate(invalid="ignore"):
        gain /= weight
    return gain
