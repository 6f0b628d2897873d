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
from auditor.learner_tuning import Relations
from auditor.search.candidates import Scored
from auditor.search.past import Past, curve_of

Whole = npt.NDArray[np.int64]
Term = tuple[Part, ...]

_PRIMES = (3, 5, 7, 11, 13)
_LARGER = (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127)


def propose(past: Past) -> list[Scored]:
    """The relations that hold on one side alone."""
    (left, right), tuning = past.sides(), past.tuning.relations
    n = min(len(left), len(right))
    solved, found = past.notes.get("relations", (0, ()))
    if left.scalar and not found and not _many_whole(left.numbers[:, 0], tuning.many_values):
        return []
    sure = any(fails <= tuning.sure for _, _, fails in found)
    if n >= max(tuning.least, 2 * solved) and solved < 4 * tuning.most_terms and not sure:
        found = tuple(_relations(past, n, solved)) or found
        past.notes["relations"] = n, found
    return [_judged(score, view, (left, right)) for score, view, _ in found]


def _many_whole(column: Floats, many: int) -> bool:
    """Whether these are whole numbers with many values."""
    few = column[: 4 * many]
    return bool((np.floor(few) == few).all()) and len(np.unique(few)) > many


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


def _relations(past: Past, n: int, before: int) -> Iterator[tuple[Relation, str, float]]:
    """Matrices that have enough rows, and had few more before, are solved one by one until a relation is sure.

    With each relation comes its view, and the share of the other side's draws in which it holds, too.
    """
    tuning = past.tuning.relations
    sides = [side.numbers[: min(n, 2 * (tuning.most_terms + tuning.spare))] for side in past.sides()]
    numbers, lefts = np.concatenate(sides), len(sides[0])
    known: dict[Part, Whole] = {}
    for modulus, terms, view in _systems(_parts(numbers, tuning), past.views, tuning):
        needed = 2 * (len(terms) + tuning.spare)
        again = 1 if modulus in _LARGER else tuning.again
        if terms and len(terms) <= tuning.most_terms and before < again * needed <= again * lefts:
            matrix = _Matrix(modulus, terms, _rows(modulus, terms, numbers, known))
            found = [*_holding(matrix, lefts, 0, tuning), *_holding(matrix, lefts, 1, tuning)]
            yield from ((relation, view, fails) for relation, fails in found)
            if any(fails <= tuning.sure for _, fails in found):
                return


def _systems(
    parts: dict[str, list[Part]], views: Sequence[str], tuning: Relations
) -> Iterator[tuple[int, list[Term], str]]:
    """Few binary digits; those of columns of many values; all; residues; values one by one; products of two; digits of
    mantissas."""
    plain, more, values, whole = parts["plain"], parts["more"], parts["values"], parts["whole"]
    if "values" in views:
        yield 2, _terms(plain), "values"
        yield 2, _terms(parts["many"]), "values"
        yield 2, _terms([*plain, *more]), "values"
        if len(whole) <= tuning.narrow:
            yield from ((modulus, _terms(whole), "values") for modulus in (*_PRIMES, *_LARGER))
        if values:
            yield 2, _terms([*plain, *values]), "values"
            yield from ((modulus, _terms([*whole, *values]), "values") for modulus in _PRIMES)
        if len(plain) <= tuning.most_multiplied:
            pairs = [both for both in combinations(plain, 2) if both[0].column != both[1].column]
            yield 2, [*_terms(plain), *pairs], "values"
    if "bits" in views and parts["mantissas"]:
        yield 2, _terms([*plain, *parts["mantissas"]]), "bits"


def _terms(parts: Sequence[Part]) -> list[Term]:
    return [(part,) for part in parts]


def _rows(modulus: int, terms: list[Term], numbers: Floats, known: dict[Part, Whole]) -> Whole:
    """The terms of each output; `known` keeps what was computed for another matrix."""
    for part in {part for term in terms for part in term} - known.keys():
        known[part] = part.of(numbers)
    columns = [known[term[0]] if len(term) == 1 else known[term[0]] * known[term[1]] for term in terms]
    return np.asarray(np.column_stack(columns) % modulus, dtype=np.int64)


def _parts(numbers: Floats, tuning: Relations) -> dict[str, list[Part]]:
    """What is looked at in each column: plainly, more closely, in its mantissa, value by value, as a whole number."""
    found: dict[str, list[Part]] = {"plain": [], "more": [], "many": [], "mantissas": [], "values": [], "whole": []}
    for place, column in enumerate(numbers.T[: 2 * tuning.most_terms]):
        values, counts = np.unique(column, return_counts=True)
        if len(values) < 2:
            continue
        exact = whole_numbers(values)
        whole = bool(((exact == values) | np.isnan(values)).all())
        if len(values) <= tuning.some_values:
            rarer = values[np.sort(np.argsort(-counts, kind="stable")[1:])].tolist()
            found["values" if len(values) > tuning.few_values else "plain"] += [Part("value", place, v) for v in rarer]
        if whole:
            found["whole"].append(Part("number", place))
        if len(values) <= tuning.few_values:
            continue
        if whole:
            digits = [Part("digit", place, float(digit)) for digit in range(int(np.abs(exact).max()).bit_length())]
            found["plain"].append(digits[0])
            found["more"] += digits[1:]
            found["many"] += digits if len(values) > tuning.many_values else []
        else:
            found["mantissas"] += [Part("mantissa", place, digit) for digit in (0.0, 29.0)]  # of doubles and of floats
        if (values < 0).any():
            found["plain"].append(Part("sign", place))
    return found


def _holding(matrix: _Matrix, lefts: int, side: int, tuning: Relations) -> list[tuple[Relation, float]]:
    """The relations that hold on one side (0 is the left one), and how often on the other; the rarest there first."""
    own, other = matrix.rows[:lefts], matrix.rows[lefts:]
    if side:
        own, other = other, own
    solving = own[0 : 2 * (len(matrix.terms) + tuning.spare) : 2]
    found = []
    for weights in null_space((solving - solving[0]) % matrix.modulus, matrix.modulus):
        used = np.flatnonzero(weights)
        constant = int(solving[0, used] @ weights[used] % matrix.modulus)
        holds, fails = (
            float(np.mean(rows[1::2][:, used] @ weights[used] % matrix.modulus == constant)) for rows in (own, other)
        )
        if holds >= tuning.holds and fails <= tuning.fails:
            terms = tuple(matrix.terms[index] for index in used.tolist())
            relation = Relation(matrix.modulus, terms, tuple(weights[used].tolist()), constant)
            found.append((round(fails, 1), len(terms), relation))
    return [(relation, fails) for fails, _, relation in sorted(found, key=lambda one: one[:2])[: tuning.kept]]


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
