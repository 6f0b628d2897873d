"""Combinators: what they draw, what they claim, which relation they refuse, and their exact profiles."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from oracles import FALSE_ALARM, enumerated_delta, fits_density, fits_probabilities
from scipy import stats

from mechanisms import ApproxDP, Relation
from mechanisms.adaptive_composition import AdaptiveComposition, AdaptiveCompositionPeeks
from mechanisms.advanced_composition import AdvancedComposition, AdvancedCompositionDeltaOnce
from mechanisms.composition import Composition, CompositionReusedNoise, Zeros
from mechanisms.core.grouped import columns, draw_by_code
from mechanisms.core.profiles import laplace_composition_profile, laplace_hockey
from mechanisms.group_privacy import Chain, GroupPrivacy
from mechanisms.histogram import Histogram
from mechanisms.laplace import Laplace
from mechanisms.leaky import LeakyResponse
from mechanisms.parallel import ParallelComposition, ParallelCompositionOverlap
from mechanisms.post_processing import PostProcessing, PostProcessingClips, PostProcessingSnaps, whole_count
from mechanisms.ptr_reciprocal import PtrReciprocal
from mechanisms.smooth_sensitivity import SmoothMedian
from mechanisms.stable_vote import StableVote

# drawing by code


@pytest.mark.parametrize("top", [1, 5, 40, 10**9])
def test_draw_by_code_puts_every_draw_in_its_place(top):
    codes = np.random.default_rng(1).integers(0, top + 1, 1000)
    calls = []

    def draw(code, n):
        calls.append(code)
        return np.full((n, 2), code, dtype=float)

    assert (draw_by_code(codes, draw) == codes[:, None]).all()
    assert sorted(calls) == sorted(set(codes.tolist()))


def test_draw_by_code_joins_types():
    outputs = draw_by_code(np.array([0, 1, 0]), lambda code, n: np.full(n, None if code else 1.5))
    assert outputs.tolist() == [1.5, None, 1.5]
    assert columns([np.zeros(2), np.ones((2, 3))]).shape == (2, 4)


# composition


def test_composition_draws_independent_columns():
    outputs = Composition((Laplace(1.0), Zeros(0.5))).sample((1, 0, 0), 20_000, np.random.default_rng(1))
    assert fits_density(outputs[:, 0], stats.laplace(loc=1, scale=1).cdf) > FALSE_ALARM
    assert fits_density(outputs[:, 1], stats.laplace(loc=2, scale=2).cdf) > FALSE_ALARM
    agree = int(((outputs[:, 0] > 1) == (outputs[:, 1] > 2)).sum())
    assert stats.binomtest(agree, 20_000).pvalue > FALSE_ALARM
    reused = CompositionReusedNoise().sample((1, 0, 0), 50, np.random.default_rng(1))
    assert np.allclose(reused[:, 0] - reused[:, 1], -1)


def test_composition_of_different_kinds():
    mechanism = Composition((Histogram(0.5), Histogram(0.25)))
    assert mechanism.claim == ApproxDP(0.75)
    assert mechanism.relations == {Relation.REPLACE_ONE}
    dataset = mechanism.neighbours()[0].left
    assert mechanism.sample(dataset, 4, np.random.default_rng(0)).shape == (4, 16)
    assert mechanism.exact() is None
    labels = Composition((StableVote(),) * 2)
    assert labels.sample(labels.neighbours()[0].left, 3, np.random.default_rng(0)).shape == (3, 2)


def test_composition_needs_a_shared_relation():
    with pytest.raises(ValueError, match="share a relation"):
        Composition((PtrReciprocal(), Histogram()))
    with pytest.raises(ValueError, match="share a relation"):
        Composition(())
    with pytest.raises(ValueError, match="share a relation"):
        AdaptiveComposition(PtrReciprocal(), (Histogram(),))
    with pytest.raises(ValueError, match="got claim=0"):
        _ = Composition((SmoothMedian(),)).claim


@pytest.mark.parametrize("epsilons", [[0.1] * 10, [0.5, 1.0], [0.3, 0.3, 1.2]])
def test_exact_composition_by_integrating_over_the_first_output(epsilons):
    """delta(e) is the mean over the first loss l of the rest's delta at e - l; the last is in closed form."""

    def delta(rest, level):
        if len(rest) == 1:
            return laplace_hockey(rest[0], level)
        a = rest[0]
        nodes, weights = np.polynomial.legendre.leggauss(60)
        kinks = {level - sum(signs) for signs in itertools.product(*((b, -b) for b in rest[1:]))}
        cuts = [-a, *sorted(kink for kink in kinks if -a < kink < a), a]
        inside = sum(
            w * (hi - lo) / 2 * math.exp(-(a - loss) / 2) / 4 * delta(rest[1:], level - loss)
            for lo, hi in itertools.pairwise(cuts)
            for x, w in zip(nodes, weights, strict=True)
            for loss in [(hi + lo) / 2 + (hi - lo) / 2 * x]
        )
        return 0.5 * delta(rest[1:], level - a) + 0.5 * math.exp(-a) * delta(rest[1:], level + a) + inside

    exact = laplace_composition_profile(epsilons)
    if len(epsilons) <= 3:
        for level in (0.0, 0.4, 1.1):
            assert exact.delta_at(level) == pytest.approx(delta(epsilons, level), abs=1e-6)
    else:
        loss = privacy_loss_distribution.from_laplace_mechanism(10, value_discretization_interval=1e-5)
        composed = loss.self_compose(10)
        for level in (0.0, 0.4, 0.9):
            assert exact.delta_at(level) == pytest.approx(composed.get_delta_for_epsilon(level), abs=1e-9)
    assert exact.epsilon_at(0.0) == pytest.approx(sum(epsilons), abs=1e-3)


