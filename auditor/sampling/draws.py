"""Mechanisms from other people's functions: one output a call, or a fixed number a call; exceptions as outputs."""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import MechanismError, UsageError
from auditor.events.outputs import check_count

_RAISED = "raised "
_MOST_ITEMS = 2**16  # of an iterator that is an output
GLOBALS = ("numpy", "random", "torch")  # global generators that can be seeded

Function = Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True)
class PerDraw:
    """A mechanism from a function that returns one output a call; see `per_draw`."""

    function: Function
    raises: tuple[type[BaseException], ...] = ()
    read: Callable[[Any], Any] | None = None
    seed: tuple[str, ...] = ()

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n calls."""
        with _seeded(self.seed, rng):
            if not self.raises and self.read is None:
                function = self.function
                return listed([function(dataset, rng) for _ in range(n)])
            return listed([self._one(dataset, rng) for _ in range(n)])

    def _one(self, dataset: Any, rng: np.random.Generator) -> Any:
        try:
            output = self.function(dataset, rng)
        except self.raises as error:
            return raised(error)
        return output if self.read is None else self.read(output)


def per_draw(
    function: Function,
    raises: type[BaseException] | tuple[type[BaseException], ...] = (),
    read: Callable[[Any], Any] | None = None,
    seed: str | tuple[str, ...] = (),
) -> PerDraw:
    """Wraps `function(dataset, rng) -> one output` as a mechanism.

    Args:
        function: Called once for each output.
        raises: Exceptions that are outputs: one of these classes becomes the text "raised ValueError". Its message is
            not looked at. Any other exception ends the audit.
        read: Takes an output apart: `read=lambda model: {"coef": model.coef_}`.
        seed: Global generators that the function draws from, out of "numpy", "random" and "torch". They are seeded from
            `rng` before the draws of each call and set back after them, so that an audit can be replayed.
    """
    if not callable(function):
        raise UsageError(f"per_draw takes a function of (dataset, rng), got {function!r:.60}")
    kinds = raises if isinstance(raises, tuple) else (raises,)
    if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
        raise UsageError(f"raises must be classes of exceptions, got raises={raises!r:.60}")
    if read is not None and not callable(read):
        raise UsageError(f"read must be a function of one output, got read={read!r:.60}")
    names = (seed,) if isinstance(seed, str) else tuple(seed)
    if not set(names) <= set(GLOBALS):
        raise UsageError(f"seed must be out of {', '.join(GLOBALS)}, got seed={seed!r:.60}")
    return PerDraw(function, kinds, read, names)


@dataclass(frozen=True)
class OneByOne:
    """A mechanism whose exceptions are outputs: it is asked for one output a call, and an array becomes a tuple."""

    sample: Callable[[Any, int, np.random.Generator], Any]

    def __call__(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n outputs, independent if the mechanism's own calls are."""
        return listed([self._one(dataset, rng) for _ in range(n)])

    def _one(self, dataset: Any, rng: np.random.Generator) -> Any:
        try:
            outputs = self.sample(dataset, 1, rng)
        except Exception as error:
            return raised(error)
        check_count(outputs, 1, "a mechanism")
        output = outputs.iloc[0] if hasattr(outputs, "iloc") else next(iter(outputs))
        return (*output.shape, *output.reshape(-1).tolist()) if isinstance(output, np.ndarray) else output


def listed(outputs: list[Any]) -> list[Any]:
    """The outputs; generators and other iterators, which can be read only once, as the lists of what they give."""
    if not any(issubclass(cls, Iterator) for cls in set(map(type, outputs))):
        return outputs
    return [_all_of(output) if isinstance(output, Iterator) else output for output in outputs]


def _all_of(output: Iterator[Any]) -> list[Any]:
    items = list(itertools.islice(output, _MOST_ITEMS + 1))
    if len(items) > _MOST_ITEMS:
        raise MechanismError(
            f"an output that is an iterator must end after at most {_MOST_ITEMS} items, got one that goes on; "
            "return a list"
        )
    return items


def raised(error: BaseException) -> str:
    """An exception as an output: its kind, and not its message."""
    return f"{_RAISED}{type(error).__name__}"


def is_raised(output: Any) -> bool:
    """Whether an output stands for an exception."""
    return isinstance(output, str) and output.startswith(_RAISED)


def with_raises(sample: Any, raises: str) -> Any:
    """The mechanism as it is for "error"; for "output" with its exceptions as outputs, which they may be already."""
    return sample if raises == "error" or isinstance(sample, OneByOne) else OneByOne(sample)


def without_raises(sample: Any) -> tuple[Any, str]:
    """The mechanism as it was given, and what its exceptions are: what `with_raises` was called with."""
    return (sample.sample, "output") if isinstance(sample, OneByOne) else (sample, "error")


@contextlib.contextmanager
def _seeded(names: tuple[str, ...], rng: np.random.Generator) -> Iterator[None]:
    """Seeds global generators from `rng`, and sets them back afterwards."""
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.callback(_seed_one(name, int(rng.integers(2**32))))
        yield


def _seed_one(name: str, seed: int) -> Callable[[], None]:
    """Seeds a global generator; what is returned sets it back."""
    if name == "numpy":
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed)  # noqa: NPY002
        return lambda: np.random.set_state(before)  # noqa: NPY002
    if name == "random":
        state = random.getstate()
        random.seed(seed)
        return lambda: random.setstate(state)
    torch = sys.modules.get("torch") or _torch()
    tensor = torch.get_rng_state()
    torch.manual_seed(seed)
    return lambda: torch.set_rng_state(tensor)


def _torch() -> Any:
    import importlib

    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"seed='torch' needs torch to be installed ({error})") from error


@dataclass(frozen=True)
class Batched:
    """A mechanism from a function that is always asked for the same number of outputs; see `batched`."""

    function: Callable[[Any, int, np.random.Generator], Any]
    size: int

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Any:
        """Makes as many calls as give n outputs; the remaining outputs of the last call are not used."""
        parts = [self.function(dataset, self.size, rng) for _ in range(-(-n // self.size))]
        for part in parts:
            check_count(part, self.size, "a batched function")
        if all(isinstance(part, np.ndarray) and part.dtype == parts[0].dtype for part in parts):
            return np.concatenate(parts)[:n]
        return [output for part in parts for output in part][:n]


def batched(function: Callable[[Any, int, np.random.Generator], Any], size: int) -> Batched:
    """Wraps `function(dataset, size, rng) -> size independent outputs` as a mechanism.

    The function is only ever asked for `size` outputs: a just-in-time compiler compiles it once, and a query over many
    groups gives a draw for each group. What an audit does not need of a call is thrown away: a `size` of some hundreds
    wastes little.
    """
    if not callable(function):
        raise UsageError(f"batched takes a function of (dataset, size, rng), got {function!r:.60}")
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise UsageError(f"size must be a whole number of at least 1, got size={size!r:.60}")
    return Batched(function, size)
