"""What an audit of a row would certify if the best event had been known beforehand, from the exact law of its outputs.

A row that knows its law gives the probabilities of some cells of outputs on each dataset. The best events are sets of
the cells with the largest likelihood ratios (Neyman and Pearson 1933). Each is tested on the counts expected in all
draws of the row; the largest epsilon over pairs and directions is the oracle's. Where the cells part a continuum, finer
ones would show a little more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from auditor.certify.exact import binomial_epsilon

Floats = npt.NDArray[np.float64]
_TRIED = 64  # sets that are tested exactly, for each pair and direction


def oracle(laws: Iterable[tuple[Sequence[float], Sequence[float]]], trials: int, alpha: float) -> float:
    """The largest epsilon certified at level alpha by one event known beforehand, on so many draws a side."""
    return max(_best(np.asarray(p), np.asarray(q), trials, alpha) for law in laws for p, q in (law, law[::-1]))


def _best(correct: Floats, wrong: Floats, trials: int, alpha: float) -> float:
    """The same for guessing one side, on which the cells have the probabilities `correct`."""
    order = np.argsort(-(correct / np.maximum(wrong, 1e-300)), kind="stable")
    counts = np.cumsum(correct[order]) * trials, np.cumsum(wrong[order]) * trials
    with np.errstate(divide="ignore"):
        rough = np.log(counts[0]) - np.log(counts[1]) - 2 * np.sqrt(1 / counts[0] + 1 / counts[1])
    tried = np.argsort(-rough, kind="stable")[:_TRIED].tolist()
    return max(binomial_epsilon(round(counts[0][at]), round(counts[1][at]), alpha) for at in tried)
