"""Sparse vectors that release numbers: numerical, with the gap, adaptive, and two in parallel.

An answer below is 0; what is not asked any more is ⊥ (NaN).
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.core import quadrature
from benchmarks.zoo.entry import Published, Truth, ZooMechanism, answers
from benchmarks.zoo.sparse_vector import SVT3, SVT4, cut_off
from mechanisms.core.claims import ApproxDP
from mechanisms.core.mechanism import Outputs
from mechanisms.laplace import laplace_noise


class NumericalSVT(ZooMechanism):
    """Answers above come with a value whose noise is drawn afresh."""

    id: ClassVar[str] = "NumericalSVT"
    title: ClassVar[str] = "numerical sparse vector"
    source: ClassVar[str] = "Wang, Ding, Wang, Kifer, Zhang 2019 (shadow execution)"
    published: ClassVar[Published | None] = Published(0.0345, "DP-Sniper MLP")
    trials: ClassVar[int] = 10_000_000
    length: ClassVar[int] = 10
    most: ClassVar[int] = 2
    threshold: ClassVar[float] = 1.0

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The value where the answer is above, else 0; ⊥ after two of them."""
        size, unit = (n, self.length), 3 / self.epsilon
        bar = self.threshold + laplace_noise(unit, (n, 1), rng)
        exact = answers(dataset, self.length)
        above = exact + laplace_noise(2 * self.most * unit, size, rng) >= bar
        outputs = np.where(above, exact + laplace_noise(self.most * unit, size, rng), 0.0)
        outputs[~cut_off(above, self.most)] = np.nan
        return outputs

    def law(self, dataset: Any) -> list[float]:
        """Which answers are above, and whether the value of each is below, between or above all exact answers."""
        unit = 3 / self.epsilon
        patterns = quadrature.patterns_above(dataset, self.most, self.threshold, unit, 2 * self.most * unit)
        edges = self.threshold - 1, self.threshold + 1
        values = [
            np.diff([0.0, *quadrature.laplace_cdf(np.array(edges) - answer, self.most * unit), 1.0])
            for answer in dataset
        ]
        cells = [reduce(np.multiply.outer, [values[i] for i in above], np.array(p)) for above, p in patterns.items()]
        return [float(p) for cell in cells for p in cell.ravel()]

    def reachable(self) -> float:
        """The largest ratio of its law."""
        laws = ((self.law(pair.left), self.law(pair.right)) for pair in self.neighbours())
        return max(quadrature.largest_ratio(left, right) for left, right in laws)

    def truth(self) -> Truth:
        """Three thirds of the budget."""
        return Truth(self.epsilon, "a third each for the threshold, the comparisons and the values")


class GapSVT(ZooMechanism):
    """Answers above come with their gap to the noisy threshold, at no extra cost."""

    id: ClassVar[str] = "GapSVT"
    title: ClassVar[str] = "sparse vector with gap"
    source: ClassVar[str] = "Wang, Ding, Wang, Kifer, Zhang 2019; CheckDP (Wang, Ding, Kifer, Zhang 2020)"
    trials: ClassVar[int] = 10_000_000
    length: ClassVar[int] = 10
    most: ClassVar[int] = 1
    threshold: ClassVar[float] = 1.0

    def released(self, values: Outputs, bar: Outputs) -> Outputs:
        """The gap: the threshold's noise hides in it what the value would show."""
        return values - bar

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The gap where the answer is above, else 0; ⊥ after the last."""
        bar = self.threshold + laplace_noise(2 / self.epsilon, (n, 1), rng)
        values = answers(dataset, self.length)
        values = values + laplace_noise(4 * self.most / self.epsilon, (n, self.length), rng)
        above = values >= bar
        outputs = np.where(above, self.released(values, bar), 0.0)
        outputs[~cut_off(above, self.most)] = np.nan
        return outputs

    def truth(self) -> Truth:
        """CheckDP proves it."""
        return Truth(self.epsilon, "proved by alignment; the gap is free")


class BadGapSVT(GapSVT):
    """Broken: the noisy answer that was compared, not the gap."""

    def law(self, dataset: Any) -> list[float]:
        """The place of the first answer above and its noisy value."""
        return quadrature.first_values(dataset, self.threshold, 2 / self.epsilon, 4 * self.most / self.epsilon)

    id: ClassVar[str] = "BadGapSVT"
    title: ClassVar[str] = "sparse vector releases what it compared"
    source: ClassVar[str] = "CheckDP (Wang, Ding, Kifer, Zhang 2020)"

    def released(self, values: Outputs, bar: Outputs) -> Outputs:
        """Broken: without the threshold's noise."""
        return values

    def truth(self) -> Truth:
        """As for SVT3."""
        return Truth(math.inf, "grows with the number of queries below the released value")


