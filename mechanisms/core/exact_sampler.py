"""Exact draws from a finite list of probabilities, with whole numbers only.

The unit interval is cut at multiples of 2^-128, and a uniform number of 128 bits falls between two cuts. Most
draws are decided by their first 16 bits, which index a guide; others need 64 bits, and all 128 only on a tie.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from mechanisms.core.mechanism import Outputs

_BITS = 128
_BUCKETS = 1 << 16


class ExactSampler:
    """Draws index i with probability weights[i] / sum(weights), right to 2^-128."""

    def __init__(self, weights: Sequence[int]) -> None:
        if not weights or min(weights) < 0 or sum(weights) == 0:
            raise ValueError(f"weights must be whole numbers of at least 0, not all 0, got {weights!r:.60}")
        self.size = len(weights)
        *sums, total = accumulate(int(weight) for weight in weights)
        self.cuts = [(part << _BITS) // total for part in sums]
        while self.cuts and self.cuts[-1] >> _BITS:  # outcomes of weight 0 at the end are never drawn
            self.cuts.pop()
        self._tops = np.array([cut >> 64 for cut in self.cuts], dtype=np.uint64)
        inside = np.bincount((self._tops >> np.uint64(48)).astype(np.int64), minlength=_BUCKETS)
        self._guide = (np.cumsum(inside) - inside).astype(np.int32)
        self._guide[inside > 0] = -1  # a cut lies in this bucket: its 16 bits do not decide

    def draw(self, n: int, rng: np.random.Generator) -> Outputs:
        """n independent indices."""
        words = rng.integers(0, 1 << 64, size=(n + 3) // 4, dtype=np.uint64)
        first = words.view(np.uint16)[:n]
        index: Outputs = self._guide.take(first)
        undecided = np.flatnonzero(index < 0)
        if undecided.size:
            more = rng.integers(0, 1 << 48, size=undecided.size, dtype=np.uint64)
            index[undecided] = self.look_up((first[undecided].astype(np.uint64) << np.uint64(48)) | more, rng)
        return index

    def look_up(self, tops: Outputs, rng: np.random.Generator) -> Outputs:
        """The indices for the first 64 bits of uniform numbers; where those equal a cut's, 64 more decide."""
        index = np.searchsorted(self._tops, tops, side="right")
        for i in np.flatnonzero(self._tops[np.maximum(index, 1) - 1] == tops):
            low = int(rng.integers(0, 1 << 64, dtype=np.uint64))
            index[i] = bisect_right(self.cuts, (int(tops[i]) << 64) | low)
        return index
