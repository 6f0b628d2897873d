"""Calls that repeat each other although their streams are different: the mechanism seeds itself, or its copies do.

Both tests are exact whenever the draws of a call are independent and alike: given its values, a call's outputs come in
each of their orders with the same probability. No distribution is assumed, and a constant output is never accused.
Nothing but numpy is needed: workers import this file.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs
from auditor.sampling.independence import LEVEL

_FIRST = 128  # outputs of a call by which it is recognised
_KEY = 8 * 24  # bytes of its first outputs by which a call is found again: calls may differ in length
_MOST_CALLS = 4096  # calls of an audit that are compared with each other
_SHARE = LEVEL / 4  # probability of a false alarm of each of the two tests

FirstOutputs = tuple[tuple[int, int], bytes]  # pair and side of a call, and its first outputs, eight bytes each


def first_outputs(outputs: Outputs) -> bytes:
    """A call's first outputs, eight bytes each: independent calls hardly ever share them, if they vary at all."""
    first = outputs.take(slice(_FIRST))
    rows = _rows(first.numbers)
    if first.labels is None:
        return rows.tobytes()
    codes = np.array([zlib.crc32(label.encode(errors="replace")) for label in first.labels], dtype=np.int64)
    return (codes ^ rows).tobytes()


def _rows(numbers: Floats) -> npt.NDArray[np.int64]:
    """Each row as one whole number: its bits where there is one column, a hash of them where there are more."""
    bits = np.ascontiguousarray(numbers).view(np.int64)
    if bits.shape[1] == 1:
        return bits[:, 0]
    odd = np.random.Generator(np.random.SFC64(0)).integers(-(2**62), 2**62, bits.shape[1]) * 2 + 1
    return (bits ^ (bits >> 29)) @ odd


class CallsSeen:
    """Recognises calls that gave the same outputs in the same order although their streams were different."""

    def __init__(self) -> None:
        self._seen: dict[bytes, bytes] = {}
        self._longest: dict[tuple[int, int], bytes] = {}
        self._calls = 0
        self.log_evidence = 0.0  # log of the e-process against independent calls; -inf once two calls have differed

    def repeated(self, calls: Iterable[FirstOutputs]) -> bool:
        """True when calls repeat each other; for independent draws with probability at most `2 * _SHARE` in an audit.

        Two tests, a half each. First: two calls of an audit share their first outputs. A call repeats another one with
        probability at most prod(k!) / m! for m values that occur k times each. Second, where outputs vary little: all
        calls of each pair and side begin alike. The product of m! / prod(k!) over calls that repeat the longest one
        before them, and 0 after one that does not, has expectation at most 1 (Ville 1939: it reaches 1 / p with
        probability at most p).
        """
        for key, first in calls:
            self._calls += 1
            if self._calls > _MOST_CALLS:
                return False
            if self._repeats_another(first) or self._repeats_all(key, first):
                return True
        return False

    def _repeats_another(self, first: bytes) -> bool:
        other = self._seen.get(first[:_KEY], b"")
        both = min(len(first), len(other))
        alike = both > 0 and first[:both] == other[:both]
        if len(first) > len(other):
            self._seen[first[:_KEY]] = first
        return alike and log_orders(first[:both]) > math.log(_MOST_CALLS**2 / 2 / _SHARE)

    def _repeats_all(self, key: tuple[int, int], first: bytes) -> bool:
        other = self._longest.get(key, b"")
        both = min(len(first), len(other))
        if first[:both] != other[:both]:
            self.log_evidence = -math.inf
        elif both and self.log_evidence > -math.inf:
            self.log_evidence += log_orders(first[:both])
        if len(first) > len(other):
            self._longest[key] = first
        return self.log_evidence >= -math.log(_SHARE)


def log_orders(first: bytes) -> float:
    """log of the number of orders in which these values can come."""
    counts = np.unique(np.frombuffer(first, np.int64), return_counts=True)[1].tolist()
    return math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)
