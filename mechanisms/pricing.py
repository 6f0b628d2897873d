"""Setting a price by the exponential mechanism: the apples of 003 and the bidders of 000."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import Profile
from mechanisms.core.mechanism import Accuracy, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain
from mechanisms.exponential import Exponential, logistic_profile

_RARE = "the highest price is rare, so that its probability moves almost as far as its odds"


class Pricing(Exponential):
    """A price with probability ~ exp(epsilon revenue / (2 Delta)), revenue = price * (buyers who pay it).

    The list of prices ends: with 003's {1.00, 1.01, ...} the normaliser and Delta would both be infinite. A
    record moves revenues one way only, by at most the highest price. So the log-odds of that price against
    the rest move by epsilon/2 at most; with enough buyers they come as close to any number as one likes.
    """

    @property
    def outcomes(self) -> Outputs:
        """The price list."""
        return self.prices()

    @staticmethod
    @abstractmethod
    def prices() -> Outputs:
        """All prices on offer, rising."""

    @property
    def sensitivity(self) -> float:
        """One buyer more or less at the highest price."""
        return float(self.prices()[-1])

    def scores(self, dataset: Sequence[float]) -> Outputs:
        """The revenue of every price: those who value the item at the price or above buy it."""
        values, prices = np.sort(np.asarray(dataset, dtype=float)), self.prices()
        revenue: Outputs = prices * (len(values) - np.searchsorted(values, prices, side="left"))
        return revenue

    def exact(self) -> Profile | None:
        """The highest price against the rest, where its revenue alone moves."""
        return logistic_profile(self.rate * float(self.prices()[-1]), step=0)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """000 Lemma 3.2 for the buyers of the first pair."""
        return self._utility(self.neighbours()[0].left)


@dataclass(frozen=True)
class Apples(Pricing):
    """The price of an apple, in cents from 1.00 to 5.00; valuations as in 003's example."""

    epsilon: float = 1.0

    id: ClassVar[str] = "apples"
    title: ClassVar[str] = "exponential mechanism: the price of apples"
    source: ClassVar[str] = "003 Example: Items for sale"

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @staticmethod
    def prices() -> Outputs:
        """1.00, 1.01, ..., 5.00."""
        return np.arange(100, 501) / 100

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Two prices with the same revenue; the notes' buyers; one buyer; a highest price that is rare."""
        even = (5.0,) * 40 + (4.0,) * 10
        uneven = (5.0,) * 400 + (4.0,) * 109
        return (
            NeighbourPair(even, (5.0, *even[:-1]), Relation.REPLACE_ONE, "4.00 and 5.00 earned the same"),
            NeighbourPair((1.0, 1.0, 1.0, 4.01), (1.0,) * 3, Relation.ADD_REMOVE, "the best customer leaves"),
            NeighbourPair((1.0,), (4.01,), Relation.REPLACE_ONE, "the only customer changes"),
            NeighbourPair(uneven, (5.0, *uneven[:-1]), Relation.REPLACE_ONE, _RARE),
        )


@dataclass(frozen=True)
class Bidders(Pricing):
    """The price of an item for bidders, in whole dollars from 1 to 6; valuations as in 000's example."""

    epsilon: float = 1.0

    id: ClassVar[str] = "bidders"
    title: ClassVar[str] = "exponential mechanism: a price for bidders"
    source: ClassVar[str] = "000 Section 3, bidders who value an item at 1, 2 and 5"

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @staticmethod
    def prices() -> Outputs:
        """1, 2, ..., 6."""
        return np.arange(1.0, 7.0)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Two prices with the same revenue; the notes' bidders; one bidder; a highest price that is rare."""
        even = (6.0,) * 50 + (5.0,) * 10
        uneven = (6.0,) * 50 + (5.0,) * 20
        return (
            NeighbourPair(even, (6.0, *even[:-1]), Relation.REPLACE_ONE, "5 and 6 earned the same"),
            NeighbourPair((1.0, 2.0, 5.0), (1.0, 2.0), Relation.ADD_REMOVE, "the highest bidder leaves"),
            NeighbourPair((2.0,), (5.0,), Relation.REPLACE_ONE, "the only bidder changes"),
            NeighbourPair(uneven, (6.0, *uneven[:-1]), Relation.REPLACE_ONE, _RARE),
        )


class _UnitSensitivity:
    """Broken: Delta = 1, as if a revenue were a count."""

    epsilon: float

    @property
    def rate(self) -> float:
        """epsilon / 2, whatever the prices."""
        return self.epsilon / 2


class _PricesFromTheData(Pricing):
    """Broken: only prices that are somebody's valuation can be set."""

    def scores(self, dataset: Sequence[float]) -> Outputs:
        """Revenues, with the prices that nobody named struck out."""
        named = np.isin(self.prices(), dataset)
        revenue = super().scores(dataset)
        return np.where(named, revenue, -np.inf) if named.any() else revenue

    def exact(self) -> Profile | None:
        """With one buyer the price is that buyer's valuation."""
        return certain("with one record the output is the record")


class ApplesUnitSensitivity(_UnitSensitivity, Apples):
    """Mutant: the sensitivity of a count, truly 5 epsilon / 2."""

    id = "apples/unit-sensitivity"
    of = "apples"
    title = "apples with sensitivity 1"


class ApplesPricesFromTheData(_PricesFromTheData, Apples):
    """Mutant: the price list is the list of valuations."""

    id = "apples/prices-from-data"
    of = "apples"
    worst = 2
    title = "apples priced at somebody's valuation"


class BiddersUnitSensitivity(_UnitSensitivity, Bidders):
    """Mutant: the sensitivity of a count, truly 3 epsilon."""

    id = "bidders/unit-sensitivity"
    of = "bidders"
    title = "bidders with sensitivity 1"


class BiddersPricesFromTheData(_PricesFromTheData, Bidders):
    """Mutant: the price list is the list of valuations."""

    id = "bidders/prices-from-data"
    of = "bidders"
    worst = 2
    title = "bidders charged somebody's valuation"
