"""Neighbouring vectors of query answers, by the input patterns that published auditors search.

A mechanism that takes the answers of sensitivity-1 queries, instead of a dataset, is audited on pairs of
answer vectors. The patterns are those of Ding, Wang, Wang, Zhang and Kifer 2018, which DP-Sniper (Bichsel et
al. 2021) searches too, and the mirror images of the two that depend on the order of the queries.
Which of them are neighbours depends on how one record moves the answers, so each pair is checked before it is
handed out: a pair that is not one would refute correct mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from mechanisms.core import checks
from mechanisms.core.neighbours import NeighbourPair, Relation


class Moves(StrEnum):
    """How one record moves a vector of answers. Every answer moves by at most the sensitivity."""

    ONE_DIFFERS = "one differs"  # a histogram: a record is added to, or taken out of, one cell
    ONE_DIRECTION = "one direction"  # counts: a record is added (no answer falls) or removed (none rises)
    ALL_DIFFER = "all differ"  # any queries: a record is replaced, and each answer moves as it likes


def are_neighbours(left: Sequence[float], right: Sequence[float], moves: Moves | str, sensitivity: float = 1.0) -> bool:
    """True when one record can move the answers from `left` to `right`."""
    if len(left) != len(right):
        return False
    differences = [b - a for a, b in zip(left, right, strict=True)]
    if not any(differences) or not all(abs(d) <= sensitivity for d in differences):
        return False
    match Moves(moves):
        case Moves.ONE_DIFFERS:
            return sum(d != 0 for d in differences) == 1
        case Moves.ONE_DIRECTION:
            return min(differences) >= 0 or max(differences) <= 0
        case Moves.ALL_DIFFER:
            return True


def answer_patterns(
    length: int,
    moves: Moves | str = Moves.ALL_DIFFER,
    base: float = 1.0,
    sensitivity: float = 1.0,
) -> tuple[NeighbourPair, ...]:
    """The published patterns for `length` answers that are neighbours under `moves`, without repetitions.

    `base` is the answer all queries have on the left dataset. Each pair says its pattern in `why`.
    """
    length = checks.whole("length", length)
    moves = Moves(checks.one_of("moves", str(moves), [str(kind) for kind in Moves]))
    checks.positive("sensitivity", sensitivity)
    pairs: list[NeighbourPair] = []
    seen: set[frozenset[tuple[float, ...]]] = set()
    for why, left_moves, right_moves in _patterns(length):
        left = tuple(base + sensitivity * move for move in left_moves)
        right = tuple(base + sensitivity * move for move in right_moves)
        if moves is Moves.ALL_DIFFER and why == "half above, half level":
            continue  # half above, half below is a neighbour and worse
        if are_neighbours(left, right, moves, sensitivity) and frozenset((left, right)) not in seen:
            seen.add(frozenset((left, right)))
            pairs.append(NeighbourPair(left, right, Relation.ANSWERS, why))
    return tuple(pairs)


def _patterns(length: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Name, and where the left and the right answers stand relative to the base, in sensitivities."""
    level, rest, half = [0] * length, length - 1, length // 2
    yield "one above", level, [1] + [0] * rest
    yield "one below", level, [-1] + [0] * rest
    yield "one above, rest below", level, [1] + [-1] * rest
    yield "one below, rest above", level, [-1] + [1] * rest
    yield "half above, half below", level, [1] * half + [-1] * (length - half)
    yield "all above", level, [1] * length
    yield "all below", level, [-1] * length
    yield "x shape", [0] * half + [-1] * (length - half), [-1] * half + [0] * (length - half)
    # Not in the table: what one direction leaves of the half and half, and the mirror images, which are worse
    # for whoever asks the queries in their order (a sparse vector stops at the first that is above).
    yield "half above, half level", level, [1] * half + [0] * (length - half)
    yield "last above, rest below", level, [-1] * rest + [1]
    yield "last below, rest above", level, [1] * rest + [-1]
