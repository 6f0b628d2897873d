"""Randomized response (001 Algorithm 1): the records, their mean, and the mean with the bias taken out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, Profile
from mechanisms.core.mechanism import Accuracy, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain

_TEN = (0, 1, 0, 1, 0, 0, 1, 0, 0, 0)
_TEN_CHANGED = (1, *_TEN[1:])


@dataclass(frozen=True)
class Answers(Mechanism):
    """Each record tells its bit with probability e^epsilon / (1 + e^epsilon) and the opposite otherwise."""

    epsilon: float = 1.0

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP (001 Privacy Theorem)."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def keep(self) -> float:
        """e^epsilon / (1 + e^epsilon)   (001 Algorithm 1, line 3)."""
        return 1 / (1 + math.exp(-self.epsilon))

    def coins(self, n: int, records: int, rng: np.random.Generator) -> Outputs:
        """True where a record lies: one coin for each record and draw."""
        lies: Outputs = rng.random((n, records)) >= self.keep
        return lies

    def answers(self, dataset: Sequence[int], n: int, rng: np.random.Generator) -> Outputs:
        """S_1, ..., S_|D| for each draw, as booleans."""
        truth = np.asarray(dataset, dtype=bool)
        told: Outputs = np.logical_xor(self.coins(n, truth.size, rng), truth)
        return told

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """Any changed bit is equally bad for the records; for their mean, one record alone is the worst."""
        return (
            NeighbourPair((0,), (1,), Relation.REPLACE_ONE, "the only record changes"),
            NeighbourPair(_TEN, _TEN_CHANGED, Relation.REPLACE_ONE, "one record of ten changes"),
        )

    def exact(self) -> Profile | None:
        """Attained: a binary answer that is kept with this probability is the worst epsilon-DP mechanism."""
        return ApproxDP(epsilon=math.log(self.keep / (1 - self.keep)))


@dataclass(frozen=True)
class RandomizedResponse(Answers):
    """The vector of all answers."""

    id: ClassVar[str] = "randomized-response"
    title: ClassVar[str] = "randomized response, the records"
    source: ClassVar[str] = "001 Algorithm 1, lines 2-4, and privacy theorem"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """S_1, ..., S_|D|."""
        return self.answers(dataset, n, rng).view(np.int8)


@dataclass(frozen=True)
class RandomizedResponseMean(Answers):
    """The mean of the answers (001 Algorithm 1, line 5)."""

    id: ClassVar[str] = "randomized-response-mean"
    title: ClassVar[str] = "randomized response, the mean"
    source: ClassVar[str] = "001 Algorithm 1, privacy theorem and accuracy theorem"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """sum S / |D|."""
        answers = self.answers(dataset, n, rng).view(np.int8)
        total = np.einsum("ij->i", answers, dtype=np.int64)  # twice as fast as .sum(axis=1)
        return np.asarray(total / answers.shape[1])

    def debias(self, mean: Outputs) -> Outputs:
        """(1 + e^epsilon)/(e^epsilon - 1) (r - 1/(1 + e^epsilon))   (001 Accuracy Theorem)."""
        return (mean - 1 / (1 + math.exp(self.epsilon))) / math.tanh(self.epsilon / 2)

    def estimate(self, outputs: Outputs) -> Outputs:
        """What the accuracy theorem compares with q(D)."""
        return self.debias(outputs)

    def accuracy(self) -> tuple[Accuracy, ...]:
        """The debiased error is at least c sqrt(ln(2/beta)/2n) with probability at most beta (001)."""
        records, ones, beta = 400, 40, 0.05
        limit = math.sqrt(math.log(2 / beta) / (2 * records)) / math.tanh(self.epsilon / 2)
        return (
            Accuracy(
                f"the debiased error is at least {limit:.4g} with probability at most {beta}",
                (1,) * ones + (0,) * (records - ones),
                beta,
                lambda outputs: np.abs(self.estimate(outputs) - ones / records) >= limit,
            ),
        )


@dataclass(frozen=True)
class RandomizedResponseDebiased(RandomizedResponseMean):
    """The mean with the bias taken out, which is post-processing (001 Accuracy Theorem, Proposition 1.1)."""

    id: ClassVar[str] = "randomized-response-debiased"
    title: ClassVar[str] = "randomized response, the debiased mean"
    source: ClassVar[str] = "001 Algorithm 1, accuracy theorem, Proposition 1.1"

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The debiased mean."""
        return self.debias(super().sample(dataset, n, rng))

    def estimate(self, outputs: Outputs) -> Outputs:
        """The output is the estimate."""
        return outputs


class _LinearKeep(Answers):
    """Broken: the bit is kept with probability 1/2 + epsilon/4, the tangent of the right one at 0."""

    def __post_init__(self) -> None:
        if checks.positive("epsilon", self.epsilon) >= 2:
            raise ValueError(f"epsilon must be below 2 for a probability, got epsilon={self.epsilon!r}")

    @property
    def keep(self) -> float:
        """Truly ln(p/(1-p)): 1.0986 for epsilon = 1."""
        return 0.5 + self.epsilon / 4


class _SharedCoin(Answers):
    """Broken: one coin decides for all records, so all answers are true or all are false."""

    def coins(self, n: int, records: int, rng: np.random.Generator) -> Outputs:
        """One coin for each draw."""
        return super().coins(n, 1, rng)

    def exact(self) -> Profile | None:
        """Up to one coin, the output is the dataset (or its count); most neighbours share no output."""
        return certain("the answers agree with the dataset up to one coin")


class RandomizedResponseLinear(_LinearKeep, RandomizedResponse):
    """Mutant: p = 1/2 + epsilon/4."""

    id = "randomized-response/linear-probability"
    of = "randomized-response"
    title = "randomized response with p = 1/2 + epsilon/4"


class RandomizedResponseSharedCoin(_SharedCoin, RandomizedResponse):
    """Mutant: one coin for all records."""

    id = "randomized-response/shared-coin"
    of = "randomized-response"
    worst = 1
    title = "randomized response with one coin for all"


class RandomizedResponseMeanLinear(_LinearKeep, RandomizedResponseMean):
    """Mutant: p = 1/2 + epsilon/4."""

    id = "randomized-response-mean/linear-probability"
    of = "randomized-response-mean"
    title = "randomized response mean with p = 1/2 + epsilon/4"


class RandomizedResponseMeanSharedCoin(_SharedCoin, RandomizedResponseMean):
    """Mutant: one coin for all records."""

    id = "randomized-response-mean/shared-coin"
    of = "randomized-response-mean"
    worst = 1
    title = "randomized response mean with one coin for all"


class RandomizedResponseDebiasedLinear(_LinearKeep, RandomizedResponseDebiased):
    """Mutant: p = 1/2 + epsilon/4."""

    id = "randomized-response-debiased/linear-probability"
    of = "randomized-response-debiased"
    title = "debiased randomized response with p = 1/2 + epsilon/4"


class RandomizedResponseNoDebias(RandomizedResponseDebiased):
    """Mutant: private, but the bias stays: 001's comparison with Laplace reads the raw mean as the answer."""

    id = "randomized-response-debiased/no-debias"
    of = "randomized-response-debiased"
    breaks = "accuracy"
    title = "debiased randomized response that forgets to debias"
    source = "001 Randomized Response vs Laplace"

    def debias(self, mean: Outputs) -> Outputs:
        """Broken: nothing is taken out."""
        return mean
