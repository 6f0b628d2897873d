"""Which of very many features are worth a learner's time: all are screened at once on a part of the past.

A feature is cut into cells and the two sides' counts are compared by chi-square: on the even draws to find what may
matter, on the odd draws to confirm it. Nothing here is reported, and nothing is tested on it: it only chooses where
to look, and what it chooses is judged like everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from auditor.events import features
from auditor.events.outputs import Floats, Outputs

if TYPE_CHECKING:
    from auditor.search.past import Past

Codes = npt.NDArray[np.int64]

_DRAWS = 2048  # draws a side that are screened
_NUMBERS = 2**21  # most numbers a side that are screened: of wider outputs fewer draws
_LEAST = 32  # with fewer draws a side nothing is screened
_CELLS = 16  # cells into which a feature's numbers are cut
_FOUND, _CONFIRMED = 8.0, 4.0  # standard errors on the even draws, and on the odd ones
_BETTER = 3.0  # a feature is worth a look where it differs so many times as much as the best plain one
_KEPT = 24  # most columns of a wide output that screening keeps
_KEPT_EYES = 8  # most features beyond the plain ones that screening keeps
_PAIRS = 4  # most pairs of dependent columns that screening keeps
_MOST_PAIRED = 1024  # most columns whose pairs are looked at
_MODULI = (7, 9, 10, 11, 13, 16, 60, 100, 256)
_DECIMALS = 8  # numbers with fewer decimals than so many are looked at as whole numbers
_WIDE = 64  # outputs with at most so many columns have all of them looked at


class Sample:
    """Some draws of both sides: the left ones first; even draws find, odd draws confirm."""

    def __init__(self, sides: Sequence[Outputs]) -> None:
        width = max(1, sides[0].numbers.shape[1])
        self.n = min(len(sides[0]), len(sides[1]), max(_LEAST, min(_DRAWS, _NUMBERS // width)))
        self.sides = [side.take(slice(self.n)) for side in sides]
        self.matrix = np.concatenate([side.numbers for side in self.sides])
        n, odd = self.n, self.n % 2  # where the left draws are an odd number, the right ones begin with an odd place
        self.even = slice(0, n, 2), slice(n + odd, None, 2)
        self.odd = slice(1, n, 2), slice(n + 1 - odd, None, 2)

    def column(self, feature: str) -> Floats:
        """A feature of all these draws."""
        return np.concatenate([features.column_of(side, feature) for side in self.sides])

    def surprise(self, codes: Codes, size: int) -> Floats:
        """How many standard errors the sides' cells differ: a row for the even and one for the odd draws."""
        columns = codes.shape[1]
        flat = codes + np.arange(columns) * size
        found = []
        for part in (self.even, self.odd):
            counts = [np.bincount(flat[side].ravel(), minlength=columns * size).reshape(columns, size) for side in part]
            found.append(_chi_square(*counts))
        return np.stack(found)


def _chi_square(left: Codes, right: Codes) -> Floats:
    """The chi-square of each row of counts, in standard errors; cells with less than two draws in all are left out."""
    both = left + right
    scale = left.sum(axis=1, keepdims=True), right.sum(axis=1, keepdims=True)
    total = np.maximum(1, scale[0] + scale[1])
    used = both >= 2
    expected = both * scale[0] / total, both * scale[1] / total
    parts = [
        np.where(used & (e > 0), (seen - e) ** 2 / np.where(e > 0, e, 1.0), 0.0)
        for seen, e in zip((left, right), expected, strict=True)
    ]
    freedom = np.maximum(1, used.sum(axis=1) - 1)
    return np.asarray(((parts[0] + parts[1]).sum(axis=1) - freedom) / np.sqrt(2 * freedom))


def quantile_cells(matrix: Floats) -> Codes:
    """Each number's place among quantiles of its column; ⊥ has a cell of its own, the last."""
    ordered = np.sort(matrix, axis=0)
    places = np.linspace(0, len(matrix) - 1, _CELLS + 1).astype(np.int64)[1:]
    codes = np.zeros(matrix.shape, dtype=np.int64)
    for place in places:
        with np.errstate(invalid="ignore"):
            codes += matrix >= ordered[place]
    for edge in (ordered[0],):  # what repeats at the lower end is told from what lies above it
        codes += matrix > edge
    codes[np.isnan(matrix)] = _CELLS + 2
    return codes


