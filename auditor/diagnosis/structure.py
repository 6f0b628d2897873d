"""How an output depends on the random numbers that were drawn for it: exactly, where it is a value plus noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.diagnosis.recorder import Call
from auditor.diagnosis.runs import RecordedRun

Floats = npt.NDArray[np.float64]

_EXACT = 1e-7  # an explanation is exact where the remainder is at most this share of the output's size
_ON_A_LINE = 8  # so many runs on one line are no accident
_MIRRORED = 3  # so many more runs must lie on the line with the other sign
_MOST_TRIED = 64  # most drawn numbers of which each is tried for a line
_LOCATIONS = {
    "laplace": "loc",
    "normal": "loc",
    "logistic": "loc",
    "gumbel": "loc",
    "uniform": "low",
    "integers": "low",
}


@dataclass(frozen=True, eq=False)
class Affine:
    """A number of the output is `value` + the sum of `factor` * z over `terms`: (index of the number drawn, factor).

    Not `always`: in many runs it is, and in the others it was clipped. `signed`: the factor has a random sign.
    """

    value: float
    terms: tuple[tuple[int, float], ...]
    always: bool = True
    signed: bool = False


def drawn_numbers(run: RecordedRun) -> Floats | None:
    """All numbers drawn for a run, each without the location it was asked for; None where some are not known."""
    parts = [_centred(call) for call in run.calls]
    if run.past_it or any(part is None for part in parts):
        return None
    return np.concatenate([np.empty(0), *(part for part in parts if part is not None)])


def _centred(call: Call) -> Floats | None:
    if call.values is None:
        return None
    location = call.parameters.get(_LOCATIONS.get(call.method, ""), 0.0)
    return call.values - _spread(location, call.size)


def _spread(parameter: Any, size: int) -> Floats:
    """A parameter for each number of a call: numpy repeats the last axis."""
    values = np.asarray(parameter, dtype=np.float64).ravel()
    return values if values.size == size else np.resize(values, size)


def parameter(call: Call, name: str, place: int) -> float:
    """A parameter of one number of a call."""
    return float(_spread(call.parameters[name], call.size)[place])


def source(calls: Sequence[Call], index: int) -> tuple[Call, int]:
    """The call that gave a number, and the number's place in it."""
    for call in calls:
        if index < call.size:
            return call, index
        index -= call.size
    raise IndexError(index)


def explained_columns(runs: Sequence[RecordedRun]) -> list[Affine | None] | None:
    """Each number of the output as a value plus noise; None for those that are not, None where nothing can be said."""
    noise = [drawn_numbers(run) for run in runs]
    if len({run.steps for run in runs}) != 1 or len({run.numbers.size for run in runs}) != 1:
        return None
    if any(run.error for run in runs) or any(part is None for part in noise):
        return None
    z, y = np.array(noise, dtype=np.float64), np.array([run.numbers for run in runs])
    if not np.isfinite(z).all():
        return None
    return [_explained(z, column) for column in y.T]


def _explained(z: Floats, y: Floats) -> Affine | None:
    if not np.isfinite(y).all():
        return None
    tolerance = _EXACT * max(1e-300, float(np.abs(y).max()))
    if np.ptp(y) <= tolerance:
        return Affine(float(y[0]), ())
    return _one(z, y, tolerance) or _several(z, y, tolerance) or _clipped(z, y, tolerance)


def _one(z: Floats, y: Floats, tolerance: float) -> Affine | None:
    """The number of the output as one drawn number explains it in all runs; None where none does."""
    if z.shape[1] == 0:
        return None
    centred, target = z - z.mean(axis=0), y - y.mean()
    norms = (centred**2).sum(axis=0)
    factors = np.divide(target @ centred, norms, out=np.zeros_like(norms), where=norms > 0)
    left_over = np.abs(target[:, None] - factors * centred).max(axis=0)
    best = int(np.argmin(left_over))
    if left_over[best] > tolerance:
        return None
    return Affine(float(y.mean() - factors[best] * z[:, best].mean()), ((best, float(factors[best])),))


def _several(z: Floats, y: Floats, tolerance: float) -> Affine | None:
    """Least squares on all numbers drawn, where there are clearly more runs than numbers."""
    if z.shape[1] + 4 > len(y):
        return None
    matrix = np.column_stack([np.ones(len(y)), z])
    solution = np.linalg.lstsq(matrix, y, rcond=None)[0]
    if np.abs(matrix @ solution - y).max() > tolerance:
        return None
    terms = [(place, float(factor)) for place, factor in enumerate(solution[1:])]
    return Affine(float(solution[0]), tuple(term for term in terms if abs(term[1]) > _EXACT))


def _clipped(z: Floats, y: Floats, tolerance: float) -> Affine | None:
    """One number drawn explains it in many of the runs: a line through two of them on which others lie, too.

    A random sign gives two such lines through the same value.
    """
    if not 0 < z.shape[1] <= _MOST_TRIED:
        return None
    one, other = np.triu_indices(len(y), 1)
    for place in range(z.shape[1]):
        steps = z[other, place] - z[one, place]
        some = steps != 0
        factors = (y[other] - y[one])[some] / steps[some]
        starts = y[one][some] - factors * z[one, place][some]
        close = np.abs(y - starts[:, None] - factors[:, None] * z[:, place]) <= tolerance
        hits = np.where(np.abs(factors) > _EXACT, close.sum(axis=1), 0)
        if hits.size and hits.max() >= _ON_A_LINE:
            best = int(np.argmax(hits))
            mirrored = np.abs(y - starts[best] + factors[best] * z[:, place]) <= tolerance
            signed = (mirrored & ~close[best]).sum() >= _MIRRORED
            always = bool(signed and (mirrored | close[best]).all())
            return Affine(float(starts[best]), ((place, float(factors[best])),), always, bool(signed))
    return None
