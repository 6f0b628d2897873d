"""What a composition's parts certify together: a trade-off curve of each, composed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from auditor.certify.tradeoff import TradeOff
from auditor.curves import tradeoff
from mechanisms.core.pieces import Piece


def certified_by_parts(pieces: Sequence[Piece], trials: int, alpha: float, seed: int) -> TradeOff:
    """The composed curve of all pieces; everything said of it holds with probability at least 1 - alpha."""
    curves = [_curve(piece, trials, alpha / len(pieces), seed, place) for place, piece in enumerate(pieces)]
    return reduce(TradeOff.then, curves)


def _curve(piece: Piece, trials: int, alpha: float, seed: int, place: int) -> TradeOff:
    pair = (piece.left, piece.right)
    one = tradeoff(piece.sample, pair, trials=trials, alpha=alpha, seed=seed, jobs=1, name=f"part {place}")
    sampled = one if piece.rate is None else one.subsampled(piece.rate, added="left")
    return sampled.times(piece.times)
