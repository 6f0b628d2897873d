"""The same noise on both sides: by how much the outputs differ with the same random numbers, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.diagnosis.noise import Loss, Noise, law, loss
from auditor.diagnosis.runs import Runs
from auditor.diagnosis.structure import Affine, explained_columns
from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP

_SHOWN = 3  # numbers of an output that are named one by one
_CLOSE = 1e-6


@dataclass(frozen=True)
class Column:
    """One number of the output, which is a value plus noise on both sides."""

    name: str
    left: Affine
    right: Affine
    noise: tuple[Noise | None, Noise | None]

    @property
    def shift(self) -> float:
        """By how much the value differs; 0 for what is rounding."""
        close = math.isclose(self.left.value, self.right.value, rel_tol=_CLOSE, abs_tol=1e-9)
        return 0.0 if close else self.right.value - self.left.value

    @property
    def bare(self) -> bool:
        """True where the number is the value itself, without noise."""
        return not self.left.terms and not self.right.terms

    @property
    def scaled(self) -> bool:
        """True where the noise on the right dataset has another law."""
        first, second = self.noise
        return first is not None and second is not None and not first.same(second)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Which of the numbers drawn are in it; none where the sides differ in that."""
        left, right = (tuple(index for index, _ in side.terms) for side in (self.left, self.right))
        return left if left == right else ()


def shifts(runs: Runs, claim: Claim, delta: float) -> Iterator[str]:
    """Numbers without noise, noise that is used twice, noise of another size, or what the difference costs."""
    found = _columns(runs)
    said = [*_without_noise(found), *_used_twice(found), *_scaled(found)]
    yield from said or _cost(found, claim, delta) or _constant(runs)


def missing(runs: Runs) -> Iterator[str]:
    """Numbers of the output that are NaN or infinite on one side more often than on the other."""
    if len({run.numbers.size for run in runs.left + runs.right}) != 1 or runs.left[0].numbers.size < 2:
        return
    left, right = (np.array([run.numbers for run in side]) for side in (runs.left, runs.right))
    lost = [(~np.isfinite(side)).sum(axis=0) for side in (left, right)]
    names = _names(runs, left.shape[1])
    for index in np.flatnonzero(lost[0] != lost[1])[:_SHOWN]:
        odd = left if lost[0][index] > lost[1][index] else right
        value = odd[~np.isfinite(odd[:, index]), index][0]
        yield (
            f"{names[index]} is {value} in {lost[0][index]} of {len(left)} runs on the left and in "
            f"{lost[1][index]} on the right."
        )


def _names(runs: Runs, many: int) -> list[str]:
    known = dict(enumerate(runs.left[0].names))
    return [known.get(index, "the output" if many == 1 else f"x[{index}]") for index in range(many)]


def _columns(runs: Runs) -> list[Column]:
    left, right = explained_columns(runs.left) or [], explained_columns(runs.right) or []
    if len(left) != len(right):
        return []
    names = _names(runs, len(left))
    return [
        Column(name, a, b, (law(a, runs.left[0].calls), law(b, runs.right[0].calls)))
        for name, a, b in zip(names, left, right, strict=True)
        if a is not None and b is not None
    ]


def _without_noise(found: Sequence[Column]) -> list[str]:
    bare = [column for column in found if column.bare and column.shift][:_SHOWN]
    return [
        f"There is no noise on {column.name}: it is {_on_both(column.left.value, column.right.value)}."
        for column in bare
    ]


def _on_both(left: float, right: float) -> str:
    return f"{left:.6g} on the left and {right:.6g} on the right"


def _used_twice(found: Sequence[Column]) -> list[str]:
    """Two numbers of the output with the same noise: it cancels in a combination of them."""
    seen: dict[tuple[int, ...], Column] = {}
    for column in found:
        first = seen.setdefault(column.numbers, column)
        if first is column or not column.numbers or not _parallel(first.left, column.left):
            continue
        factor = column.left.terms[0][1] / first.left.terms[0][1]
        left, right = column.left.value - factor * first.left.value, column.right.value - factor * first.right.value
        if math.isclose(left, right, rel_tol=_CLOSE, abs_tol=_CLOSE):
            continue  # whatever cancels there, it is no difference between the sides
        times = "" if math.isclose(factor, 1) else f"{factor:.4g} times "
        return [
            f"Noise is used twice: {first.name} and {column.name} have the same, so {column.name} minus {times}"
            f"{first.name} has none; it is {_on_both(left, right)}."
        ]
    return []


