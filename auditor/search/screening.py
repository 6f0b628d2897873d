"""Which of very many features are worth a learner's time: all are screened at once on a part of the past.

A feature is cut into cells and the two sides' counts are compared by chi-square: on the even draws to find what may
matter, on the odd draws to confirm it. Nothing here is reported, and nothing is tested on it: it only chooses where
to look, and what it chooses is judged like everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from auditor.events import features
from auditor.events.outputs import Floats, Outputs
from auditor.learner_tuning import Screening

if TYPE_CHECKING:
    from auditor.search.past import Past

Codes = npt.NDArray[np.int64]

_AT_ONCE = 2**16  # cells of draws that are counted at once
_FIRST = 64  # draws that show at once that a column has more decimals
_MODULI = (2, 3, 5, 7, 9, 10, 11, 13, 16, 60, 100, 256)
_MORE_MODULI = (17, 19, 23, 29, 31, 37, 41, 43, 47, 97, 101)  # where enough draws are looked at
_SCALES = 0, 1, 2, 3  # powers of ten, times which the part above a whole number is looked at
_DIGITS = 3, 5  # decimals up to which numbers with many of them are rounded, for the last two that are left
_CLOCKS = (3600, 86_400, 604_800, 86_400_000)  # seconds of an hour, a day and a week, milliseconds of a day


class Cells(NamedTuple):
    """Columns that are cut into cells, of which each has so many: the cell of each draw, by draw and column."""

    names: Sequence[str]
    codes: Codes
    size: int


class Sample:
    """Some draws of both sides: the left ones first; even draws find, odd draws confirm."""

    def __init__(self, sides: Sequence[Outputs], tuning: Screening) -> None:
        self.tuning = tuning
        width = max(1, sides[0].numbers.shape[1])
        draws = tuning.draws if width > tuning.narrow else tuning.draws_narrow
        self.n = min(len(sides[0]), len(sides[1]), max(tuning.least, min(draws, tuning.numbers // width)))
        self.sides = [side.take(slice(self.n)) for side in sides]
        self.matrix = np.concatenate([side.numbers for side in self.sides])
        n, odd = self.n, self.n % 2  # where the left draws are an odd number, the right ones begin with an odd place
        self.even = slice(0, n, 2), slice(n + odd, None, 2)
        self.odd = slice(1, n, 2), slice(n + 1 - odd, None, 2)

    def column(self, feature: str) -> Floats:
        """A feature of all these draws."""
        return np.concatenate([features.column_of(side, feature) for side in self.sides])

    def surprise(self, tables: Sequence[Cells]) -> Floats:
        """How many standard errors the sides' cells differ, by column of all tables: a row for the even and one for the
        odd draws."""
        sizes = np.repeat([table.size for table in tables], [len(table.names) for table in tables])
        starts = np.cumsum(sizes) - sizes
        flat, many = np.concatenate([table.codes for table in tables], axis=1) + starts, int(sizes.sum())
        found = []
        for part in (self.even, self.odd):
            left, right = (np.bincount(flat[side].ravel(), minlength=many) for side in part)
            found.append(_chi_square(left, right, starts, sizes))
        return np.stack(found)

    def cut(self, names: Sequence[str], matrix: Floats) -> Cells:
        """Columns of numbers, each cut at its quantiles."""
        return Cells(names, quantile_cells(matrix, self.tuning.cells), self.tuning.cells + 3)


def _chi_square(left: Codes, right: Codes, starts: Codes, sizes: Codes) -> Floats:
    """The chi-square of the counts of each column, in standard errors; cells with less than two draws in all are left
    out. A column's cells begin at its start."""
    both = left + right
    scale = [np.repeat(np.add.reduceat(side, starts), sizes) for side in (left, right)]
    used = both >= 2
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = [both * side / (scale[0] + scale[1]) for side in scale]
        parts = [(seen - e) ** 2 / e for seen, e in zip((left, right), expected, strict=True)]
    parts = [np.where(used & (e > 0), part, 0.0) for part, e in zip(parts, expected, strict=True)]
    freedom = np.maximum(1, np.add.reduceat(used.astype(np.int64), starts) - 1)
    return np.asarray((np.add.reduceat(parts[0] + parts[1], starts) - freedom) / np.sqrt(2 * freedom))


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
    names = [f"x[{index}]" for index in range(sample.matrix.shape[1])]
    found, confirmed = sample.surprise([sample.cut(names, sample.matrix)])
    likely = np.argsort(-found, kind="stable")[: 4 * sample.tuning.kept]
    chosen = likely[np.argsort(-confirmed[likely], kind="stable")[: sample.tuning.kept]]
    return [names[index] for index in sorted(chosen.tolist())]


