"""The zoo's samplers against exact computations.

Statistical comparisons use a chi-square or binomial statistic at 1e-6 each under a fixed seed; there are
fewer than 200 of them, so a fresh seed would fail one of them with probability below 2e-4.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from auditor import audit
from benchmarks.zoo import zoo
from benchmarks.zoo.__main__ import line
from benchmarks.zoo.core import quadrature, tables
from benchmarks.zoo.core.alarms import false_alarms
from benchmarks.zoo.core.measure import bound, measure
from benchmarks.zoo.core.oracle import oracle
from benchmarks.zoo.floats import Polar, Snapping
from benchmarks.zoo.geometric import TruncatedGeometric
from benchmarks.zoo.means import NonPrivateMean1, NonPrivateMean2, PrivateMean
from benchmarks.zoo.noisy_max import ReportNoisyMax1, ReportNoisyMax2, ReportNoisyMax3, ReportNoisyMax4
from benchmarks.zoo.numeric_svt import AdaptiveSVT, BadAdaptiveSVT, BadGapSVT, GapSVT, NumericalSVT
from benchmarks.zoo.patterns import are_neighbours
from benchmarks.zoo.rappor import OneTimeRappor, Rappor, bloom, murmur3
from benchmarks.zoo.sparse_vector import SVT1, SVT2, SVT3, SVT4, SVT5, SVT6
from benchmarks.zoo.sums import BadPartialSum, BadSmartSum, PrefixSum, SmartSum

LEVEL = 1e-6
ROWS = zoo(0.1)
EVERY = pytest.mark.parametrize("row", [*ROWS, *zoo(1.0)], ids=lambda row: f"{row.id}-{row.epsilon}")


def rng(seed=7):
    return np.random.default_rng(seed)


def assert_counts(counts, probabilities):
    """The counts fit the probabilities; rare outcomes are pooled."""
    counts, expected = np.asarray(counts, float), np.asarray(probabilities) * np.sum(counts)
    rare = expected < 10
    assert counts[rare & (expected == 0)].sum() == 0
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 1:
        counts, expected = counts[:-1], expected[:-1]
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, len(counts) - 1) > LEVEL, (counts, expected)


def assert_share(hits, n, probability):
    assert stats.binomtest(int(hits), n, probability).pvalue > LEVEL, (hits / n, probability)


@EVERY
def test_every_row_is_complete(row):
    assert row.title
    assert row.source
    assert row.truth().why
    assert row.correct == (row.truth().epsilon <= row.claim.epsilon * (1 + 1e-9))
    reachable = row.reachable()
    if reachable is not None:
        assert 0 < reachable <= row.truth().epsilon * (1 + 1e-9)


@EVERY
def test_every_row_draws_n_outputs_and_the_same_ones_again(row):
    for pair in row.neighbours():
        for dataset in (pair.left, pair.right):
            first, again = row.sample(dataset, 50, rng()), row.sample(dataset, 50, rng())
            assert len(first) == 50
            assert first.dtype.kind in "if"
            np.testing.assert_array_equal(first, again)
    left = row.neighbours()[0].left
    assert not np.array_equal(row.sample(left, 50, rng(1)), row.sample(left, 50, rng(2)), equal_nan=True)
    assert len(row.sample(left, 0, rng())) == 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_pair_is_a_pair_of_neighbours(row):
    pairs = row.neighbours()
    assert pairs
    for pair in pairs:
        if isinstance(row, OneTimeRappor):
            assert pair.left != pair.right  # local privacy: any two values
        elif isinstance(row, PrivateMean):
            assert len(pair.left) - len(pair.right) == 1
            assert any(pair.left[:i] + pair.left[i + 1 :] == pair.right for i in range(len(pair.left)))
        else:
            assert are_neighbours(pair.left, pair.right, row.moves)
            assert len(pair.left) == row.length


def test_ids_are_unique_and_the_published_table_is_covered():
    ids = [row.id for row in ROWS]
    assert len(set(ids)) == len(ids) == 37
    assert sum(row.published is not None for row in ROWS) == 21
    for row in ROWS:
        if row.published is not None and row.reachable() is not None:
            assert row.published.epsilon <= row.reachable() * 1.0001


def test_what_is_correct_at_a_tenth():
    broken = {row.id for row in ROWS if not row.correct}
    assert broken == {
        *("TruncatedGeometric", "NoisyHist2", "RNM3", "RNM4", "SVT3", "SVT4", "SVT5", "SVT6", "BadGapSVT"),
        *("BadAdaptiveSVT", "SVT34Parallel", "BadPartialSum", "PrefixSum", "BadSmartSum", "NonPrivateMean1"),
        *("NonPrivateMean2", "FloatLaplace", "BoxMuller", "Polar", "Ziggurat"),
    }


def test_the_wrong_number_of_answers_is_named():
    with pytest.raises(ValueError, match="the dataset must be 10 query answers, got length=2"):
        SVT1().sample((1, 1), 5, rng())


# Quadrature, against values known otherwise.


def test_quadrature_sums_to_one_and_knows_the_closed_forms():
    assert sum(quadrature.first_above((1, 1, 0), 0.5, 20, 40)) == pytest.approx(1, abs=1e-12)
    assert sum(quadrature.argmax((1.0, 0.0, 2.0), 20)) == pytest.approx(1, abs=1e-12)
    assert sum(quadrature.counts_above((1, 0), (2, 3), 1, 20, 20)) == pytest.approx(1, abs=1e-12)
    # Two Laplace answers: P[the one ahead by d scales wins] = 1 - (1 + d/2) e^-d / 2.
    assert quadrature.argmax((0.0, 3.0), 2.0)[1] == pytest.approx(1 - (1 + 0.75) * math.exp(-1.5) / 2, abs=1e-12)
    # Two exponential answers: 1 - e^-d / 2.
    assert quadrature.argmax((0.0, 3.0), 2.0, True)[1] == pytest.approx(1 - math.exp(-1.5) / 2, abs=1e-12)
    # One query without noise: P[T + rho <= q].
    assert quadrature.first_above((2,), 1, 20, 0)[0] == pytest.approx(1 - math.exp(-1 / 20) / 2, abs=1e-12)
    assert quadrature.largest_ratio([0.5, 0.5], [1.0, 0.0]) == math.inf


def test_reachable_values_agree_with_the_published_estimates():
    # DP-Sniper's and StatDP's logged point estimates at 2e8 draws, on the published pairs.
    assert ReportNoisyMax1().reachable() == pytest.approx(0.0945, abs=3e-4)
    assert SVT4().reachable() == pytest.approx(0.175, abs=2e-4)  # their half-and-half pair: 0.1725
    assert SVT1().reachable() == pytest.approx(0.0985, abs=1e-4)  # theirs: 0.0885


# Samplers, against the exact distributions.


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_truncated_geometric(epsilon):
    row = TruncatedGeometric(epsilon)
    decay = math.exp(-row.truth().epsilon)
    for count in (0, 2, 5):
        mass = (1 - decay) / (1 + decay) * decay ** np.abs(np.arange(6.0) - count)
        mass[0], mass[5] = decay**count / (1 + decay), decay ** (5 - count) / (1 + decay)
        steps = np.diff([0, *row.cumulative(count)]) / row.cumulative(count)[-1]
        np.testing.assert_allclose(steps, mass, rtol=1e-12)
        assert_counts(np.bincount(row.sample((count,), 100_000, rng()), minlength=6), mass)


@pytest.mark.parametrize("kind", [ReportNoisyMax1, ReportNoisyMax2])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_noisy_max_index(kind, epsilon):
    row = kind(epsilon)
    data = (0.0, 2.0, 5.0, 2.0, 2.0)
    exact = quadrature.argmax(data, 2 / epsilon, row.one_sided)
    assert_counts(np.bincount(row.sample(data, 100_000, rng()), minlength=5), exact)


def test_noisy_max_value():
    data = (0.0, 2.0, 1.0, 2.0, 2.0)
    for kind, cdf in (
        (ReportNoisyMax3, quadrature.laplace_cdf),
        (ReportNoisyMax4, quadrature.exponential_cdf),
    ):
        values = kind(1.0).sample(data, 100_000, rng())
        for at in (2.5, 4.0, 8.0):
            exact = float(np.prod([cdf(np.array(at - answer), 2.0) for answer in data]))
            assert_share((values <= at).sum(), 100_000, exact)


def first_of(outputs):
    """The place of the first answer above, and the length where there is none."""
    above = outputs == 1
    return np.where(above.any(axis=1), above.argmax(axis=1), outputs.shape[1])


@pytest.mark.parametrize("kind", [SVT1, SVT2, SVT4])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_sparse_vector_with_cut_off(kind, epsilon):
    row = kind(epsilon)
    data = (1, 1, 1, 1, 1, 0, 0, 0, 0, 2)
    outputs = row.sample(data, 60_000, rng())
    exact = quadrature.first_above(data, row.threshold, row.threshold_scale, row.query_scale)
    assert_counts(np.bincount(first_of(outputs), minlength=11), exact)
    assert ((outputs == 1).sum(axis=1) <= 1).all()
    for one in outputs[:200]:
        place = first_of(one[None])[0]
        assert (one[:place] == 0).all()
        assert (one[place + 1 :] == -1).all()


@pytest.mark.parametrize("kind", [SVT1, SVT2, SVT4])
def test_sparse_vector_stops_after_as_many_as_it_may(kind):
    outputs = kind(1.0, most=3).sample((1,) * 10, 20_000, rng())
    ones = (outputs == 1).sum(axis=1)
    assert ones.max() == 3
    stopped = (outputs == -1).any(axis=1)
    assert (ones[stopped] == 3).all()
    last = np.where(outputs == 1, np.arange(10), -1).max(axis=1)
    assert ((outputs == -1).sum(axis=1)[stopped] == 9 - last[stopped]).all()


def test_fresh_thresholds_are_independent():
    # After an answer above, SVT2 draws the threshold anew: the second is above as if it were the first. SVT1
    # keeps its threshold, which the first answer told something about.
    row = SVT2(1.0, most=2)
    outputs = row.sample((1,) * 10, 60_000, rng())
    first = outputs[outputs[:, 0] == 1]
    alone = quadrature.first_above((1,), 1, row.threshold_scale, row.query_scale)[0]
    assert_share((first[:, 1] == 1).sum(), len(first), alone)
    kept = SVT1(1.0, most=2)
    first = kept.sample((1,) * 10, 60_000, rng())
    first = first[first[:, 0] == 1]
    assert stats.binomtest(int((first[:, 1] == 1).sum()), len(first), alone).pvalue < LEVEL


def test_sparse_vector_with_value():
    row, data = SVT3(1.0), (1, 1, 1, 1, 1, 0, 0, 0, 0, 2)
    outputs = row.sample(data, 60_000, rng())
    given = ~np.isnan(outputs)
    assert given.sum(axis=1).max() == 1
    exact = quadrature.first_above(data, row.threshold, row.threshold_scale, row.query_scale)
    place = np.where(given.any(axis=1), given.argmax(axis=1), 10)
    assert_counts(np.bincount(place, minlength=11), exact)

    def density(z):  # the first answer is above and at most 3: its noise lies between the bar and 3
        room = quadrature.laplace_cdf(np.array(3.0 - 1), row.query_scale) - quadrature.laplace_cdf(
            z + row.threshold - 1, row.query_scale
        )
        return quadrature.laplace_density(z, row.threshold_scale) * np.maximum(room, 0)

    low = quadrature.integrate(density, [0.0, 2.0], row.threshold_scale)
    assert_share((outputs[:, 0] <= 3).sum(), 60_000, low)


def test_sparse_vector_without_query_noise():
    outputs = SVT5(1.0).sample((2,) * 5 + (0,) * 5, 60_000, rng())
    between = (outputs[:, 0] == 1) & (outputs[:, 9] == 0)
    assert_share(between.sum(), 60_000, -math.expm1(-1 / 2))
    equal = SVT5(1.0).sample((1,) * 10, 1_000, rng())
    assert (equal == equal[:, :1]).all()


def test_sparse_vector_without_cut_off():
    row, data = SVT6(1.0), (1,) * 4 + (0,) * 6
    outputs = row.sample(data, 60_000, rng())
    counts = 7 * (outputs[:, :4] == 1).sum(axis=1) + (outputs[:, 4:] == 1).sum(axis=1)
    exact = quadrature.counts_above((1, 0), (4, 6), row.threshold, row.threshold_scale, row.query_scale)
    assert_counts(np.bincount(counts, minlength=35), exact)


def test_numerical_and_gap_sparse_vectors():
    data = (1,) * 10
    numerical = NumericalSVT(1.0).sample(data, 40_000, rng())
    exact = quadrature.first_above(data, 1, 3, 12)
    above = (numerical != 0) & ~np.isnan(numerical)
    place = np.where(above.any(axis=1), above.argmax(axis=1), 10)
    assert_counts(np.bincount(place, minlength=11), exact)
    assert above.sum(axis=1).max() == 2
    # The released value has noise of its own, of scale 6: half of the values are below the answer.
    released = numerical[above]
    assert_share((released < 1).sum(), len(released), 0.5)
    assert_share((np.abs(released - 1) > 6).sum(), len(released), math.exp(-1))

    gap, value = GapSVT(1.0).sample(data, 40_000, rng()), BadGapSVT(1.0).sample(data, 40_000, rng())
    exact = quadrature.first_above(data, 1, 2, 4)
    for outputs in (gap, value):
        released = (outputs != 0) & ~np.isnan(outputs)
        place = np.where(released.any(axis=1), released.argmax(axis=1), 10)
        assert_counts(np.bincount(place, minlength=11), exact)
    assert np.nanmin(gap) == 0
    assert np.nanmin(value) < 0


def test_adaptive_sparse_vector_spends_its_budget():
    outputs = AdaptiveSVT(1.0).sample((1,) * 10, 40_000, rng())
    given = (outputs != 0) & ~np.isnan(outputs)
    assert np.nanmin(outputs) == 0
    assert set(np.unique(given.sum(axis=1))) == {0, 1, 2, 3}
    # Three answers: the first two at half the price, so found with the wide noise, and their gap is large.
    three = outputs[given.sum(axis=1) == 3]
    firsts = np.array([line[(line != 0) & ~np.isnan(line)][:2] for line in three])
    assert (firsts >= 16).all()
    # The broken twin adds the noisy threshold back where the wide noise was used, and nowhere else.
    bars = BadAdaptiveSVT(1.0).sample((1,) * 10, 40_000, rng()) - outputs
    assert (outputs[np.nan_to_num(bars) != 0] >= 16).all()
    assert np.nanmedian(np.where(bars == 0, np.nan, bars)) == pytest.approx(1, abs=0.3)


def test_adaptive_first_answer():
    # At epsilon 1 the threshold's noise is Lap(2), the wide one Lap(16), the narrow one Lap(8).
    outputs = AdaptiveSVT(1.0).sample((1,) * 10, 40_000, rng())

    def far(z):
        return quadrature.laplace_density(z, 2.0) * (1 - quadrature.laplace_cdf(z + 16, 16.0))

    def near(z):
        wide = quadrature.laplace_cdf(z + 16, 16.0)
        return quadrature.laplace_density(z, 2.0) * wide * (1 - quadrature.laplace_cdf(z, 8.0))

    exact = quadrature.integrate(far, [-16.0, 0.0], 16.0) + quadrature.integrate(near, [-16.0, 0.0], 16.0)
    assert_share((outputs[:, 0] > 0).sum(), 40_000, exact)


def test_murmur_has_the_published_values():
    # Test vectors of the reference implementation (Appleby 2011).
    assert murmur3(b"", 0) == 0
    assert murmur3(b"", 1) == 0x514E28B7
    assert murmur3(b"foo", 0) == -156908512
    assert murmur3(b"\xff\xff\xff\xff", 0) == 0x76293B50
    assert murmur3(b"Hello, world!", 1234) & 0xFFFFFFFF == 0xFAF6CDB3


def test_rappor_bits():
    assert {int(i) for i in np.flatnonzero(bloom(3))} == {0, 3, 14, 19}
    assert not (bloom(3) & bloom(4)).any()
    assert OneTimeRappor().claim.epsilon == pytest.approx(8 * math.log(0.525 / 0.475))
    assert Rappor().claim.epsilon == pytest.approx(4 * math.log((0.5125 / 0.4875) ** 2))
    for row in (OneTimeRappor(), Rappor(), OneTimeRappor.at(1.0), Rappor.at(1.0)):
        clear, filled = row.chances
        outputs = row.sample(3, 40_000, rng())
        for place, is_set in enumerate(bloom(3)):
            assert_share(outputs[:, place].sum(), 40_000, filled if is_set else clear)
    assert OneTimeRappor.at(1.0).claim.epsilon == pytest.approx(1)
    assert Rappor.at(1.0).claim.epsilon == pytest.approx(1)


def test_sums():
    outputs = PrefixSum(1.0).sample(range(10), 40_000, rng())
    steps = np.diff(outputs, axis=1, prepend=0) - np.arange(10)
    assert_share((np.abs(steps) > 1).sum(), steps.size, math.exp(-1))
    smart = SmartSum(1.0).sample(range(10), 40_000, rng())
    for j, answer in ((0, 0), (4, 0 + 1 + 2 + 3 + 4), (9, 5 + 6 + 7 + 8 + 9)):
        assert_share((np.abs(smart[:, j] - answer) > 2).sum(), 40_000, math.exp(-1))
    assert_share((np.abs(smart[:, 5] - smart[:, 4] - 5) > 2).sum(), 40_000, math.exp(-1))
    bare = BadSmartSum(1.0).sample(range(10), 100, rng())
    assert (bare[:, 4] == 10).all()
    assert (bare[:, 9] == 35).all()


def test_means():
    outputs = NonPrivateMean1(1.0).sample((1, 0), 40_000, rng())
    assert_share((np.abs(outputs - 0.5) > 0.5).sum(), 40_000, math.exp(-1))
    bare = NonPrivateMean2(1.0).sample((1, 0), 40_000, rng())
    # A noisy count below 0 (Lap(2) below -2) leaves a scale of 1e-12; a huge one nearly does.
    assert (np.abs(bare - 0.5) < 1e-9).mean() == pytest.approx(math.exp(-1) / 2, abs=0.01)
    private = PrivateMean(1.0).sample((1, 1), 40_000, rng())

    def negative(z):  # the noisy sum z and the noisy count have different signs
        other = quadrature.laplace_cdf(np.array(-2.0), 2.0)
        return quadrature.laplace_density(z - 2, 2.0) * np.where(z > 0, other, 1 - other)

    assert_share((private < 0).sum(), 40_000, quadrature.integrate(negative, [0.0, 2.0], 2.0))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_snapping_stays_on_its_lattice(epsilon):
    row = Snapping(epsilon)
    assert row.lattice / 2 < row.scale <= row.lattice
    outputs = row.sample((1.0,), 100_000, rng())
    inside = np.abs(outputs) < row.bound
    assert (outputs[inside] % row.lattice == 0).all()
    for at in (0.0, row.lattice):
        edges = np.array([at - row.lattice / 2, at + row.lattice / 2]) - 1
        exact = float(np.diff(quadrature.laplace_cdf(edges, row.scale))[0])
        assert_share((outputs == at).sum(), 100_000, exact)


@pytest.mark.parametrize("row", [row for row in ROWS if hasattr(row, "normal")], ids=lambda row: row.id)
def test_gaussians(row):
    normal = row.normal(100_000, rng())
    assert stats.kstest(normal, "norm").pvalue > LEVEL
    wider = row.sample((3.0,), 100_000, rng())
    assert stats.kstest((wider - 3) / row.sigma, "norm").pvalue > LEVEL


def test_polar_draws_exactly_n_whatever_is_rejected():
    assert [len(Polar().normal(n, rng(n))) for n in (0, 1, 2, 7, 1000)] == [0, 1, 2, 7, 1000]


@pytest.mark.parametrize("row", [r for r in ROWS if r.id in ("FloatLaplace", "BoxMuller", "Polar", "Ziggurat")])
def test_doubles_of_zero_that_one_cannot_leave(row):
    # Near 0 the answer 1 leaves multiples of 2^-53 only; the answer 0 leaves finer ones.
    def finer(outputs):
        near = outputs[np.abs(outputs) < 0.5]
        return int((near * 2.0**53 % 1 != 0).sum())

    assert finer(row.sample((1.0,), 100_000, rng())) == 0
    assert finer(row.sample((0.0,), 100_000, rng())) > 300


# The programs around the zoo.


def test_a_row_is_measured_and_shown():
    row = measure(TruncatedGeometric(), (0.1, 0.01), 20_000, 20_000, seed=0, jobs=1)
    assert list(row.bounds) == [0.1, 0.01]
    assert 0 < row.bounds[0.01] < row.bounds[0.1] < row.truth * 1.5  # at 90 %: above the truth in one seed of ten
    assert row.published == 0.1169
    assert row.draws >= 2 * 20_000
    page = tables.markdown({0.1: [row]}, {"machine": "x"}, "2026-01-01")
    assert "| TruncatedGeometric | 0.1178 | 0.1178 |  | 0.1169 |" in page
    assert len(line(tables.headings(row), "")) <= 100
    assert len(line(tables.cells(row), "+")) <= 100


def test_a_bound_needs_a_last_round():
    result = audit(BadPartialSum(1.0), trials=20_000, alpha=0.1, jobs=1)
    assert result.refuted
    with pytest.raises(ValueError, match="a bound needs a last round"):
        bound(result, 0.1)


def test_marks_compare_to_three_digits():
    row = measure(TruncatedGeometric(), (0.1,), 1_000, 1_000, seed=0, jobs=1)
    ours = row.bounds[0.1]
    marks = [tables.mark(replace(row, published=ours + shift)) for shift in (-0.01, 0.0001, 0.01)]
    assert marks == ["+", "=", "-"]
    assert tables.mark(replace(row, published=None)) == ""


def test_false_alarms_are_counted_for_correct_rows_only():
    # At most 12 of 40 runs at alpha 0.1: a fresh seed fails with probability below 1e-3.
    found = list(false_alarms((TruncatedGeometric(0.1), TruncatedGeometric(1.0)), 40, 200, 0.1, jobs=1))
    assert [one.runs for one in found] == [40]
    assert found[0].fine
    assert not replace(found[0], refuted=found[0].explained + 1).fine


@pytest.mark.parametrize(("value", "text"), [(None, ""), (math.inf, "inf"), (0.09981, "0.0998"), (14.314, "14.31")])
def test_numbers_are_short(value, text):
    assert tables.number(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, ""), (384, "384"), (12_900, "12.9k"), (2_000_000, "2M")])
def test_counts_are_short(value, text):
    assert tables.count(value) == text


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.law(row.neighbours()[0].left) is not None], ids=lambda r: r.id
)
def test_a_law_is_a_law(row):
    for pair in row.neighbours():
        for dataset in (pair.left, pair.right):
            law = row.law(dataset)
            assert sum(law) == pytest.approx(1, abs=1e-4)  # some by sums over a grid
            assert min(law) >= 0


def test_the_law_of_the_numerical_sparse_vector_is_its_sampler_s():
    row = NumericalSVT(1.0)
    dataset = row.neighbours()[3].right
    outputs = row.sample(dataset, 400_000, rng())
    law, at = row.law(dataset), 0
    shapes = [
        *itertools.combinations(range(10), 0),
        *itertools.combinations(range(10), 1),
        *itertools.combinations(range(10), 2),
    ]
    counts = []
    for above in shapes:
        numbers = ~np.isnan(outputs) & (outputs != 0)
        mine = outputs[(numbers[:, list(above)].all(axis=1)) & (numbers.sum(axis=1) == len(above))][:, list(above)]
        cells = np.searchsorted([row.threshold - 1, row.threshold + 1], mine) @ (3 ** np.arange(len(above))[::-1])
        counts += np.bincount(cells, minlength=3 ** len(above)).tolist()
        at += 3 ** len(above)
    assert at == len(law)
    assert_counts(counts, law)


def test_the_law_of_a_released_value_is_its_sampler_s():
    row = BadGapSVT(1.0)
    dataset = row.neighbours()[3].right
    outputs = row.sample(dataset, 400_000, rng())
    law = np.array(row.law(dataset))
    grid = np.linspace(-24 * 4, 24 * 4, (len(law) - 1) // 10)
    step = grid[1] - grid[0]
    edges = np.array([-np.inf, -2.0, 0.7, 3.0, np.inf])
    expected = [
        law[i * len(grid) : (i + 1) * len(grid)][(grid >= a) & (grid < b)].sum()
        for i in range(10)
        for a, b in itertools.pairwise(edges)
    ]
    found = ~np.isnan(outputs) & (outputs != 0)
    counts = [
        np.count_nonzero(found[:, i] & (outputs[:, i] >= a - step / 2) & (outputs[:, i] < b - step / 2))
        for i in range(10)
        for a, b in itertools.pairwise(edges)
    ]
    assert_counts([*counts, np.count_nonzero(~found.any(axis=1))], np.array([*expected, law[-1]]) / law.sum())


def test_the_oracle_is_what_the_best_event_certifies():
    exact = quadrature.first_above((1, 1, 1), 1, 2, 4), quadrature.first_above((2, 2, 0), 1, 2, 4)
    found = oracle([exact], 10**6, 0.05)
    assert quadrature.largest_ratio(*exact) > found > 0.9 * quadrature.largest_ratio(*exact)
    assert oracle([exact], 10**3, 0.05) < found
    assert oracle([(exact[0], exact[0])], 10**6, 0.05) == 0
