"""Drawing from several mechanisms in one vectorised pass, where each draw has its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mechanisms.core.mechanism import Outputs

_FEW = 16


def draw_by_code(codes: Outputs, draw: Callable[[int, int], Outputs]) -> Outputs:
    """Entry i comes from draw(codes[i], ...): one call draw(code, how many) for each code that occurs.

    `codes` are whole numbers of at least 0. A few of them are looked up one by one; many are sorted.
    """
    largest = int(codes.max(initial=0))
    if largest < _FEW:
        places = {code: np.flatnonzero(codes == code) for code in range(largest + 1)}
    else:
        order = np.argsort(codes, kind="stable")
        present, starts = np.unique(codes[order], return_index=True)
        places = dict(zip(present.tolist(), np.split(order, starts[1:]), strict=True))
    pieces = {code: draw(code, len(place)) for code, place in places.items() if len(place)}
    if len(pieces) == 1:
        return next(iter(pieces.values()))
    first = next(iter(pieces.values()))
    outputs = np.empty((len(codes), *first.shape[1:]), np.result_type(*pieces.values()))
    for code, piece in pieces.items():
        outputs[places[code]] = piece
    return outputs


def columns(parts: Sequence[Outputs]) -> Outputs:
    """The outputs of several mechanisms side by side, one row a draw."""
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
