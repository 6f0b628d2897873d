"""Poisson subsampling: each record is kept with probability q (002 Thm 5.4; 000 Lemma 4.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, ClassVar

import numpy as np

from mechanisms.composition import Composition
from mechanisms.core import checks
from mechanisms.core.accounting import approximate, basic_composition, subsampling
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.grouped import draw_by_code
from mechanisms.core.mechanism import Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.pieces import Piece
from mechanisms.core.profiles import finite_profile, subsampled_profile
from mechanisms.laplace import Laplace

_COUNT = Laplace(1.0)


@dataclass(frozen=True)
class PoissonSubsampling(Mechanism):
    """M on a dataset in which each record is kept with probability `rate`.

    002 prints its Thm 5.4 for datasets of n records, which are neighbours by replacement. There it fails for
    a base that is private for replace-one alone: whether the one record was sampled shows, and then nothing
    is amplified. It holds under add/remove, and under replace-one for a base that is private for both.
    """

    base: Mechanism = _COUNT
    rate: float = 0.1

    id: ClassVar[str] = "poisson-subsampling"
    title: ClassVar[str] = "Poisson subsampling"
    source: ClassVar[str] = "002 Thm 5.4; 000 Lemma 4.1"

    def __post_init__(self) -> None:
        checks.open_probability("rate", self.rate)
        self.check_base()

    def check_base(self) -> None:
        """Refuses a base that does not claim privacy for add/remove."""
        if Relation.ADD_REMOVE not in self.base.relations:
            claimed = ", ".join(sorted(self.base.relations))
            raise ValueError(f"Poisson subsampling amplifies a base private for add/remove, got one for {claimed}")

    @property
    def claim(self) -> ApproxDP:
        """(ln(1 + q (e^epsilon - 1)), q delta) (002 Thm 5.4)."""
        return subsampling(self.base.claim, self.rate)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """M(D_S): one call of the base for each subset that occurs."""
        if len(dataset) > 62:
            kept = rng.random((n, len(dataset))) < self.rate
            subsets, codes = np.unique(kept, axis=0, return_inverse=True)
            chosen = [tuple(compress(dataset, subset)) for subset in subsets]
            return draw_by_code(codes.reshape(-1), lambda i, m: self.base.sample(chosen[i], m, rng))
        codes = np.zeros(n, np.uint8 if len(dataset) <= 8 else np.int64)  # bit i: record i is kept
        for i in range(len(dataset)):
            codes |= (rng.random(n) < self.rate).astype(codes.dtype) << i
        return draw_by_code(codes, lambda code, m: self.base.sample(_subset(dataset, code), m, rng))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """One record against none, and the base's own pairs for the relations that hold."""
        pairs = self.base.neighbours()
        whole = next(pair for pair in pairs if pair.relation is Relation.ADD_REMOVE)
        record = max(whole.left, whole.right, key=len)[-1]
        alone = NeighbourPair((record,), (), Relation.ADD_REMOVE, "one record and nothing to hide it")
        return (alone, *pairs)

    def pieces(self, pair: NeighbourPair) -> tuple[Piece, ...]:
        """The base on a sample, where nothing but the record is sampled: one record against none."""
        if len(pair.left) == 1 and len(pair.right) == 0:
            return (Piece(self.base, pair.left, pair.right, rate=self.rate),)
        return ()

    def exact(self) -> Profile | None:
        """Attained on the first pair where that pair is worst for the base, as it is for a count."""
        base = self.base.exact()
        return None if base is None else subsampled_profile(base, self.rate)


def _subset(dataset: Sequence[Any], code: int) -> tuple[Any, ...]:
    """The records whose bit is set."""
    return tuple(record for i, record in enumerate(dataset) if code >> i & 1)


class PoissonSubsamplingLinear(PoissonSubsampling):
    """Mutant: claims q epsilon, the first term of the formula; .1 against .1586 by default."""

    id = "poisson-subsampling/linear-claim"
    of = "poisson-subsampling"
    title = "Poisson subsampling that claims q epsilon"

    @property
    def claim(self) -> ApproxDP:
        """Broken: ln(1 + q (e^epsilon - 1)) is larger."""
        base = approximate(self.base.claim)
        return ApproxDP(self.rate * base.epsilon, self.rate * base.delta)


@dataclass(frozen=True)
class OnlyRecord(Mechanism):
    """Randomized response of the only record, ⊥ without one: private for replace-one and for nothing else."""

    epsilon: float = 1.0

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP under replace-one."""
        return ApproxDP(self.epsilon)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """NaN without a record; else the bit, or its opposite with probability 1/(1 + e^epsilon)."""
        if not dataset:
            return np.full(n, math.nan)
        lies = rng.random(n) < 1 / (1 + math.exp(self.epsilon))
        return np.where(lies, 1.0 - dataset[0], float(dataset[0]))

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The record changes."""
        return (NeighbourPair((0,), (1,), Relation.REPLACE_ONE, "the only record changes"),)


_ONLY = OnlyRecord()


@dataclass(frozen=True)
class PoissonSubsamplingReplace(PoissonSubsampling):
    """Mutant: 002 Thm 5.4 as printed, for a base that is private under replace-one alone; truly epsilon."""

    base: Mechanism = _ONLY

    id: ClassVar[str] = "poisson-subsampling/replace-one-base"
    of: ClassVar[str | None] = "poisson-subsampling"
    title: ClassVar[str] = "Poisson subsampling of a base that is private for replace-one alone"

    def check_base(self) -> None:
        """Broken: anything goes."""

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The base's."""
        return self.base.neighbours()

    def exact(self) -> Profile | None:
        """⊥, the truth and the lie: when the record was sampled, its answer is as revealing as ever."""
        truth = self.rate / (1 + math.exp(-approximate(self.base.claim).epsilon))
        lie = self.rate - truth
        return finite_profile((1 - self.rate, truth, lie), (1 - self.rate, lie, truth))


@dataclass(frozen=True)
class PoissonSubsamplingOneSample(PoissonSubsampling):
    """Mutant: four runs on one sample, each claimed as if it had its own; truly the amplified composition."""

    base: Mechanism = Composition((_COUNT,) * 4)  # noqa: RUF009 - a frozen value

    id: ClassVar[str] = "poisson-subsampling/one-sample"
    of: ClassVar[str | None] = "poisson-subsampling"
    title: ClassVar[str] = "Poisson subsampling with one sample for several runs"

    @property
    def claim(self) -> ApproxDP:
        """Broken: 4 ln(1 + q (e^epsilon - 1)) instead of ln(1 + q (e^(4 epsilon) - 1))."""
        parts = self.base.parts if isinstance(self.base, Composition) else (self.base,)
        return basic_composition(*(subsampling(part.claim, self.rate) for part in parts))
