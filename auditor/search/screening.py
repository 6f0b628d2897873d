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
from auditor.learner_tuning import Screening

if TYPE_CHECKING:
    from auditor.search.past import Past

Codes = npt.NDArray[np.int64]

_MODULI = (7, 9, 10, 11, 13, 16, 60, 100, 256)
_CLOCKS = (3600, 86_400, 604_800, 86_400_000)  # seconds of an hour, a day and a week, milliseconds of a day


class Sample:
    """Some draws of both sides: the left ones first; even draws find, odd draws confirm."""

    def __init__(self, sides: Sequence[Outputs], tuning: Screening) -> None:
        self.tuning = tuning
        width = max(1, sides[0].numbers.shape[1])
        self.n = min(len(sides[0]), len(sides[1]), max(tuning.least, min(tuning.draws, tuning.numbers // width)))
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

    def of_cells(self, matrix: Floats) -> Floats:
        """The same of numbers, each column cut at its quantiles."""
        return self.surprise(quantile_cells(matrix, self.tuning.cells), self.tuning.cells + 3)


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


def quantile_cells(matrix: Floats, cells: int) -> Codes:
    """Each number's place among quantiles of its column; ⊥ has a cell of its own, the last."""
    ordered = np.sort(matrix, axis=0)
    places = np.linspace(0, len(matrix) - 1, cells + 1).astype(np.int64)[1:]
    codes = np.zeros(matrix.shape, dtype=np.int64)
    for place in places:
        with np.errstate(invalid="ignore"):
            codes += matrix >= ordered[place]
    for edge in (ordered[0],):  # what repeats at the lower end is told from what lies above it
        codes += matrix > edge
    codes[np.isnan(matrix)] = cells + 2
    return codes


def best_columns(past: Past) -> list[str]:
    """The columns of a wide output that tell most, and those that depend on each other, in their order."""
    sample = Sample(past.sides(), past.tuning.screening)
    if sample.n < sample.tuning.least:
        return []
    found, confirmed = sample.of_cells(sample.matrix)
    likely = np.argsort(-found, kind="stable")[: 4 * sample.tuning.kept]
    chosen = likely[np.argsort(-confirmed[likely], kind="stable")[: sample.tuning.kept]]
    return [f"x[{index}]" for index in sorted(chosen.tolist())]


def eyes(past: Past, view: str, plain: Sequence[str]) -> list[str]:
    """Features beyond the plain ones that tell clearly more than those, the best first."""
    sample = Sample(past.sides(), past.tuning.screening)
    if sample.n < sample.tuning.least:
        return []
    offered = _values_eyes(past, sample) if view == "values" else _bits_eyes(past, sample)
    if not offered:
        return []
    known = np.column_stack([sample.column(name) for name in plain]) if plain else np.zeros((2 * sample.n, 0))
    least = sample.of_cells(known).min(axis=0).max(initial=0.0)
    ranked = sorted(offered, key=lambda offer: -offer[1])
    tuning = sample.tuning
    enough = max(tuning.confirmed, tuning.better * least)
    return [name for name, worth in ranked if worth > enough][: tuning.kept_eyes]


def _worth(names: Sequence[str], surprise: Floats, sample: Sample) -> list[tuple[str, float]]:
    """What was found and confirmed."""
    found, confirmed = surprise
    sure = (found > sample.tuning.found) & (confirmed > sample.tuning.confirmed)
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
        offers += _worth(whole, sample.of_cells(columns), sample)
        offers += _of_whole(["sum"], sample.column("sum")[:, None], sample)
        pairs = _pairs(sample, values)
        if pairs:
            columns = np.column_stack([sample.column(name) for name in pairs])
            offers += _worth(pairs, sample.of_cells(columns), sample)
    return offers


def _of_whole(names: Sequence[str], matrix: Floats, sample: Sample) -> list[tuple[str, float]]:
    """Residues and bytes of whole numbers, and of numbers with few decimals, that have many values."""
    offers: list[tuple[str, float]] = []
    finite = np.isfinite(matrix)
    held = np.where(finite, matrix, 0.0)
    todo = finite.any(axis=0)
    for decimals in range(sample.tuning.decimals):
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
        offers += _worth(
            [f"{name}{after} mod {modulus}" for name in names], sample.surprise(codes, modulus + 1), sample
        )
    if whole.max(initial=0) >= sample.tuning.times:
        for clock in _CLOCKS:
            told = np.where(fits, np.fmod(np.abs(scaled), clock), np.nan)
            offers += _worth([f"{name}{after} mod {clock}" for name in names], sample.of_cells(told), sample)
    for place in range(7):
        codes = np.where(fits, (whole >> (8 * place)) & 255, 256)
        if decimals == 0 and codes.max(initial=0) > 0:
            offers += _worth([f"byte {place} of {name}" for name in names], sample.surprise(codes, 257), sample)
    return offers


def _pairs(sample: Sample, values: int) -> list[str]:
    """Pairs of columns that depend on each other on one side, and on the other side do not, or do so differently."""
    columns = np.flatnonzero(np.isfinite(sample.matrix[:, : min(values, sample.tuning.most_paired)]).all(axis=0))
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
        best = np.argsort(-worth, axis=None, kind="stable")[: sample.tuning.pairs]
        for i, j in zip(*(part.tolist() for part in np.unravel_index(best, worth.shape)), strict=True):
            a, b = int(columns[i]), int(columns[j])
            if worth[i, j] > sample.tuning.confirmed / np.sqrt(sample.n / 2):
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
        offers += _worth([f"mantissa byte {place} of {name}" for name in names], sample.surprise(held, 257), sample)
    lows = features.low_bit(matrix)
    offers += _worth([f"low bit of {name}" for name in names], sample.of_cells(lows), sample)
    signs = np.where(matrix == 0, np.signbit(matrix), 2)
    offers += _worth([f"sign bit of {name}" for name in names], sample.surprise(signs, 3), sample)
    if values > 1 and (signs == 1).any():
        zeros = sample.column("negative zeros")[:, None]
        offers += _worth(["negative zeros"], sample.of_cells(zeros), sample)
    missing = np.flatnonzero(np.isnan(matrix).any(axis=0))
    if len(missing):
        payloads = features.payload(matrix[:, missing])
        offers += _worth([f"payload of {names[index]}" for index in missing], sample.of_cells(payloads), sample)
    return offers


def wide(sides: Sequence[Outputs], tuning: Screening) -> bool:
    """Whether there are more columns than all learners can look at."""
    return bool(sides[0].numbers.shape[1] > tuning.wide)
