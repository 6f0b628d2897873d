"""Subsampling: which samples are drawn, which relation is refused, and the exact amplification."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from oracles import FALSE_ALARM, fits_probabilities
from scipy import stats

from mechanisms import ApproxDP, Mechanism, Relation
from mechanisms.composition import Composition
from mechanisms.fixed_size_subsampling import FixedSizeSubsampling, FixedSizeSubsamplingReplacement
from mechanisms.histogram import Histogram
from mechanisms.laplace import Laplace
from mechanisms.poisson_subsampling import (
    OnlyRecord,
    PoissonSubsampling,
    PoissonSubsamplingOneSample,
    PoissonSubsamplingReplace,
)
from mechanisms.post_processing import PostProcessing
from mechanisms.ptr_reciprocal import PtrReciprocal


class Echo(Mechanism):
    """Returns its dataset as text, to see which samples a combinator makes."""

    claim = ApproxDP(1.0)

    def sample(self, dataset, n, rng):
        outputs = np.empty(n, dtype=object)
        outputs[:] = ["".join(map(str, dataset))] * n
        return outputs

    def neighbours(self):
        return Laplace().neighbours()


def kept_law(records, rate):
    """Every subset of distinct records with its probability."""
    return {
        "".join(subset): rate ** len(subset) * (1 - rate) ** (len(records) - len(subset))
        for size in range(len(records) + 1)
        for subset in itertools.combinations(records, size)
    }


@pytest.mark.parametrize("records", ["a", "abc", "abcdefghijk"])
def test_poisson_keeps_each_record_on_its_own(records):
    outputs = PoissonSubsampling(Echo(), 0.3).sample(tuple(records), 30_000, np.random.default_rng(1))
    assert fits_probabilities(outputs.astype(str), kept_law(records, 0.3)) > FALSE_ALARM


def test_poisson_on_many_records():
    """More records than fit into a whole number: the sizes are binomial."""
    outputs = PoissonSubsampling(Echo(), 0.02).sample(("x",) * 100, 5000, np.random.default_rng(1))
    sizes = np.array([len(text) for text in outputs])
    law = {k: float(stats.binom.pmf(k, 100, 0.02)) for k in range(101)}
    assert fits_probabilities(sizes, law) > FALSE_ALARM


def test_poisson_exact_profile():
    """002 Thm 5.4 in the ledger: .15857; dp_accounting's remove direction; the other direction is smaller."""
    exact = PoissonSubsampling().exact()
    assert exact.epsilon_at(0.0) == pytest.approx(0.158565, abs=1e-6)
    loss = privacy_loss_distribution.from_laplace_mechanism(1.0, value_discretization_interval=1e-5, sampling_prob=0.1)
    y = np.linspace(-40, 41, 400_001)
    cells = np.diff(stats.laplace.cdf(y)), np.diff(stats.laplace(loc=1).cdf(y))
    mixed = 0.9 * cells[0] + 0.1 * cells[1]
    for epsilon in (0.0, 0.05, 0.1, 0.15):
        assert exact.delta_at(epsilon) == pytest.approx(loss.get_delta_for_epsilon(epsilon), abs=2e-6)
        there = np.maximum(mixed - math.exp(epsilon) * cells[0], 0).sum()
        back = np.maximum(cells[0] - math.exp(epsilon) * mixed, 0).sum()
        assert exact.delta_at(epsilon) == pytest.approx(there, abs=1e-6)
        assert back <= exact.delta_at(epsilon) + 1e-9


def test_poisson_refuses_a_base_for_replace_one_alone():
    with pytest.raises(ValueError, match="base private for add/remove, got one for replace-one"):
        PoissonSubsampling(OnlyRecord())
    with pytest.raises(ValueError, match="got one for replace-one"):
        PoissonSubsampling(Histogram())
    with pytest.raises(ValueError, match="rate must be"):
        PoissonSubsampling(rate=0)
    exact = PoissonSubsamplingReplace().exact()  # 002-T5.4 in the ledger
    assert exact.epsilon_at(0.0) == pytest.approx(1.0)
    assert exact.delta_at(0.158565) == pytest.approx(0.04159, abs=1e-5)
    assert PoissonSubsamplingOneSample().exact().epsilon_at(0.0) == pytest.approx(
        math.log1p(0.1 * math.expm1(4)), abs=1e-6
    )