def eyes(past: Past, view: str, plain: Sequence[str]) -> list[str]:
    """Features beyond the plain ones that tell clearly more than those, the best first."""
    sample = Sample(past.sides(), past.tuning.screening)
    if sample.n < sample.tuning.least:
        return []
    offered = _offers(_values_eyes(sample) if view == "values" else _bits_eyes(sample), sample)
    if not offered:
        return []
    least = 0.0
    if plain:
        columns = np.column_stack([sample.column(name) for name in plain])
        least = sample.surprise([sample.cut(plain, columns)]).min(axis=0).max(initial=0.0)
    tuning = sample.tuning
    enough = max(tuning.confirmed, tuning.better * least)
    return [name for name, worth in sorted(offered, key=lambda offer: -offer[1]) if worth > enough][: tuning.kept_eyes]


def _offers(tables: Iterable[Cells], sample: Sample) -> list[tuple[str, float]]:
    """The columns of which enough was found and confirmed, with the standard errors of both. Many tables are judged at
    once, while they are small."""
    offers: list[tuple[str, float]] = []
    waiting: list[Cells] = []
    for table in chain(tables, (None,)):
        if waiting and (table is None or sum(one.codes.size for one in waiting) >= _AT_ONCE):
            found, confirmed = sample.surprise(waiting)
            sure = (found > sample.tuning.found) & (confirmed > sample.tuning.confirmed)
            names = [name for one in waiting for name in one.names]
            offers += [(names[k], float(min(found[k], confirmed[k]))) for k in np.flatnonzero(sure).tolist()]
            waiting = []
        waiting += [] if table is None else [table]
    return offers


