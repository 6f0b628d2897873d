"""Name and shame (002 Lemma 5.2): every record is published with probability delta. Private by the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.mechanism import Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain


@dataclass(frozen=True)
class NameAndShame(Mechanism):
    """y_i = x_i with probability delta, nothing (NaN) otherwise (002 Lemma 5.2, proof)."""

    delta: float = 0.01

    id: ClassVar[str] = "name-and-shame"
    title: ClassVar[str] = "name and shame"
    source: ClassVar[str] = "002 Lemma 5.2, proof"

    def __post_init__(self) -> None:
        checks.open_probability("delta", self.delta)

    @property
    def claim(self) -> ApproxDP:
        """(0, delta)-DP (002 Lemma 5.2, proof)."""
        return ApproxDP(0.0, self.delta)

    @property
    def rate(self) -> float:
        """The probability with which a record is published."""
        return self.delta

    def sample(self, dataset: Sequence[float], n: int, rng: np.random.Generator) -> Outputs:
        """(y_1, ..., y_n)   (5.3)."""
        records = np.asarray(dataset, dtype=float)
        published = np.flatnonzero(rng.random((n, records.size)) < self.rate)
        outputs = np.full((n, records.size), self.nothing(records))
        outputs.reshape(-1)[published] = records.take(published % records.size)
        return outputs

    def nothing(self, records: Outputs) -> float:
        """What stands for a record that is not published."""
        return float("nan")

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """A replaced record is told from the other whenever it is published."""
        return (
            NeighbourPair((31.0, 45.0, 62.0), (31.0, 45.0, 70.0), Relation.REPLACE_ONE, "one record is replaced"),
            NeighbourPair((31.0,), (45.0,), Relation.REPLACE_ONE, "the only record is replaced"),
        )

    def exact(self) -> Profile | None:
        """Publishing the replaced record has probability `rate` against 0, at every epsilon."""
        return NumericProfile(lambda e: self.rate)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """Some record is published with probability 1 - (1 - delta)^n, about n delta (002 Lemma 5.2)."""
        records = 50
        released = 1 - (1 - self.delta) ** records
        return (
            Accuracy(
                f"someone among {records} is shamed with probability {released:.4g}",
                tuple(float(age) for age in range(20, 20 + records)),
                released,
                lambda outputs: np.asarray((outputs == outputs).any(axis=1)),  # NaN is not itself
            ),
        )


class NameAndShameTwice(NameAndShame):
    """Mutant: the coin is tossed twice, truly (0, 2 delta)."""

    id = "name-and-shame/double-rate"
    of = "name-and-shame"
    title = "name and shame at twice the rate"

    @property
    def rate(self) -> float:
        """Broken: 2 delta."""
        return min(1.0, 2 * self.delta)


class NameAndShameImputed(NameAndShame):
    """Mutant: gaps are filled with the mean of all records, which every record moves."""

    id = "name-and-shame/imputed"
    of = "name-and-shame"
    title = "name and shame with gaps filled by the mean"

    def nothing(self, records: Outputs) -> float:
        """Broken: the true mean of the data."""
        return float(records.mean())

    def exact(self) -> Profile | None:
        """A gap shows the mean and no gap shows the record: each tells the two datasets apart."""
        return certain("every output shows the mean or the record")
