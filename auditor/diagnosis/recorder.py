"""A random generator that writes down what it is asked for: method, parameters, and the numbers it gave.

It is a numpy Generator, draws the same numbers as the one it is made from, and needs no decorators: a mechanism that
is handed one as `rng` cannot tell.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_NUMBERS = 4096  # numbers of one call that are kept
_MOST_CALLS = 4096  # calls that are kept

# What each method is asked for beside a size, in the order of its arguments, with the defaults of numpy.
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "beta": {"a": None, "b": None},
    "binomial": {"n": None, "p": None},
    "bytes": {"length": None},
    "chisquare": {"df": None},
    "choice": {"a": None, "size": None, "replace": True, "p": None},
    "dirichlet": {"alpha": None},
    "exponential": {"scale": 1.0},
    "gamma": {"shape": None, "scale": 1.0},
    "geometric": {"p": None},
    "gumbel": {"loc": 0.0, "scale": 1.0},
    "integers": {"low": None, "high": None},
    "laplace": {"loc": 0.0, "scale": 1.0},
    "logistic": {"loc": 0.0, "scale": 1.0},
    "lognormal": {"mean": 0.0, "sigma": 1.0},
    "multinomial": {"n": None, "pvals": None},
    "multivariate_normal": {"mean": None, "cov": None},
    "negative_binomial": {"n": None, "p": None},
    "normal": {"loc": 0.0, "scale": 1.0},
    "permutation": {},
    "permuted": {},
    "poisson": {"lam": 1.0},
    "random": {},
    "rayleigh": {"scale": 1.0},
    "shuffle": {},
    "standard_cauchy": {},
    "standard_exponential": {},
    "standard_gamma": {"shape": None},
    "standard_normal": {},
    "standard_t": {"df": None},
    "triangular": {"left": None, "mode": None, "right": None},
    "uniform": {"low": 0.0, "high": 1.0},
    "weibull": {"a": None},
    "zipf": {"a": None},
}


@dataclass(frozen=True, eq=False)
class Call:
    """One call of the generator: the method, its parameters but the size, how many numbers it gave, and those."""

    method: str
    parameters: Mapping[str, Any]
    size: int
    values: npt.NDArray[np.float64] | None


@dataclass
class Log:
    """The calls so far, and whether somebody drew past them (from the bit generator itself)."""

    calls: list[Call]
    past_it: bool = False


class Recorder(np.random.Generator):
    """Draws what `Generator(bit_generator)` would draw, and records it in `log`."""

    def __init__(self, bit_generator: np.random.BitGenerator, log: Log | None = None) -> None:
        super().__init__(bit_generator)
        self.log = Log([]) if log is None else log
        self._inside = False  # a call that is made by another one, as choice calls integers
        self._state = str(bit_generator.state)

    def spawn(self, n_children: int) -> list[Any]:
        """Generators that write into the same log."""
        return [Recorder(child, self.log) for child in self.bit_generator.spawn(n_children)]

    def finished(self) -> Log:
        """The log, when the mechanism has returned."""
        self.log.past_it |= str(self.bit_generator.state) != self._state
        return self.log

    def record(self, method: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Calls the generator's own method and writes it down; what it calls itself is part of it."""
        own: Callable[..., Any] = getattr(super(), method)
        if self._inside:
            return own(*positional, **named)
        self.finished()
        self._inside = True
        try:
            given = own(*positional, **named)
        finally:
            self._inside = False
            self._state = str(self.bit_generator.state)
        if len(self.log.calls) < _MOST_CALLS:
            self.log.calls.append(_call(method, _parameters(method, positional, named), given))
        else:
            self.log.past_it = True
        return given


def _method(name: str) -> Callable[..., Any]:
    @functools.wraps(getattr(np.random.Generator, name))
    def recorded(self: Recorder, *positional: Any, **named: Any) -> Any:
        return self.record(name, positional, named)

    return recorded


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in ("bit_generator", "spawn"):
        setattr(Recorder, _name, _method(_name))


def _parameters(method: str, positional: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    names = PARAMETERS.get(method, {})
    found = {**names, **dict(zip(names, positional, strict=False)), **named}
    if method == "integers" and found["high"] is None:  # integers(10) is integers(0, 10)
        found["low"], found["high"] = 0, found["low"]
    if method == "choice":  # the number of things to choose from is kept, not the things, which may be data
        found["a"] = int(found["a"]) if np.ndim(found["a"]) == 0 else len(found["a"])
    return {name: found[name] for name in names if name != "size"}


def _call(method: str, parameters: Mapping[str, Any], given: Any) -> Call:
    kept = {name: _copied(value) for name, value in parameters.items()}
    if given is None or isinstance(given, bytes):  # shuffle, bytes
        return Call(method, kept, len(given or b""), None)
    array = np.asarray(given)
    numeric = array.dtype.kind in "biuf" and array.size <= _MOST_NUMBERS
    return Call(method, kept, math.prod(array.shape), array.astype(np.float64).ravel() if numeric else None)


def _copied(value: Any) -> Any:
    return np.array(value) if isinstance(value, (list, tuple, np.ndarray)) else value
