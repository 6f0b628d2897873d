"""The mean of every attribute (001 Example II)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mechanisms.core.claims import Profile
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.core.queries import TEN_ROWS, CountingQueries, attributes, replaced
from mechanisms.laplace import laplace_noise
from mechanisms.noisy_queries import NoisyQueries


@dataclass(frozen=True)
class AttributeMeans(NoisyQueries):
    """The three column means of 001 Example II, with noise for their joint sensitivity 3/n."""

    id: ClassVar[str] = "attribute-means"
    title: ClassVar[str] = "attribute means"
    source: ClassVar[str] = "001 Example II; 003 Laplace theorem"
    queries: ClassVar[CountingQueries] = attributes(3)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """000 becomes 111: every mean moves by 1/n."""
        return (
            NeighbourPair(TEN_ROWS, replaced(TEN_ROWS, 0, (1, 1, 1)), Relation.REPLACE_ONE, "every mean moves by 1/n"),
            NeighbourPair(TEN_ROWS, replaced(TEN_ROWS, 4, (0, 1, 0)), Relation.REPLACE_ONE, "001's D': one mean moves"),
        )


class AttributeMeansEachAlone(AttributeMeans):
    """Mutant: each mean gets the noise it would need alone, Lap(1/(n epsilon)); truly 3 epsilon."""

    id = "attribute-means/each-alone"
    of = "attribute-means"
    title = "attribute means with the noise of a single one"

    @property
    def covered(self) -> float:
        """Broken: the sensitivity of one mean."""
        return 1.0


class AttributeMeansFirstOnly(AttributeMeans):
    """Mutant: only the first mean is noisy; the others are published as they are."""

    id = "attribute-means/first-only"
    of = "attribute-means"
    title = "attribute means with noise on the first alone"

    def noise(self, dataset: Sequence[Hashable], n: int, rng: np.random.Generator) -> Outputs:
        """Broken: the second and third coordinates stay zero."""
        noise = np.zeros((n, len(self.queries.names)))
        noise[:, 0] = laplace_noise(self.scale(dataset), n, rng)
        return noise

    def exact(self) -> Profile | None:
        """A mean without noise tells neighbours apart for certain."""
        return certain("two means carry no noise")