def best_columns(past: Past) -> list[str]:
    """The columns of a wide output that tell most, and those that depend on each other, in their order."""
    sample = Sample(past.sides())
    if sample.n < _LEAST:
        return []
    found, confirmed = sample.surprise(quantile_cells(sample.matrix), _CELLS + 3)
    likely = np.argsort(-found, kind="stable")[: 4 * _KEPT]
    chosen = likely[np.argsort(-confirmed[likely], kind="stable")[:_KEPT]]
    return [f"x[{index}]" for index in sorted(chosen.tolist())]


def eyes(past: Past, view: str, plain: Sequence[str]) -> list[str]:
    """Features beyond the plain ones that tell clearly more than those, the best first."""
    sample = Sample(past.sides())
    if sample.n < _LEAST:
        return []
    offered = _values_eyes(past, sample) if view == "values" else _bits_eyes(past, sample)
    if not offered:
        return []
    known = np.column_stack([sample.column(name) for name in plain]) if plain else np.zeros((2 * sample.n, 0))
    least = sample.surprise(quantile_cells(known), _CELLS + 3).min(axis=0).max(initial=0.0)
    ranked = sorted(offered, key=lambda offer: -offer[1])
    return [name for name, worth in ranked if worth > max(_CONFIRMED, _BETTER * least)][:_KEPT_EYES]


def _worth(names: Sequence[str], surprise: Floats) -> list[tuple[str, float]]:
    """What was found and confirmed."""
    found, confirmed = surprise
    sure = (found > _FOUND) & (confirmed > _CONFIRMED)
    return [(names[index], float(min(found[index], confirmed[index]))) for index in np.flatnonzero(sure).tolist()]


