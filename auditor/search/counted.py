"""What was counted in the cells of a few scores: a long audit learns from more draws than it can remember.

The remembered draws fix the cells; which of them to bet on is chosen from counts of many more. A table's cells are
ranked anew by them. A sum's tables are made anew from time to time, and its thresholds are judged on later draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from auditor.events.histograms import BinHistogram, CellCounts, CellHistogram, ScoreHistogram, SumHistogram, cuts_of
from auditor.events.outputs import Floats, Outputs
from auditor.events.scores import Sum, Table
from auditor.search.candidates import Curve, Scored, Tail
from auditor.search.learners.tables import judged_curve
from auditor.search.merged_cells import added, exact_in_sums, log_ratio, merged_ratios
from auditor.search.prediction import with_model_of_bins
from auditor.tuning import TUNING, Learning


class Counted:
    """The histograms of one pair: counts of left and of right draws in each cell, the draws cut into two halves.

    `sides` are the remembered draws.
    """

    def __init__(self, scores: Sequence[Scored], sides: Sequence[Outputs], tuning: Learning = TUNING.learning) -> None:
        self.tuning = tuning
        self.sides = sides
        self.histograms = tuple(scored.score.histogram(sides, scored.view) for scored in scores)
        self.counts = [np.zeros((2, 2, histogram.size), dtype=np.int64) for histogram in self.histograms]
        self.trials = 0

    def add(self, cells: CellCounts, trials: int) -> None:
        """Adds what a batch counted, one histogram after the other."""
        ends = np.cumsum([histogram.size for histogram in self.histograms])
        self.counts = [a + b for a, b in zip(self.counts, np.split(cells, ends[:-1], axis=-1), strict=True)]
        self.trials += trials

    def scored(self) -> list[Scored]:
        """The scores as the counts show them."""
        both = zip(self.histograms, self.counts, strict=True)
        return [_scored(histogram, counts, self.tuning) for histogram, counts in both]

    def refine(self, stay: Sequence[bool]) -> None:
        """Keeps some histograms, and makes sums anew from what their tables have counted.

        What a sum counted itself was for the old one, and is forgotten.
        """
        better: list[tuple[ScoreHistogram, CellCounts]] = []
        for histogram, counts, stays in zip(self.histograms, self.counts, stay, strict=True):
            if stays and isinstance(histogram, SumHistogram):
                *tables, _ = histogram.split(counts)
                new = _refined(histogram, tables, self.sides, self.tuning)
                own = np.zeros((2, 2, len(new.cuts) + 2), dtype=np.int64)
                better.append((new, np.concatenate([*tables, own], axis=-1)))
            elif stays:
                better.append((histogram, counts))
        self.histograms, self.counts = tuple(histogram for histogram, _ in better), [counts for _, counts in better]


def _scored(histogram: ScoreHistogram, counts: CellCounts, tuning: Learning) -> Scored:
    """The score of a histogram's cells, with the curve that their counts show."""
    if isinstance(histogram, CellHistogram):
        left, right = counts.astype(np.float64)
        curve, ratios = judged_curve(left, right, partial(_ratios, histogram.table))
        return Scored(histogram.table.rescored(ratios), curve, histogram.view)
    assert isinstance(histogram, BinHistogram)
    if isinstance(histogram, SumHistogram):
        *_, counts = histogram.split(counts)
    left, right = counts.sum(axis=1).astype(np.float64)
    cuts = np.asarray(histogram.cuts)
    curve = _tails(cuts, left, right)
    if histogram.score.predicts and left.any() and right.any():
        middles = np.concatenate([cuts[:1], (cuts[1:] + cuts[:-1]) / 2, cuts[-1:]])
        predicted = with_model_of_bins(curve, middles, left[:-1], right[:-1], tuning.calibration)
        curve = predicted._replace(scale=tuning.sum_scale)
    return Scored(histogram.score, curve, histogram.view)


def _tails(at: Floats, left: Floats, right: Floats) -> Curve:
    """Both tails at each threshold; the last count is of draws without a score."""
    below = [np.cumsum(side)[:-2] for side in (left, right)]
    above = [side[:-1].sum() - low for side, low in zip((left, right), below, strict=True)]
    tails = Tail("<=", np.nextafter(at, -np.inf), *below), Tail(">=", at, *above)
    return Curve(*tails, left.sum(), right.sum())


def _refined(
    histogram: SumHistogram, tables: Sequence[CellCounts], sides: Sequence[Outputs], tuning: Learning
) -> SumHistogram:
    """The histogram of a sum whose tables are made anew from what they have counted."""
    parts = histogram.score.parts
    counted = [(left[None], right[None]) for left, right in (t.sum(axis=1).astype(np.float64) for t in tables)]
    if histogram.score.one_table:
        counted = [added(counted)] * len(parts)
    ratios = [exact_in_sums(merged_ratios(*both, tuning.sum_piece_price)[0]) for both in counted]
    score = Sum(tuple(part.rescored(own) for part, own in zip(parts, ratios, strict=True)))
    return replace(histogram, score=score, cuts=cuts_of(score, sides))


def _ratios(table: Table, left: Floats, right: Floats) -> Floats:
    """The log-ratios of a table's cells: in its own way, or merged with neighbours, or each by itself."""
    own = table.ratios(left, right)
    return own if own is not None else (merged_ratios if table.ordered else _known)(left, right)


def _known(left: Floats, right: Floats) -> Floats:
    """The log-ratios; 0 for what the table does not know."""
    ratios = log_ratio(left, right)
    ratios[..., -1] = 0.0
    return ratios
