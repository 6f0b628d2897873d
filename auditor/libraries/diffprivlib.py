"""diffprivlib's mechanisms, tools and models as mechanisms (written for diffprivlib 0.6.6).

Neighbours: a mechanism takes a number (or a label); two that differ by its `sensitivity` at most are neighbours. For
tools and models the relation is read from the sensitivities in the source. `mean`, `var`, `std` and `sum` use the width
of the bounds and take the number of records as known: a record is replaced by another one. `histogram` uses 1: a record
is added or removed. A pair of the other relation may refute a tool that does what it is meant to do: that is a
difference of definitions.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, approx_dp, in_workers, missing
from auditor.sampling.built import BuiltInWorker
from auditor.sampling.draws import per_draw


def mechanism(mechanism: Any) -> Adapted | BuiltInWorker:
    """A mechanism of diffprivlib: an output is `mechanism.randomise(dataset)`, the claim its epsilon and delta.

    The library draws from the system's randomness: an audit of it cannot be replayed. Such an object cannot be sent to
    another process: for several workers or a time limit give a function without arguments that makes it.
    """
    _budget()
    if not hasattr(mechanism, "randomise") and callable(mechanism) and not inspect.isclass(mechanism):
        return in_workers(mechanism, _randomised)
    return _randomised(mechanism)


def tool(function: Callable[..., Any], **settings: Any) -> Adapted:
    """A tool of diffprivlib: an output is `function(dataset, **settings)`, the claim the epsilon of the settings.

    Each call has a BudgetAccountant of its own, without a limit: one for all would grow with each draw.
    """
    if not callable(function) or "accountant" not in inspect.signature(function).parameters:
        raise UsageError(f"tool takes a function of diffprivlib.tools, got {function!r:.60}")
    _check_settings(settings)
    _budget()
    epsilon = settings.get("epsilon", inspect.signature(function).parameters["epsilon"].default)
    return Adapted(function.__name__, approx_dp(epsilon), per_draw(Tool(function, settings)).sample)


def model(model: Any, read: Callable[[Any], Any]) -> Adapted:
    """A model of diffprivlib: an output is `read(fitted model)`, the claim the model's epsilon.

    Args:
        model: A model, of which only the parameters are used: each draw fits a new one, with its own accountant.
        read: Takes what is released out of a fitted model: `lambda model: (model.coef_, model.intercept_)`.

    The dataset of an audit is X, or the tuple (X, y).
    """
    if not hasattr(model, "get_params") or not hasattr(model, "epsilon"):
        raise UsageError(f"model takes a model of diffprivlib.models, got {model!r:.60}")
    parameters = {name: value for name, value in model.get_params(deep=False).items() if name != "accountant"}
    _check_settings(parameters)
    _budget()
    draws = per_draw(Fit(type(model), parameters), read=read)
    return Adapted(type(model).__name__, approx_dp(model.epsilon), draws.sample)


def _randomised(mechanism: Any) -> Adapted:
    if not callable(getattr(mechanism, "randomise", None)) or inspect.isclass(mechanism):
        raise UsageError(f"mechanism takes an object of diffprivlib.mechanisms, got {mechanism!r:.60}")
    _check_settings({"random_state": mechanism.random_state})
    claim = approx_dp(mechanism.epsilon, mechanism.delta)
    return Adapted(type(mechanism).__name__, claim, per_draw(lambda value, rng: mechanism.randomise(value)).sample)


def _check_settings(settings: Mapping[str, Any]) -> None:
    """A seed would give the same output on each draw, and an accountant of the caller would add up all draws."""
    for name in ("random_state", "accountant"):
        if settings.get(name) is not None:
            raise UsageError(f"{name} must be left out in an audit, got {name}={settings[name]!r:.60}")


def _budget() -> Any:
    try:
        from diffprivlib import BudgetAccountant
    except ImportError as error:
        raise missing("diffprivlib", error, " 'scikit-learn<=1.7.2'") from error
    return BudgetAccountant()


@dataclass(frozen=True)
class Tool:
    """Calls a tool with an accountant of its own."""

    function: Callable[..., Any]
    settings: dict[str, Any]

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return self.function(dataset, **{**self.settings, "accountant": _budget()})


@dataclass(frozen=True)
class Fit:
    """Fits a new model with an accountant of its own."""

    kind: type[Any]
    parameters: dict[str, Any]

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """One fitted model."""
        model = self.kind(**self.parameters, accountant=_budget())
        return model.fit(*dataset) if isinstance(dataset, tuple) else model.fit(dataset)