def test_advanced_composition_wants_one_claim():
    with pytest.raises(ValueError, match="parts with one claim"):
        AdvancedComposition((Laplace(0.1), Laplace(0.2)))
    with pytest.raises(ValueError, match="slack must be"):
        AdvancedComposition(slack=0)
    mutant = AdvancedCompositionDeltaOnce()
    assert mutant.exact().delta_at(mutant.claim.epsilon) >= 1 - 0.99**10


def test_leaky_response_samples():
    mechanism = LeakyResponse(1.0, 0.1)
    keep = 0.9 * math.e / (1 + math.e)
    law = {1: keep, 0: 0.9 - keep, 3: 0.1}
    assert fits_probabilities(mechanism.sample((1,), 20_000, np.random.default_rng(1)), law) > FALSE_ALARM


def test_adaptive_composition_asks_what_the_first_answer_says():
    mechanism = AdaptiveComposition()
    first, second = mechanism.sample((1, 0, 0, 0, 0, 0), 40_000, np.random.default_rng(2)).T
    assert fits_density(first, stats.laplace(loc=1, scale=2).cdf) > FALSE_ALARM
    assert fits_density(second[first >= 1.5], stats.laplace(loc=1, scale=2).cdf) > FALSE_ALARM  # ones
    assert fits_density(second[first < 1.5], stats.laplace(loc=5, scale=2).cdf) > FALSE_ALARM  # zeros
    assert mechanism.claim == ApproxDP(1.0)
    dearest = AdaptiveComposition(Laplace(0.5), (Laplace(0.1), Laplace(2.0)))
    assert dearest.claim == ApproxDP(2.5)
    assert dearest.exact() is None
    pair = AdaptiveCompositionPeeks().neighbours()[0]
    few, more = (AdaptiveCompositionPeeks().sample(x, 4000, np.random.default_rng(3)) for x in (pair.left, pair.right))
    assert np.median(few[:, 1]) - np.median(more[:, 1]) == pytest.approx(6, abs=0.5)


# parallel composition


def test_parallel_composition_sees_its_own_part_alone():
    mechanism = ParallelComposition((Laplace(1.0), Laplace(0.5)))
    outputs = mechanism.sample(((0, 1), (1, 1), (1, 1), (1, 0)), 20_000, np.random.default_rng(1))
    assert fits_density(outputs[:, 0], stats.laplace(loc=1, scale=1).cdf) > FALSE_ALARM
    assert fits_density(outputs[:, 1], stats.laplace(loc=2, scale=2).cdf) > FALSE_ALARM
    assert mechanism.claim == ApproxDP(1.0)
    assert mechanism.neighbours()[0].why.startswith("part 0")
    overlapping = ParallelCompositionOverlap((Laplace(100.0),) * 3)
    assert np.rint(overlapping.sample(((0, 1), (2, 1)), 1, np.random.default_rng(1))).tolist() == [[2, 1, 1]]


