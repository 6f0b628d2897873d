"""Subsampling without replacement: m of n records (000 Section 4; the fixed-size twin of 002 Thm 5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.accounting import approximate, subsampling
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.grouped import draw_by_code
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import laplace_tail, subsampled_profile
from mechanisms.laplace import Laplace

_COUNT = Laplace(1.0)
_MANY = 2**16  # above this many subsets they are drawn, not listed


@dataclass(frozen=True)
class FixedSizeSubsampling(Mechanism):
    """M on `size` of `population` records, drawn without replacement.

    It holds under replace-one, for a base that is private under replace-one. Under add/remove the rate itself
    changes with the dataset: a base for add/remove alone is refused.
    """

    base: Mechanism = _COUNT
    size: int = 2
    population: int = 4

    id: ClassVar[str] = "fixed-size-subsampling"
    title: ClassVar[str] = "subsampling without replacement"
    source: ClassVar[str] = "000 Section 4; Balle, Barthe and Gaboardi 2018, Thm 9"

    def __post_init__(self) -> None:
        checks.whole("size", self.size)
        checks.whole("population", self.population, least=self.size)
        if Relation.REPLACE_ONE not in self.base.relations:
            claimed = ", ".join(sorted(self.base.relations))
            raise ValueError(f"fixed-size subsampling amplifies a base private for replace-one, got one for {claimed}")

    @property
    def rate(self) -> float:
        """m/n: the probability that a given record is sampled."""
        return self.size / self.population

    @property
    def claim(self) -> ApproxDP:
        """(ln(1 + (m/n) (e^epsilon - 1)), (m/n) delta)."""
        return subsampling(self.base.claim, self.rate)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """M(D_S): one call of the base for each subset that occurs."""
        if len(dataset) != self.population:
            raise ValueError(f"the dataset must have {self.population} records, got {len(dataset)}")
        subsets, codes = self.draw_subsets(n, rng)

        def draw(code: int, m: int) -> Outputs:
            return self.base.sample(tuple(dataset[i] for i in subsets[code]), m, rng)

        return draw_by_code(codes, draw)

    def draw_subsets(self, n: int, rng: np.random.Generator) -> tuple[Sequence[Sequence[int]], Outputs]:
        """The subsets that may occur, and n numbers of them."""
        if math.comb(self.population, self.size) <= _MANY:
            subsets = tuple(combinations(range(self.population), self.size))
            return subsets, rng.integers(len(subsets), size=n, dtype=np.uint16)
        keys = rng.random((n, self.population))
        drawn = np.sort(np.argpartition(keys, self.size - 1, axis=1)[:, : self.size], axis=1)
        rows, codes = np.unique(drawn, axis=0, return_inverse=True)
        return rows.tolist(), codes.reshape(-1)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """A record that is unlike all others, which are alike, against one that is like them."""
        return tuple(
            NeighbourPair(
                (odd,) + (usual,) * (self.population - 1),
                (usual,) * self.population,
                Relation.REPLACE_ONE,
                "the only record that is different",
            )
            for pair in self.base.neighbours()
            if pair.relation is Relation.REPLACE_ONE
            for odd, usual in _difference(pair)
        )

    def exact(self) -> Profile | None:
        """Attained where a sample without the odd record looks like the other dataset's, as in a count."""
        base = self.base.exact()
        return None if base is None else subsampled_profile(base, self.rate)


def _difference(pair: NeighbourPair) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """The two records in which a pair differs, both ways round."""
    a, b = next((a, b) for a, b in zip(pair.left, pair.right, strict=True) if a != b)
    return (a, b), (b, a)


class FixedSizeSubsamplingLinear(FixedSizeSubsampling):
    """Mutant: claims (m/n) epsilon, the first term of the formula; .5 against .620 by default."""

    id = "fixed-size-subsampling/linear-claim"
    of = "fixed-size-subsampling"
    title = "subsampling without replacement that claims (m/n) epsilon"

    @property
    def claim(self) -> ApproxDP:
        """Broken: ln(1 + (m/n) (e^epsilon - 1)) is larger."""
        base = approximate(self.base.claim)
        return ApproxDP(self.rate * base.epsilon, self.rate * base.delta)


class FixedSizeSubsamplingReplacement(FixedSizeSubsampling):
    """Mutant: the sample is drawn with replacement, so that one record can count up to m times."""

    id = "fixed-size-subsampling/with-replacement"
    of = "fixed-size-subsampling"
    title = "subsampling with replacement that claims as if without"

    def draw_subsets(self, n: int, rng: np.random.Generator) -> tuple[Sequence[Sequence[int]], Outputs]:
        """Broken: m independent draws."""
        drawn = np.sort(rng.integers(self.population, size=(n, self.size)), axis=1)
        rows, codes = np.unique(drawn, axis=0, return_inverse=True)
        return rows.tolist(), codes.reshape(-1)

    def exact(self) -> Profile | None:
        """Bin(m, 1/n) copies of the odd record: a mixture of shifts against none, worst above some point.

        The ratio rises with the output to (1 + (e^epsilon - 1)/n)^m, so m ln(1 + (e^epsilon - 1)/n) is exact.
        """
        if not isinstance(self.base, Laplace) or self.base.sensitivity != 1:
            return None
        eps, m, share = self.base.epsilon, self.size, 1 / self.population
        weights = [math.comb(m, j) * share**j * (1 - share) ** (m - j) for j in range(m + 1)]

        def delta(epsilon: float) -> float:
            def above(y: float) -> float:
                left = math.fsum(w * laplace_tail(eps * (y - j)) for j, w in enumerate(weights))
                return left - math.exp(epsilon) * laplace_tail(eps * y)

            return max(0.0, _largest(above, -40 / eps, m + 1.0))

        return NumericProfile(delta, "one-dimensional search")


def _largest(function: Any, low: float, high: float) -> float:
    """The maximum of a function that rises and then falls."""
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(120):
        width = (high - low) * ratio
        if function(high - width) < function(low + width):
            low = high - width
        else:
            high = low + width
    return float(function((low + high) / 2))