def _values_eyes(past: Past, sample: Sample) -> list[tuple[str, float]]:
    offers: list[tuple[str, float]] = []
    places = range(sample.matrix.shape[1])
    names = ["x"] if sample.sides[0].scalar else [f"x[{place}]" for place in places]
    offers += _of_whole(names, sample.matrix, sample)
    if sample.sides[0].scalar:
        return offers
    values = sample.sides[0].form.values
    if values > 1:
        whole = ["norm", "size", "distinct", "alike", "positive", "sum", "max", "min", "range", "argmax", "bottoms"]
        whole += [f"sorted[{k}]" for k in sorted({1, 2, values // 4, 3 * values // 4, values - 2}) if 0 < k < values]
        columns = np.column_stack([sample.column(name) for name in whole])
        offers += _worth(whole, sample.surprise(quantile_cells(columns), _CELLS + 3))
        offers += _of_whole(["sum"], sample.column("sum")[:, None], sample)
        pairs = _pairs(sample, values)
        if pairs:
            columns = np.column_stack([sample.column(name) for name in pairs])
            offers += _worth(pairs, sample.surprise(quantile_cells(columns), _CELLS + 3))
    return offers


def _of_whole(names: Sequence[str], matrix: Floats, sample: Sample) -> list[tuple[str, float]]:
    """Residues and bytes of whole numbers, and of numbers with few decimals, that have many values."""
    offers: list[tuple[str, float]] = []
    finite = np.isfinite(matrix)
    held = np.where(finite, matrix, 0.0)
    todo = finite.any(axis=0)
    for decimals in range(_DECIMALS):
        scaled = np.round(held * 10.0**decimals)
        rounding = np.minimum(0.05, 1e-9 * np.maximum(1.0, np.abs(scaled)))
        whole = (np.abs(scaled - held * 10.0**decimals) <= rounding).all(axis=0) & todo
        columns = np.flatnonzero(whole & (np.ptp(scaled, axis=0) >= 8)).tolist()
        if columns:
            own = [names[index] for index in columns]
            offers += _residues(own, scaled[:, columns], finite[:, columns], decimals, sample)
        todo &= ~whole
        if not todo.any():
            break
    return offers


def _residues(
    names: Sequence[str], scaled: Floats, finite: npt.NDArray[np.bool_], decimals: int, sample: Sample
) -> list[tuple[str, float]]:
    offers: list[tuple[str, float]] = []
    fits = finite & (np.abs(scaled) <= 2.0**53)
    whole = np.abs(np.where(fits, scaled, 0.0)).astype(np.int64)
    after = f" e{decimals}" if decimals else ""
    for modulus in _MODULI:
        codes = np.where(fits, whole % modulus, modulus)
        offers += _worth([f"{name}{after} mod {modulus}" for name in names], sample.surprise(codes, modulus + 1))
    for place in range(7):
        codes = np.where(fits, (whole >> (8 * place)) & 255, 256)
        if decimals == 0 and codes.max(initial=0) > 0:
            offers += _worth([f"byte {place} of {name}" for name in names], sample.surprise(codes, 257))
    return offers


def _pairs(sample: Sample, values: int) -> list[str]:
    """Pairs of columns that depend on each other on one side, and on the other side do not, or do so differently."""
    columns = np.flatnonzero(np.isfinite(sample.matrix[:, : min(values, _MOST_PAIRED)]).all(axis=0))
    if len(columns) < 2:
        return []
    matrix = sample.matrix[:, columns]
    chosen: list[str] = []
    for numbers in (_ranks(matrix), np.sign(matrix - np.median(matrix, axis=0)), np.sign(matrix)):
        differences = []
        for part in (sample.even, sample.odd):
            both = [_correlations(numbers[side]) for side in part]
            differences.append(np.abs(both[0] - both[1]))
        worth = np.triu(np.minimum(*differences), 1)
        best = np.argsort(-worth, axis=None, kind="stable")[:_PAIRS]
        for i, j in zip(*(part.tolist() for part in np.unravel_index(best, worth.shape)), strict=True):
            a, b = int(columns[i]), int(columns[j])
            if worth[i, j] > _CONFIRMED / np.sqrt(sample.n / 2):
                chosen += [f"x[{b}]{sign}x[{a}]" for sign in "-+*"]
    return list(dict.fromkeys(chosen))


def _ranks(matrix: Floats) -> Floats:
    return np.argsort(np.argsort(matrix, axis=0, kind="stable"), axis=0, kind="stable").astype(np.float64)


def _correlations(numbers: Floats) -> Floats:
    centred = numbers - numbers.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(size > 0, size, 1.0)
    return np.asarray(scaled.T @ scaled)


def _bits_eyes(past: Past, sample: Sample) -> list[tuple[str, float]]:
    if not sample.sides[0].floating:
        return []
    values = sample.sides[0].form.values
    matrix = sample.matrix[:, :values]
    names = ["x"] if sample.sides[0].scalar else [f"x[{place}]" for place in range(values)]
    offers: list[tuple[str, float]] = []
    for place in range(7):
        codes = features.mantissa_byte(matrix, place)
        held = np.where(np.isnan(codes), 256, codes).astype(np.int64)
        offers += _worth([f"mantissa byte {place} of {name}" for name in names], sample.surprise(held, 257))
    lows = features.low_bit(matrix)
    offers += _worth([f"low bit of {name}" for name in names], sample.surprise(quantile_cells(lows), _CELLS + 3))
    signs = np.where(matrix == 0, np.signbit(matrix), 2)
    offers += _worth([f"sign bit of {name}" for name in names], sample.surprise(signs, 3))
    missing = np.flatnonzero(np.isnan(matrix).any(axis=0))
    if len(missing):
        payloads = quantile_cells(features.payload(matrix[:, missing]))
        offers += _worth([f"payload of {names[index]}" for index in missing], sample.surprise(payloads, _CELLS + 3))
    return offers


def wide(sides: Sequence[Outputs]) -> bool:
    """Whether there are more columns than all learners can look at."""
    return bool(sides[0].numbers.shape[1] > _WIDE)
