"""Independent draws are what every bound assumes. These checks see gross ways of breaking that.

They are exact under independence: no distribution is assumed. `LEVEL` is the probability of a false alarm
of all of them together, in one audit. Nothing but numpy is needed: workers import this file.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs

LEVEL = 1e-6  # probability of a false alarm of all checks of one audit together
_LOOKED_AT = 4096  # early draws of a side whose order is looked at
TWOS = 48  # pairs of draws of one call, on each side
_LOOKS = 32  # most times at which an audit may have stopped within these draws, because of what they showed
_EACH = LEVEL / 8  # level of each of two checks on two sides; repeated calls (`repeats`) have the other half
_FEWEST = 32  # the order of fewer draws says nothing at this level


def order_p_value(outputs: Outputs) -> float:
    """A p-value for "these draws, in the order in which they were made, are independent and alike".

    Draws become bits (at most the median or above; the commonest label or another). Fisher's exact test then
    compares the first half with the second, odd places with even ones, and each odd place with the even one
    after it; the smallest of the three counts three times (Bonferroni).
    """
    bits = _bits(outputs.take(slice(_LOOKED_AT)))
    n = len(bits) // 2 * 2
    if n < _FEWEST:
        return 1.0
    bits = bits[:n]
    odd, even = bits[::2], bits[1::2]
    tables = (
        (bits[: n // 2].sum(), bits[n // 2 :].sum(), n // 2, n // 2),
        (odd.sum(), even.sum(), n // 2, n // 2),
        (even[odd].sum(), even[~odd].sum(), odd.sum(), n // 2 - odd.sum()),
    )
    return min(1.0, 3 * min(fisher(*(int(cell) for cell in table)) for table in tables))


def twos_p_value(outputs: Outputs) -> float:
    """A p-value for "two draws of one call are independent"; the outputs are such draws, two by two."""
    bits = _bits(outputs)
    first, second = bits[::2], bits[1::2]
    return fisher(*(int(n) for n in (second[first].sum(), second[~first].sum(), first.sum(), (~first).sum())))


def _bits(outputs: Outputs) -> npt.NDArray[np.bool_]:
    labels = outputs.texts()
    if len(amounts := Counter(labels)) > 1:
        commonest = max(sorted(amounts), key=amounts.__getitem__)
        return np.array([label == commonest for label in labels])
    column: Floats = outputs.numbers[:, 0]
    if np.isnan(column).any():
        return np.isnan(column)
    middle = np.partition(column, len(column) // 2)[len(column) // 2]
    below, at = column < middle, column <= middle
    return np.asarray(at if abs(at.mean() - 0.5) <= abs(below.mean() - 0.5) else below, dtype=np.bool_)


def fisher(a: int, b: int, n: int, m: int) -> float:
    """Two-sided: a of n against b of m, given that a + b bits are set (hypergeometric under independence)."""
    hits = a + b
    low, high = max(0, hits - m), min(n, hits)
    if low >= high:
        return 1.0
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + m + 1)))])
    k = np.arange(low, high + 1)
    weights = -(logs[k] + logs[n - k] + logs[hits - k] + logs[m - hits + k])
    weights = np.exp(weights - weights.max())
    tails = weights[: a - low + 1].sum(), weights[a - low :].sum()
    return min(1.0, 2 * float(min(tails) / weights.sum()))


def order_sentence(sides: Sequence[Outputs]) -> str | None:
    """What the result says when the order of the draws matters; None when nothing was seen."""
    for name, outputs in zip(("left", "right"), sides, strict=True):
        p = order_p_value(outputs)
        if p <= _EACH / _LOOKS:
            return (
                f"The draws on the {name} input depend on their order (p = {p:.1e} under independence): the "
                "mechanism keeps state from draw to draw, and every number here assumes independent draws."
            )
    return None


def twos_sentence(sides: Sequence[Outputs]) -> str | None:
    """What the result says when the draws of a call go together; None when nothing was seen."""
    for name, outputs in zip(("left", "right"), sides, strict=True):
        p = twos_p_value(outputs)
        if p <= _EACH:
            return (
                f"The draws of one call on the {name} input go together (p = {p:.1e} under independence): a size=n may "
                "be missing in the mechanism, and every number here assumes independent draws."
            )
    return None


def fingerprint(dataset: Any) -> bytes | None:
    """Changes when a dataset of plain containers and arrays does; None where that cannot be told."""
    parts: list[bytes] = []
    if isinstance(dataset, (int, float, complex, str, bytes, type(None))) or not _describe(dataset, parts, 0):
        return None
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()


def _describe(item: Any, parts: list[bytes], depth: int) -> bool:
    if depth > 20:
        return False
    if isinstance(item, np.ndarray) and item.dtype != object:
        parts.append(f"{item.dtype} {item.shape}".encode())
        parts.append(np.ascontiguousarray(item).tobytes())
        return True
    if isinstance(item, (int, float, complex, str, bytes, bytearray, type(None), np.generic)):
        parts.append(repr(item).encode(errors="replace"))
        return True
    if isinstance(item, dict):
        item = [part for pair in item.items() for part in pair]
    elif isinstance(item, (set, frozenset)):
        item = sorted(item, key=repr)
    elif hasattr(item, "to_numpy"):
        return _describe(item.to_numpy(), parts, depth + 1)
    if isinstance(item, (list, tuple, np.ndarray)):
        parts.append(f"{type(item).__name__} {len(item)}".encode())
        return all(_describe(part, parts, depth + 1) for part in item)
    return False