class AdaptiveSVT(ZooMechanism):
    """Answers far above are found with more noise and cost half, so that more of them can be given.

    In units of epsilon / (4c): the threshold costs 2c, an answer found with the wide noise 1, one found with
    the narrow noise 2. It stops when a narrow one could not be paid any more.
    """

    id: ClassVar[str] = "AdaptiveSVT"
    title: ClassVar[str] = "adaptive sparse vector with gap"
    source: ClassVar[str] = "Ding, Wang, Zhang, Kifer 2019; CheckDP (Wang, Ding, Kifer, Zhang 2020)"
    trials: ClassVar[int] = 4_000_000
    length: ClassVar[int] = 10
    most: ClassVar[int] = 2
    threshold: ClassVar[float] = 1.0
    margin: ClassVar[float] = 16.0

    def released(self, values: Outputs, bar: Outputs) -> Outputs:
        """The gap of an answer far above."""
        return values - bar

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """The gap where one of the two tries is above, else 0; ⊥ when the budget is spent."""
        size, exact = (n, self.length), answers(dataset, self.length)
        bar = self.threshold + laplace_noise(2 / self.epsilon, (n, 1), rng)
        wide = exact + laplace_noise(8 * self.most / self.epsilon, size, rng)
        narrow = exact + laplace_noise(4 * self.most / self.epsilon, size, rng)
        far = wide - bar >= self.margin
        near = ~far & (narrow >= bar)
        outputs = np.where(far, self.released(wide, bar), np.where(near, narrow - bar, 0.0))
        cost = far + 2 * near.astype(np.int16)
        spent_before = np.cumsum(cost, axis=1) - cost
        outputs[spent_before > 2 * self.most - 2] = np.nan
        return outputs

    def truth(self) -> Truth:
        """CheckDP proves it."""
        return Truth(self.epsilon, "proved by alignment; the gap is free")


class BadAdaptiveSVT(AdaptiveSVT):
    """Broken: an answer far above comes as the noisy answer, not as the gap."""

    id: ClassVar[str] = "BadAdaptiveSVT"
    title: ClassVar[str] = "adaptive sparse vector releases what it compared"
    source: ClassVar[str] = "CheckDP (Wang, Ding, Kifer, Zhang 2020)"

    def released(self, values: Outputs, bar: Outputs) -> Outputs:
        """Broken: without the threshold's noise."""
        return values

    def truth(self) -> Truth:
        """As for SVT3."""
        return Truth(math.inf, "grows with the number of queries below the released value")


class SVT34Parallel(ZooMechanism):
    """Broken: SVT3 and SVT4 on the same queries, two answers above each, both outputs released."""

    id: ClassVar[str] = "SVT34Parallel"
    title: ClassVar[str] = "SVT3 and SVT4 in parallel"
    source: ClassVar[str] = "Bichsel, Steffen, Bogunovic, Vechev 2021 (DP-Sniper)"
    published: ClassVar[Published | None] = Published(0.262, "DP-Sniper MLP")
    trials: ClassVar[int] = 20_000_000
    length: ClassVar[int] = 10

    @property
    def claim(self) -> ApproxDP:
        """Twice epsilon, if both parts were what they claim (basic composition)."""
        return ApproxDP(2 * self.epsilon)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Ten values or ⊥, then ten answers of 1, 0 or -1."""
        parts = (SVT3(self.epsilon, most=2), SVT4(self.epsilon, most=2))
        return np.concatenate([part.sample(dataset, n, rng) for part in parts], axis=1)

    def truth(self) -> Truth:
        """SVT3 alone is enough."""
        return Truth(math.inf, "SVT3 is not private for any epsilon")
