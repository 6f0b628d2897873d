"""python-dp's algorithms as mechanisms (written for python-dp 1.1, on Google's C++ library).

Neighbours: one user's records added or removed. By default a user has one record in one partition; `linf_sensitivity`
records in each of `l0_sensitivity` partitions are covered where an algorithm takes these settings.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, approx_dp, missing
from auditor.sampling.draws import per_draw


def algorithm(kind: type[Any], **settings: Any) -> Adapted:
    """An algorithm of python-dp: an output is `kind(**settings).quick_result(dataset)`.

    The claim is its epsilon and delta.

    Each draw has an object of its own, so that no entries or budget are left from the draw before, and workers need not
    be sent one: objects of C++ cannot be. The library draws from its own generator: an audit of it cannot be replayed.

    Args:
        kind: The class, such as `pydp.algorithms.laplacian.BoundedSum`.
        settings: Its arguments: `epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int"`.
    """
    try:
        import pydp  # noqa: F401
    except ImportError as error:
        raise missing("python-dp", error) from error
    if not inspect.isclass(kind) or not hasattr(kind, "quick_result"):
        raise UsageError(f"algorithm takes a class of pydp.algorithms.laplacian, got {kind!r:.60}")
    try:
        made: Any = kind(**settings)
    except (TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise UsageError(f"{kind.__name__} must take the settings, got {settings!r:.200}: {error}") from error
    return Adapted(kind.__name__, approx_dp(made.epsilon, made.delta), per_draw(Algorithm(kind, settings)).sample)


@dataclass(frozen=True)
class Algorithm:
    """Runs a new algorithm on the entries of a dataset."""

    kind: type[Any]
    settings: dict[str, Any]

    def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return self.kind(**self.settings).quick_result(list(dataset))
