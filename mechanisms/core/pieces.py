"""Independent pieces of a mechanism: what it is composed of on one pair of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mechanisms.core.mechanism import Outputs


@dataclass(frozen=True)
class Piece:
    """`times` independent runs of a mechanism on (left, right); with a `rate`, each on a Poisson sample of its own.

    The outputs of all pieces together can be computed from the whole mechanism's output, so what can be told from
    them can be told from it: a lower bound on the pieces' composition holds for the whole.
    """

    sample: Any  # a mechanism, or a function (dataset, n, rng)
    left: Any
    right: Any
    times: int = 1
    rate: float | None = None  # `left` has the record then, and nothing else is sampled


@dataclass(frozen=True)
class Coordinate:
    """One coordinate of a mechanism whose output is a vector."""

    base: Any
    index: int = 0

    @property
    def id(self) -> str:
        """For the names of streams and messages."""
        return f"coordinate {self.index} of {self.base.id}"

    @property
    def views(self) -> tuple[str, ...]:
        """As the base is looked at."""
        views: tuple[str, ...] = self.base.views
        return views

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """That column of the base's outputs."""
        return np.asarray(self.base.sample(dataset, n, rng)[:, self.index])