def test_parallel_composition_refuses_replace_one_across_parts():
    with pytest.raises(ValueError, match="parallel composition is for add/remove"):
        ParallelComposition(relation=Relation.REPLACE_ONE)
    fixed = ParallelComposition(relation=Relation.REPLACE_ONE, parts_are_fixed=True)
    assert fixed.relations == {Relation.REPLACE_ONE}
    for pair in fixed.neighbours():  # no record leaves its part
        assert Counter(part for part, _ in pair.left) == Counter(part for part, _ in pair.right)
    with pytest.raises(ValueError, match="every part must claim privacy for add/remove"):
        ParallelComposition((Histogram(), Histogram()))
    with pytest.raises(ValueError, match="part must be one of 3, got part=7"):
        ParallelComposition().sample(((7, 1),), 1, np.random.default_rng(0))


# post-processing


def test_post_processing():
    mechanism = PostProcessing()
    outputs = mechanism.sample((1, 1), 20_000, np.random.default_rng(1))
    cdf = stats.laplace(loc=2).cdf
    law = {0.0: cdf(0.5)} | {float(k): cdf(k + 0.5) - cdf(k - 0.5) for k in range(1, 60)}
    assert fits_probabilities(outputs, law) > FALSE_ALARM
    laws = [
        {0: c(0.5)} | {k: c(k + 0.5) - c(k - 0.5) for k in range(1, 80)}
        for c in (stats.laplace(loc=count).cdf for count in (0, 1, 2, 3))
    ]
    for epsilon in (0.0, 0.4, 0.9, 1.0):
        worst = max(enumerated_delta(p, q, epsilon) for p, q in itertools.pairwise(laws))
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(worst, abs=1e-12)
    assert PostProcessing(Laplace(0.3), np.sign).exact() is None
    assert PostProcessing(Laplace(0.3), np.sign).claim == ApproxDP(0.3)
    assert whole_count(np.array([-3.2, 0.6])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("mutant", "atoms"), [(PostProcessingSnaps(), (1.0, 2.0)), (PostProcessingClips(), (0.0, 1.0, 2.0))]
)
def test_broken_post_processing_by_cells(mutant, atoms):
    """Cells of width 1e-4 between the atoms, from scipy's Laplace: the ratio is constant in all but a few."""
    edges = np.round(np.arange(-30, 34, 1e-4), 4)
    laws = []
    for count in (1, 2):
        law = stats.laplace(loc=count)
        cells = np.diff(law.cdf(edges))
        middle = (edges[1:] + edges[:-1]) / 2
        masses = dict.fromkeys(atoms, 0.0)
        if isinstance(mutant, PostProcessingSnaps):
            masses[float(count)] = float(cells[np.abs(middle - count) < 0.5].sum())
            cells[np.abs(middle - count) < 0.5] = 0
        else:
            masses[0.0], masses[float(count)] = law.cdf(0), law.sf(count)
            cells[(middle < 0) | (middle > count)] = 0
        laws.append(np.concatenate([cells, list(masses.values())]))
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        p, q = laws
        worst = max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum())
        assert mutant.exact().delta_at(epsilon) == pytest.approx(worst, abs=1e-6)


# group privacy


def test_group_privacy():
    mechanism = GroupPrivacy(Chain(), 3)
    assert mechanism.exact().delta_at(3.0) == pytest.approx(mechanism.claim.delta)
    assert all(pair.group == 3 for pair in mechanism.neighbours())
    assert GroupPrivacy(Histogram(), 2).neighbours()[0].relation is Relation.REPLACE_ONE
    assert GroupPrivacy(Laplace(0.5), 3).exact().epsilon_at(0.0) == pytest.approx(1.5)
    assert GroupPrivacy(Zeros(0.5), 3).exact() is None
    ones = Chain().sample((1, 1, 1), 20_000, np.random.default_rng(1))
    p = Chain().probability(3)
    assert fits_probabilities(ones, {1: p, 0: 1 - p}) > FALSE_ALARM