def test_fixed_size_draws_every_subset_equally_often():
    rng = np.random.default_rng(1)
    outputs = FixedSizeSubsampling(Echo(), 2, 4).sample(tuple("abcd"), 30_000, rng)
    law = {"".join(pair): 1 / 6 for pair in itertools.combinations("abcd", 2)}
    assert fits_probabilities(outputs.astype(str), law) > FALSE_ALARM
    many = FixedSizeSubsampling(Echo(), 9, 24)  # more subsets than are listed
    samples = many.sample(tuple("abcdefghijklmnopqrstuvwx"), 2000, rng)
    assert all(len(set(text)) == 9 and list(text) == sorted(text) for text in samples)
    letters = Counter("".join(samples))
    for letter in "abcdefghijklmnopqrstuvwx":
        assert stats.binomtest(letters[letter], 2000, 9 / 24).pvalue > FALSE_ALARM
    again = FixedSizeSubsamplingReplacement(Echo(), 2, 4).sample(tuple("abcd"), 30_000, rng)
    multisets = {
        "".join(pair): 1 / 8 if pair[0] != pair[1] else 1 / 16
        for pair in itertools.combinations_with_replacement("abcd", 2)
    }
    assert fits_probabilities(again.astype(str), multisets) > FALSE_ALARM


def mixture_delta(weights, epsilon):
    """Shifted Laplace cells, mixed, against the unshifted ones; both directions."""
    y = np.linspace(-40, 44, 400_001)
    plain = np.diff(stats.laplace.cdf(y))
    mixed = sum(w * np.diff(stats.laplace(loc=j).cdf(y)) for j, w in enumerate(weights))
    factor = math.exp(epsilon)
    return max(np.maximum(mixed - factor * plain, 0).sum(), np.maximum(plain - factor * mixed, 0).sum())


def test_fixed_size_exact_profiles():
    without, replaced = FixedSizeSubsampling(), FixedSizeSubsamplingReplacement()
    for epsilon in (0.0, 0.3, 0.6):
        assert without.exact().delta_at(epsilon) == pytest.approx(mixture_delta([0.5, 0.5], epsilon), abs=1e-6)
        expected = mixture_delta([9 / 16, 6 / 16, 1 / 16], epsilon)
        assert replaced.exact().delta_at(epsilon) == pytest.approx(expected, abs=1e-6)
    assert without.claim.epsilon == pytest.approx(math.log(1 + 0.5 * (math.e - 1)))
    assert without.exact().epsilon_at(0.0) == pytest.approx(without.claim.epsilon, abs=1e-6)
    assert replaced.exact().epsilon_at(0.0) == pytest.approx(2 * math.log1p((math.e - 1) / 4), abs=1e-3)


def test_fixed_size_refuses_add_remove():
    with pytest.raises(ValueError, match="base private for replace-one, got one for add/remove"):
        FixedSizeSubsampling(PtrReciprocal())
    with pytest.raises(ValueError, match="population must be a whole number of at least 3"):
        FixedSizeSubsampling(size=3, population=2)
    with pytest.raises(ValueError, match="the dataset must have 4 records, got 3"):
        FixedSizeSubsampling().sample((1, 1, 0), 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="got one for replace-one"):  # so the two samplings do not nest that way
        PoissonSubsampling(FixedSizeSubsampling())


def test_combinators_nest():
    nested = PostProcessing(PoissonSubsampling(Composition((Laplace(0.5),) * 2), 0.2), np.rint)
    assert nested.claim.epsilon == pytest.approx(math.log1p(0.2 * math.expm1(1.0)))
    assert nested.sample((1, 0, 1), 50, np.random.default_rng(0)).shape == (50, 2)
    assert nested.relations == {Relation.ADD_REMOVE, Relation.REPLACE_ONE}
