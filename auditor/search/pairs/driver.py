"""Hypothesis as a search: corners, generation and targeting to climb; shrinking to read.

Everything is decided by the seed. So there is no database, no deadline and no health check, and the constants that
hypothesis collects from whatever modules happen to be imported are left out: two runs of one process would differ.
Names of hypothesis that are not public stand in this file and in `corners`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis._settings import local_settings
from hypothesis.control import current_build_context
from hypothesis.errors import BackendCannotProceed, NoSuchExample, Unsatisfiable
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies import SearchStrategy

from auditor.search.pairs.corners import Corner, Corners, corner_plan

_ONE_AT_A_TIME = threading.RLock()
_LEFT_OUT = 4  # values that are left out for each one that may be tried
_HIGHEST = 1e300  # hypothesis climbs finite scores only


@dataclass(frozen=True)
class Found:
    """A value that was looked at: the choices that make it, and how it scored."""

    value: Any
    choices: tuple[Any, ...] = field(repr=False)
    scores: Mapping[str, float]


Look = Callable[[Any], Mapping[str, float] | None]


class _Enough(BaseException):
    """Ends a climb early: nothing that hypothesis takes for a failing example."""


def climb(
    strategy: SearchStrategy[Any],
    look: Look,
    *,
    examples: int,
    seed: int,
    own: Sequence[object] = (),
    corners: Sequence[Corner] | None = None,
    enough: Callable[[Found], bool] = lambda _: False,
) -> list[Found]:
    """Everything that was looked at, in that order: corners, then hypothesis's own values, climbing every score.

    `look` gives the scores of a value, or None where the value is of no use. `own` are constants to be tried.
    `corners` are the plan of the first examples, two in five where it is not given. After a value that is `enough`
    nothing else is looked at.
    """
    found: dict[str, Found | None] = {}
    failure: list[BaseException] = []

    def test(value: Any) -> None:
        if failure:
            return
        choices = _choices()
        key = repr(choices)
        if key not in found:
            try:
                scores = look(value)
            except Exception as error:  # told to the caller as it is, and not as a failing example
                failure.append(error)
                return
            found[key] = None if scores is None else Found(value, choices, dict(scores))
            if (new := found[key]) is not None and enough(new):
                raise _Enough
        seen = found[key]
        for label, score in (seen.scores if seen is not None else {}).items():
            hypothesis.target(min(score, _HIGHEST), label=label)

    backend = Corners.of(corner_plan(2 * examples // 5) if corners is None else corners, own)
    with _reproducible(backend) as name:
        settings = _settings(name, examples, (Phase.generate, Phase.target))
        with contextlib.suppress(Unsatisfiable, _Enough), local_settings(settings):
            _run(strategy, test, settings, seed)
    if failure:
        raise failure[0]
    return [one for one in found.values() if one is not None]


def shrink(
    strategy: SearchStrategy[Any],
    start: Found,
    keeps: Callable[[Any], bool],
    *,
    most: int,
    seed: int,
    worth: Callable[[Any], bool] = lambda _: True,
) -> Found:
    """The simplest value that hypothesis finds from `start` on, among those that `keeps` accepts, in `most` tries.

    A value that is not `worth` a try is left out, and is no try.
    """
    known: dict[str, bool] = {repr(start.choices): True}
    best, tries = start, 0

    def accepted(value: Any) -> bool:
        nonlocal best, tries
        choices = _choices()
        key = repr(choices)
        if key not in known:
            trying = tries < most and len(known) <= _LEFT_OUT * most and worth(value)
            tries += trying
            known[key] = trying and keeps(value)
            if known[key]:
                best = Found(value, choices, {})
        return known[key]

    with _reproducible(_replay(start.choices)) as name:
        settings = _settings(name, 10, (Phase.generate, Phase.shrink))
        with contextlib.suppress(NoSuchExample), local_settings(settings):
            hypothesis.find(strategy, accepted, settings=settings, random=Random(seed))
    return best


def _run(strategy: SearchStrategy[Any], test: Callable[[Any], None], settings: Any, seed: int) -> None:
    hypothesis.seed(seed)(settings(hypothesis.given(strategy)(test)))()


def _choices() -> tuple[Any, ...]:
    """The choices that the value of the current test case was made of, but for those that hypothesis forced."""
    return tuple(node.value for node in current_build_context().data.nodes if not node.was_forced)


def _replay(choices: Sequence[Any]) -> type[providers.HypothesisProvider]:
    """A backend that makes these choices once, and then leaves the field to hypothesis."""
    first = [True]

    class Replay(providers.HypothesisProvider):
        """Draws what was drawn before."""

        def __init__(self, data: Any, /) -> None:
            super().__init__(data)
            self._next = iter(choices if first.pop() else ()) if first else iter(())

        def _again(self, *_: Any, **__: Any) -> Any:
            for choice in self._next:
                return choice
            raise BackendCannotProceed("exhausted")

        draw_boolean = draw_integer = draw_float = draw_string = draw_bytes = _again

    return Replay


def _settings(backend: str, examples: int, phases: tuple[Phase, ...]) -> hypothesis.settings:
    return hypothesis.settings(
        max_examples=examples,
        phases=phases,
        backend=backend,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )


@contextlib.contextmanager
def _reproducible(backend: type[providers.PrimitiveProvider]) -> Iterator[str]:
    """The backend under a name, while hypothesis knows no constants of the modules that happen to be imported."""
    provider: Any = providers.HypothesisProvider
    own = provider.__dict__["_local_constants"]
    with _ONE_AT_A_TIME:
        name = "dp-audit"
        nested = providers.AVAILABLE_PROVIDERS.get(name)
        providers.AVAILABLE_PROVIDERS[name] = backend
        provider._local_constants = Constants()
        providers.CONSTANTS_CACHE.cache.clear()
        try:
            yield name
        finally:
            provider._local_constants = own
            providers.CONSTANTS_CACHE.cache.clear()
            if nested is None:
                del providers.AVAILABLE_PROVIDERS[name]
            else:
                providers.AVAILABLE_PROVIDERS[name] = nested