def _values_eyes(sample: Sample) -> Iterator[Cells]:
    places = range(sample.matrix.shape[1])
    names = ["x"] if sample.sides[0].scalar else [f"x[{place}]" for place in places]
    yield from _of_whole(names, sample.matrix, sample)
    if sample.sides[0].scalar:
        return
    values = sample.sides[0].form.values
    if values > 1:
        whole = ["norm", "size", "distinct", "alike", "positive", "sum", "max", "min", "range", "argmax", "bottoms"]
        whole += [f"sorted[{k}]" for k in sorted({1, 2, values // 4, 3 * values // 4, values - 2}) if 0 < k < values]
        yield sample.cut(whole, np.column_stack([sample.column(name) for name in whole]))
        by_size = ["max", "min", f"sorted[{values // 2}]"] if values <= sample.tuning.wide else []
        columns = np.column_stack([sample.column(name) for name in ("sum", *by_size)])
        yield from _of_whole(["sum", *by_size], columns, sample)
        if pairs := _pairs(sample, values):
            yield sample.cut(pairs, np.column_stack([sample.column(name) for name in pairs]))


def _of_whole(names: Sequence[str], matrix: Floats, sample: Sample) -> Iterator[Cells]:
    """Residues and bytes of whole numbers, and of numbers with few decimals, that have many values; of others what
    follows the point, and some of its digits."""
    finite = np.isfinite(matrix)
    held = np.where(finite, matrix, 0.0)
    todo = finite.any(axis=0)
    for decimals in range(sample.tuning.decimals):
        if not (_are_whole(held[:_FIRST], decimals)[1] & todo).any():
            continue
        scaled, whole = _are_whole(held, decimals)
        columns = np.flatnonzero(whole & todo & (np.ptp(scaled, axis=0) >= 8)).tolist()
        if columns:
            own = [names[index] for index in columns]
            yield from _residues(own, scaled[:, columns], finite[:, columns], decimals, sample)
        todo &= ~whole
        if not todo.any():
            break
    columns = np.flatnonzero(todo).tolist()
    if 0 < len(columns) <= sample.tuning.wide and sample.n >= sample.tuning.enough:
        yield from _fractions([names[index] for index in columns], matrix[:, columns], sample)


def _fractions(names: Sequence[str], matrix: Floats, sample: Sample) -> Iterator[Cells]:
    sizes = np.abs(matrix)
    with np.errstate(invalid="ignore"):
        for decimals in _SCALES:
            after = f" e{decimals}" if decimals else ""
            yield sample.cut([f"fraction of {name}{after}" for name in names], features.fraction(matrix, decimals))
        yield sample.cut([f"{name} mod 1" for name in names], np.fmod(sizes, 1.0))
        for decimals in _DIGITS:
            scaled = np.round(sizes * 10.0**decimals)
            fits = scaled <= 2.0**53
            codes = np.where(fits, np.where(fits, scaled, 0.0) % 100, 100).astype(np.int64)
            yield Cells([f"{name} e{decimals} mod 100" for name in names], codes, 101)


def _are_whole(numbers: Floats, decimals: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Numbers times a power of ten, rounded, and in which columns rounding changed none of them."""
    exact = numbers * 10.0**decimals
    scaled = np.round(exact)
    rounding = np.minimum(0.05, 1e-9 * np.maximum(1.0, np.abs(scaled)))
    return scaled, np.all(np.abs(scaled - exact) <= rounding, axis=0)


def _residues(
    names: Sequence[str], scaled: Floats, finite: npt.NDArray[np.bool_], decimals: int, sample: Sample
) -> Iterator[Cells]:
    fits = finite & (np.abs(scaled) <= 2.0**53)
    whole = np.abs(np.where(fits, scaled, 0.0)).astype(np.int64)
    after = f" e{decimals}" if decimals else ""
    few = len(names) <= sample.tuning.wide
    for modulus in _MODULI + (_MORE_MODULI if few and sample.n >= sample.tuning.enough else ()):
        codes = np.where(fits, whole % modulus, modulus)
        yield Cells([f"{name}{after} mod {modulus}" for name in names], codes, modulus + 1)
    largest = whole.max(initial=0)
    for digit in range(2, len(str(largest)) if few and decimals == 0 else 0):
        codes = np.where(fits, whole // 10**digit % 10, 10)
        yield Cells([f"{name} e-{digit} mod 10" for name in names], codes, 11)
    if largest >= sample.tuning.times:
        for clock in _CLOCKS:
            told = np.where(fits, np.fmod(np.abs(scaled), clock), np.nan)
            yield sample.cut([f"{name}{after} mod {clock}" for name in names], told)
    for place in range(7 if decimals == 0 else 0):
        codes = np.where(fits, (whole >> (8 * place)) & 255, 256)
        if codes.max(initial=0) > 0:
            yield Cells([f"byte {place} of {name}" for name in names], codes, 257)


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


def _bits_eyes(sample: Sample) -> Iterator[Cells]:
    if not sample.sides[0].floating:
        return
    values = sample.sides[0].form.values
    matrix = sample.matrix[:, :values]
    names = ["x"] if sample.sides[0].scalar else [f"x[{place}]" for place in range(values)]
    for place in range(7):
        codes = features.mantissa_byte(matrix, place)
        held = np.where(np.isnan(codes), 256, codes).astype(np.int64)
        yield Cells([f"mantissa byte {place} of {name}" for name in names], held, 257)
    yield sample.cut([f"low bit of {name}" for name in names], features.low_bit(matrix))
    signs = np.where(matrix == 0, np.signbit(matrix), 2)
    yield Cells([f"sign bit of {name}" for name in names], signs, 3)
    missing = np.flatnonzero(np.isnan(matrix).any(axis=0))
    if len(missing):
        payloads = features.payload(matrix[:, missing])
        yield sample.cut([f"payload of {names[index]}" for index in missing], payloads)


def wide(sides: Sequence[Outputs], tuning: Screening) -> bool:
    """Whether there are more columns than all learners can look at."""
    return bool(sides[0].numbers.shape[1] > tuning.wide)
