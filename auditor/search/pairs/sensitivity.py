"""sensitivity(): the largest difference that a function shows on neighbours, and the simplest pair that shows it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.errors import UsageError
from auditor.escaping import described, line
from auditor.search.pairs.sources import constants
from mechanisms.core import checks, records
from mechanisms.core.described import brief
from mechanisms.core.neighbours import NeighbourPair

Norm = str | Callable[[Any, Any], float | None]
NORMS = ("l1", "l2", "linf")
EXAMPLES = 600  # pairs that are looked at
_ROUNDING = 1e-9  # relative amount by which the simplest pair's difference may be below the largest
_SHRINKS = 500  # pairs that are tried to make the worst one simpler


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The largest difference found, where, and among how many pairs: a lower bound on the function's sensitivity."""

    value: float
    pair: NeighbourPair
    tried: int
    norm: str = "l1"

    def __str__(self) -> str:
        least = "infinite" if math.isinf(self.value) else f"at least {self.value:.6g}"
        tried = f"{self.tried} pairs were tried, others may be worse"
        return f"The {self.norm} sensitivity is {least}, on {self.pair}; {tried}."


def sensitivity(
    function: Callable[[Any], Any], pairs: Any, norm: Norm = "l1", *, examples: int = EXAMPLES, seed: int = 0
) -> Sensitivity:
    """The largest difference of `function(left)` and `function(right)` over pairs of neighbours: a lower bound.

    The value is infinite where one side only raises or has no number, or where the shapes differ. A pair on which the
    function raises on both sides is not counted.

    Args:
        function: Deterministic; it returns a number, an array, a dict of numbers, a frame, or nested ones of these.
        pairs: A list of pairs, or a strategy from `neighbouring`, which is then searched.
        norm: "l1", "l2" or "linf" of the difference, or a function of both outputs, whose None leaves a pair out. A key
            that one dict lacks counts as 0, and so does a row of a series or frame whose rows have labels.
        examples: How many pairs of a strategy are looked at.
    """
    if not callable(function):
        raise UsageError(f"sensitivity takes a function of a dataset, got function={function!r:.60}")
    distance = _Distance(function, norm)
    checks.whole("examples", examples)
    checks.whole("seed", seed, least=0)
    if isinstance(pairs, (list, tuple)):
        return _largest(distance, pairs)
    return _searched(distance, pairs, examples, seed)


def _largest(distance: _Distance, pairs: Iterable[Any]) -> Sensitivity:
    known = [pair if isinstance(pair, NeighbourPair) else NeighbourPair(*pair) for pair in pairs]
    found = [(value, pair) for pair in known if (value := distance(pair)) is not None]
    if not found:
        raise UsageError(f"sensitivity needs a pair on which the function does not raise, got none{distance.last()}")
    value, pair = max(found, key=lambda both: both[0])
    return Sensitivity(value, pair, len(found), distance.name)


def _searched(distance: _Distance, pairs: Any, examples: int, seed: int) -> Sensitivity:
    from auditor.search.pairs.strategies import driver

    hypothesis = driver(pairs)

    def look(pair: Any) -> Mapping[str, float] | None:
        value = distance(pair)
        return None if value is None else {"difference": value}

    found = hypothesis.climb(pairs, look, examples=examples, seed=seed, own=constants(distance.function))
    if not found:
        told = f"got none from the strategy{distance.last()}"
        raise UsageError(f"sensitivity needs a pair on which the function does not raise, {told}")
    most = max(one.scores["difference"] for one in found)
    least = most - _ROUNDING * abs(most) if math.isfinite(most) else most
    best = min((one for one in found if one.scores["difference"] >= least), key=lambda one: len(one.choices))

    def as_large(pair: Any) -> bool:
        value = distance(pair)
        return value is not None and value >= least

    pair = hypothesis.shrink(pairs, best, as_large, most=_SHRINKS, seed=seed).value
    value = distance(pair)
    assert value is not None
    return Sensitivity(value, pair, len(found), distance.name)


class _Distance:
    """The difference of a function's outputs on a pair, in a norm; None where the pair is not counted."""

    def __init__(self, function: Callable[[Any], Any], norm: Norm) -> None:
        if not callable(norm) and norm not in NORMS:
            raise UsageError(f"norm must be one of {NORMS} or a function of two outputs, got norm={norm!r:.60}")
        self.function, self.norm = function, norm
        self.name = norm if isinstance(norm, str) else getattr(norm, "__name__", "given")
        self._error: Exception | None = None

    def __call__(self, pair: NeighbourPair) -> float | None:
        outputs, raised = [], 0
        for data in (pair.left, pair.right):
            try:
                outputs.append(self.function(copy.deepcopy(data)))
            except Exception as error:
                raised, self._error = raised + 1, error
        if raised:
            return None if raised == 2 else math.inf
        if callable(self.norm):
            value = self.norm(*outputs)
            return None if value is None else float(value)
        return _norm(difference(*outputs), self.norm)

    def last(self) -> str:
        """What the function raised last, for a sentence that says that it raises."""
        return "" if self._error is None else f"; it raised {line(described(self._error), 200)}"


def _norm(values: npt.NDArray[np.float64], norm: str) -> float:
    if not len(values):
        return 0.0
    if not np.isfinite(values).all():
        return math.inf
    return float(np.linalg.norm(values, {"l1": 1, "l2": 2, "linf": np.inf}[norm]))


def difference(left: Any, right: Any) -> npt.NDArray[np.float64]:
    """The differences of all numbers in two outputs; infinite where only one side has a number, or shapes differ."""
    left, right = _by_label(left), _by_label(right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        keys = sorted({*left, *right}, key=repr)
        parts = [difference(left.get(key, 0.0), right.get(key, 0.0)) for key in keys]
        return np.concatenate(parts) if parts else np.empty(0)
    a, b = _numbers(left), _numbers(right)
    if a.shape != b.shape:
        return np.array([math.inf])
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, a - b)
    return np.asarray(np.where(np.isnan(gaps), math.inf, gaps)).reshape(-1)


def _by_label(output: Any) -> Any:
    """A series or frame whose rows have labels, as a dict of its numbers by label; anything else as it is."""
    if not records.is_frame(output) or type(output.index).__name__ == "RangeIndex" or output.index.has_duplicates:
        return output
    if not hasattr(output, "columns"):
        return dict(output.items())
    return {(label, name): value for name, column in output.items() for label, value in column.items()}


def _numbers(output: Any) -> npt.NDArray[np.float64]:
    try:
        return np.asarray(output, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"a function whose sensitivity is asked for returns numbers, got {brief(output)}; give norm= a function"
        ) from error
