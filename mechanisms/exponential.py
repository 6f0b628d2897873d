"""The exponential mechanism over any finite set (000 Thm 4; 003 "The Exponential Mechanism").

An instance states its outcomes, its score and the score's sensitivity: see eye_colour and pricing.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.exact_sampler import ExactSampler
from mechanisms.core.mechanism import Accuracy, Mechanism, Outputs


def logistic_profile(shift: float, step: float, offsets: Sequence[float] = (0.0,)) -> Profile:
    """Exact profile of a choice whose log-odds x one record can raise by `shift`, whatever they are.

    The supremum of s(x + shift) - e^e s(x), s the logistic function, over x = step * (any whole number) +
    (any offset); step 0 means over all real x. Over the reals it has one maximum, at
    e^x = (r - t) / (r^2 t - r) with r = e^(shift/2) and t = e^(e/2), so the nearest attainable x decide.
    """
    starts = np.asarray(offsets, dtype=float)

    def value(x: Any, epsilon: float) -> float:
        return float(np.max(1 / (1 + np.exp(-x - shift)) - math.exp(epsilon) / (1 + np.exp(-x))))

    def delta(epsilon: float) -> float:
        if epsilon >= shift:
            return 0.0
        r, t = math.exp(shift / 2), math.exp(epsilon / 2)
        best = math.log((r - t) / (r * r * t - r))
        if step == 0:
            return value(best, epsilon)
        below = starts + step * np.floor((best - starts) / step)
        return max(value(below, epsilon), value(below + step, epsilon))

    return NumericProfile(delta, "closed form, the supremum over all datasets")


@lru_cache(maxsize=64)
def _table(law: bytes) -> ExactSampler:
    return ExactSampler([int(math.ldexp(p, 128)) for p in np.frombuffer(law)])


class Exponential(Mechanism):
    """Outputs r with probability proportional to exp(epsilon q(D, r) / (2 Delta)) (000 Thm 4; 003)."""

    epsilon: float

    @property
    @abstractmethod
    def outcomes(self) -> Outputs:
        """The finite set R of all possible outputs, which must not depend on the data."""

    @property
    @abstractmethod
    def sensitivity(self) -> float:
        """Delta: the largest change of any score between neighbours."""

    @abstractmethod
    def scores(self, dataset: Any) -> Outputs:
        """q(D, r) for every outcome r."""

    @property
    def claim(self) -> ApproxDP:
        """epsilon-DP (000 Lemma 3.1; 003 Theorem)."""
        return ApproxDP(epsilon=self.epsilon)

    @property
    def rate(self) -> float:
        """epsilon / (2 Delta)   (000 Thm 4)."""
        return self.epsilon / (2 * self.sensitivity)

    def probabilities(self, dataset: Any) -> Outputs:
        """The law of the output. Logarithms first: the best outcome has weight 1, so nothing overflows."""
        logarithms = self.rate * self.scores(dataset)
        weights = np.exp(logarithms - logarithms.max())
        law: Outputs = weights / weights.sum()
        return law

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """r with probability ~ exp(epsilon q(D, r) / (2 Delta))."""
        return self.outcomes.take(_table(self.probabilities(dataset).tobytes()).draw(n, rng))

    def _utility(self, dataset: Any, t: float = 3.0) -> tuple[Accuracy, ...]:
        """P[q(r) <= OPT - (2 Delta/epsilon)(ln(|R|/|R_OPT|) + t)] <= e^-t (000 Lemma 3.2; 003 Theorem)."""
        outcomes, scores = self.outcomes, self.scores(dataset)
        best = scores.max()
        ties = int((scores == best).sum())
        limit = best - 2 * self.sensitivity / self.epsilon * (math.log(len(outcomes) / ties) + t)
        order = np.argsort(outcomes)
        return (
            Accuracy(
                f"the score is {limit:.4g} or less (best: {best:.4g}) with probability at most e^-{t:g}",
                dataset,
                math.exp(-t),
                lambda outputs: scores[order[np.searchsorted(outcomes[order], outputs)]] <= limit,
            ),
        )
