"""Relations that always hold on one side: an XOR of bits, a check digit, a parity, a table that is looked up.

No single part of such an output shows anything, nor does any pair of parts. But what always holds is linear algebra
modulo a prime. The terms of an output (binary digits, signs, values of columns with few of them, products of two of
these; modulo odd primes whole numbers) are a row of a matrix, and the relations that hold for all rows of one side are
its null space. Half of the past solves for the relations; the other half judges them, so that what a few rows had in
common by luck is thrown away. A relation that always holds shows at once, so each matrix is solved a few times only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from auditor.events.outputs import Floats, Outputs
from auditor.events.scores.relation import Part, Relation, whole_numbers
from auditor.search.candidates import Scored
from auditor.search.past import Past, curve_of

Whole = npt.NDArray[np.int64]
Term = tuple[Part, ...]

_LEAST = 64  # draws of a side with which relations are first looked for
_FEW_VALUES = 8  # a column with at most so many values is looked at value by value
_SOME_VALUES = 16  # a column with at most so many values is looked at value by value, too, after its binary digits
_SPARE = 24  # rows beyond the number of terms: a relation holds in so many by luck with probability 2^-24
_MOST_TERMS = 512  # most terms of one matrix
_NARROW = 40  # most whole numbers whose residues modulo all primes are looked at
_PRIMES = (3, 5, 7, 11, 13)
_LARGER = (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127)
_AGAIN = 4  # a matrix is not solved again where it had so many times the rows that it needs
_KEPT = 3  # relations of each matrix that are kept
_HOLDS, _FAILS = 0.99, 0.9  # shares of draws in which a relation holds on one side, and at most holds on the other


def propose(past: Past) -> list[Scored]:
    """The relations that hold on one side alone."""
    left, right = past.sides()
    n = min(len(left), len(right))
    solved, found = past.notes.get("relations", (0, ()))
    if n >= max(_LEAST, 2 * solved) and solved < 4 * _MOST_TERMS and not found:
        found = tuple(_relations(past, n, solved))
        past.notes["relations"] = n, found
    return [_judged(score, view, (left, right)) for score, view in found]


def _judged(score: Relation, view: str, sides: Sequence[Outputs]) -> Scored:
    """A relation with its counts in the half of the past that did not solve for it."""
    counted = [np.sort(score.of(side.take(slice(1, None, 2)))) for side in sides]
    return Scored(score, curve_of(counted[0], counted[1]), view)


@dataclass(frozen=True)
class _Matrix:
    """The terms of all outputs of both sides, the left ones first, modulo a prime."""

    modulus: int
    terms: list[Term]
    rows: Whole
    view: str = "values"


def _relations(past: Past, n: int, before: int) -> Iterator[tuple[Relation, str]]:
    """Matrices that have enough rows, and had few more before, are solved one by one until one has a relation."""
    most = 2 * (_MOST_TERMS + _SPARE)
    sides = [side.numbers[: min(n, most)] for side in past.sides()]
    numbers, lefts = np.concatenate(sides), len(sides[0])
    for matrix in _matrices(numbers, past.views if past.sides()[0].floating else ("values",)):
        needed = 2 * (len(matrix.terms) + _SPARE)
        if matrix.terms and len(matrix.terms) <= _MOST_TERMS and before < _AGAIN * needed <= _AGAIN * lefts:
            found = [*_holding(matrix, lefts, 0), *_holding(matrix, lefts, 1)]
            yield from ((relation, matrix.view) for relation in found)
            if found:
                return


def _matrices(numbers: Floats, views: Sequence[str]) -> Iterator[_Matrix]:
    """Few binary digits; residues; values one by one; more binary digits; products of two; digits of mantissas."""
    parts = _parts(numbers)
    plain, more, values, whole = parts["plain"], parts["more"], parts["values"], parts["whole"]
    if "values" in views:
        columns = {part: part.of(numbers) for part in {*plain, *more, *values, *whole}}
        yield _matrix(2, singles(plain), columns)
        if len(whole) <= _NARROW:
            for modulus in (*_PRIMES, *_LARGER):
                yield _matrix(modulus, singles(whole), columns)
        for modulus in (2, *_PRIMES):
            yield _matrix(modulus, singles([*(plain if modulus == 2 else whole), *values])[:_MOST_TERMS], columns)
        yield _matrix(2, singles([*plain, *more]), columns)
        pairs = [both for both in combinations(plain, 2) if both[0].column != both[1].column]
        if len(plain) + len(pairs) <= _MOST_TERMS:
            yield _matrix(2, [*singles(plain), *pairs], columns)
    if "bits" in views and parts["mantissas"]:
        both = [*plain, *parts["mantissas"]]
        yield _matrix(2, singles(both), {part: part.of(numbers) for part in both}, "bits")


def singles(parts: Sequence[Part]) -> list[Term]:
    """A term for each part, each part once."""
    return [(part,) for part in dict.fromkeys(parts)]


def _matrix(modulus: int, terms: list[Term], columns: dict[Part, Whole], view: str = "values") -> _Matrix:
    rows = np.column_stack([np.prod([columns[part] for part in term], axis=0) for term in terms] or [np.zeros((1, 0))])
    return _Matrix(modulus, terms, np.asarray(rows % modulus, dtype=np.int64), view)


def _parts(numbers: Floats) -> dict[str, list[Part]]:
    """What is looked at in each column: plainly, more closely, in its mantissa, value by value, as a whole number."""
    found: dict[str, list[Part]] = {"plain": [], "more": [], "mantissas": [], "values": [], "whole": []}
    for place, column in enumerate(numbers.T[: 2 * _MOST_TERMS]):
        values, counts = np.unique(column, return_counts=True)
        if len(values) < 2:
            continue
        exact = whole_numbers(values)
        whole = bool(((exact == values) | np.isnan(values)).all())
        if len(values) <= _SOME_VALUES:
            rarer = values[np.sort(np.argsort(-counts, kind="stable")[1:])].tolist()
            found["values" if len(values) > _FEW_VALUES else "plain"] += [Part("value", place, v) for v in rarer]
        if whole:
            found["whole"].append(Part("number", place))
        if len(values) <= _FEW_VALUES:
            continue
        if whole:
            found["plain"].append(Part("digit", place))
            highest = int(np.abs(exact).max()).bit_length()
            found["more"] += [Part("digit", place, float(digit)) for digit in range(1, highest)]
        else:
            found["mantissas"] += [Part("mantissa", place, digit) for digit in (0.0, 29.0)]  # of doubles and of floats
        if (values < 0).any():
            found["plain"].append(Part("sign", place))
    return found


def _holding(matrix: _Matrix, lefts: int, side: int) -> list[Relation]:
    """The relations that hold on one side (0 is the left one) and not on the other; those that fail most, first."""
    own, other = matrix.rows[:lefts], matrix.rows[lefts:]
    if side:
        own, other = other, own
    solving = own[0 : 2 * (len(matrix.terms) + _SPARE) : 2]
    found = []
    for weights in null_space((solving - solving[0]) % matrix.modulus, matrix.modulus):
        used = np.flatnonzero(weights)
        constant = int(solving[0, used] @ weights[used] % matrix.modulus)
        holds, fails = (
            float(np.mean(rows[1::2][:, used] @ weights[used] % matrix.modulus == constant)) for rows in (own, other)
        )
        if holds >= _HOLDS and fails <= _FAILS:
            terms = tuple(matrix.terms[index] for index in used.tolist())
            relation = Relation(matrix.modulus, terms, tuple(weights[used].tolist()), constant)
            found.append((round(fails, 1), len(terms), relation))
    return [relation for _, _, relation in sorted(found, key=lambda one: one[:2])[:_KEPT]]


def null_space(rows: Whole, modulus: int) -> list[Whole]:
    """A basis of the weights for which every row's weighted sum is 0 modulo a prime."""
    left = rows.astype(np.int16 if modulus > 2 else np.uint8)
    rank, pivots = 0, []
    for column in range(left.shape[1]):
        holds = np.flatnonzero(left[rank:, column])
        if not len(holds):
            continue
        pivot = rank + int(holds[0])
        left[[rank, pivot]] = left[[pivot, rank]]
        if modulus == 2:
            others = np.flatnonzero(left[:, column])
            left[others[others != rank]] ^= left[rank]
        else:
            left[rank] = left[rank] * pow(int(left[rank, column]), -1, modulus) % modulus
            factors = left[:, column].copy()
            factors[rank] = 0
            left = (left - factors[:, None] * left[rank]) % modulus
        pivots.append(column)
        rank += 1
    free = sorted(set(range(left.shape[1])) - set(pivots))
    basis = np.zeros((len(free), left.shape[1]), dtype=np.int64)
    for weights, column in zip(basis, free, strict=True):
        weights[column] = 1
        weights[pivots] = -left[:rank, column].astype(np.int64) % modulus
    return list(basis)