def _parallel(one: Affine, other: Affine) -> bool:
    factors = [b / a for (_, a), (_, b) in zip(one.terms, other.terms, strict=True)]
    return all(math.isclose(factor, factors[0], rel_tol=_CLOSE) for factor in factors)


def _scaled(found: Sequence[Column]) -> list[str]:
    scaled = [column for column in found if column.scaled][:_SHOWN]
    parts = [f"{column.noise[0]} on the left, {column.noise[1]} on the right" for column in scaled]
    if len(found) > 1:
        parts = [f"that on {column.name} is {part}" for column, part in zip(scaled, parts, strict=True)]
    return [f"The noise depends on the data: {'; '.join(parts)}."] if parts else []


def _cost(found: Sequence[Column], claim: Claim, delta: float) -> list[str]:
    moved = [column for column in found if column.shift]
    noises = [column.noise[0] for column in moved if column.noise[0] is not None]
    sizes = [column.shift for column in moved]
    if not noises or len(noises) < len(moved) or not all(noise.same(noises[0]) for noise in noises):
        return []
    total = loss(sizes, noises)
    if total is None:
        return []
    one = len(moved) == 1
    size = math.hypot(*sizes) if total.kind == "mu" else sum(map(abs, sizes))
    norm = "" if one else " in l2 norm" if total.kind == "mu" else " in l1 norm"
    most = "" if all(column.left.always and column.right.always for column in moved) else "up to "
    noise = f"the noise {'' if one else 'on each number '}is {noises[0]}"
    return [
        f"With the same random numbers the outputs differ by {most}{size:.6g}{norm}, and {noise}: "
        f"{_implied(total, claim, delta)}."
    ]


def _implied(found: Loss, claim: Claim, delta: float) -> str:
    """The loss in the words of the claim."""
    match found.kind, claim:
        case "mu", GaussianDP(mu=mu):
            return f"that alone is mu {found.size:.4g}, {_times(found.size, mu)}"
        case "mu", ZCDP(rho=rho):
            return f"that alone is rho {found.size**2 / 2:.4g}, {_times(found.size**2 / 2, rho)}"
        case "mu", _ if delta == 0:
            return f"that alone is mu {found.size:.4g} of Gaussian DP, and no finite epsilon at delta 0"
        case "mu", _:
            own, claimed = GaussianDP(found.size).epsilon_at(delta), claim.epsilon_at(delta)
            text = f"that alone is mu {found.size:.4g} of Gaussian DP, epsilon {own:.4g} at delta {delta:.3g}"
            return f"{text}, {_times(own, claimed)}"
        case "delta", _:
            return (
                f"that alone is delta {found.size:.4g} at every epsilon, for some outputs are possible on one side only"
            )
        case "epsilon", _ if math.isinf(found.size):
            return "that alone is no finite epsilon, for some outputs are possible on one side only"
        case "epsilon", ApproxDP(epsilon=epsilon):
            return f"that alone is epsilon {found.size:.4g}, {_times(found.size, epsilon)}"
    return f"that alone is epsilon {found.size:.4g}"


def _times(own: float, claimed: float) -> str:
    if claimed <= 0 or not math.isfinite(claimed):
        return f"and {claimed:.4g} is claimed"
    if math.isclose(own, claimed, rel_tol=_CLOSE):
        return "as claimed, so the leak is not in this difference"
    return f"{own / claimed:.3g} times the claimed {claimed:.4g}"


def _constant(runs: Runs) -> list[str]:
    """The outputs always differ by the same amount, whatever the noise is."""
    pairs = list(zip(runs.left, runs.right, strict=True))
    if any(a.numbers.size != b.numbers.size or not a.numbers.size or a.text != b.text for a, b in pairs):
        return []
    differences = np.array([b.numbers - a.numbers for a, b in pairs])
    size = float(np.abs(differences).sum(axis=1).max())
    if not np.isfinite(differences).all() or not size or np.ptp(differences, axis=0).max() > _CLOSE * size:
        return []
    norm = " in l1 norm" if differences.shape[1] > 1 else ""
    return [f"With the same random numbers the outputs differ by {size:.6g}{norm} in every run."]
