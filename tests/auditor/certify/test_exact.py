"""The statistical core against references: scipy, exact enumeration, simulation where neither is possible."""

import math
from dataclasses import replace

import numpy as np
import pytest
from enumeration import pmf, rejected, size_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from auditor.certify import evidence, exact
from auditor.certify.evidence import Evidence, Point, Round
from auditor.certify.exact import Guesses
from auditor.certify.tails import tails

# delta = 0: the binomial test


@pytest.mark.parametrize(("correct", "wrong"), [(1, 0), (7, 0), (3, 1), (60, 20), (900, 300), (5000, 4000), (10, 90)])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3])
def test_binomial_bound_is_clopper_pearson(correct, wrong, alpha):
    test = stats.binomtest(correct, correct + wrong, alternative="greater")
    low = test.proportion_ci(confidence_level=1 - alpha, method="exact").low
    expected = max(0.0, math.log(low / (1 - low)))
    assert exact.binomial_epsilon(correct, wrong, alpha) == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(("correct", "wrong"), [(0, 0), (0, 5), (1, 0), (30, 10), (800, 300)])
def test_binomial_p_value_is_scipys(correct, wrong, epsilon):
    expected = 1.0
    if correct + wrong:
        limit = math.exp(epsilon) / (1 + math.exp(epsilon))
        expected = stats.binomtest(correct, correct + wrong, limit, alternative="greater").pvalue
    assert exact.binomial_p_value(correct, wrong, epsilon) == pytest.approx(expected, rel=1e-8)


@settings(deadline=None)
@given(st.integers(1, 3000), st.integers(0, 3000), st.floats(1e-6, 0.4))
def test_binomial_bound_and_p_value_agree(correct, wrong, alpha):
    bound = exact.binomial_epsilon(correct, wrong, alpha)
    if bound > 0:
        assert exact.binomial_p_value(correct, wrong, bound) == pytest.approx(alpha, rel=1e-6)
    assert exact.binomial_p_value(correct, wrong, bound + 1e-3) > alpha * (1 - 1e-9)


def test_no_guess_proves_nothing():
    assert exact.binomial_epsilon(0, 0, 0.05) == 0.0
    assert exact.epsilon_lower(Guesses(0, 0, 100), 0.0, 1.0, 0.05) == 0.0
    assert exact.epsilon_lower(Guesses(0, 0, 100), 0.01, 1.0, 0.05) == 0.0
    assert exact.p_value(Guesses(0, 0, 100), 1.0, 0.01, 1.0, 0.05) == 1.0


# delta > 0: the trinomial test


@pytest.mark.parametrize(
    ("trials", "epsilon", "cost", "weight", "level"),
    [
        (30, 0.0, 0.05, 1.0, 0.05),
        (30, 1.0, 0.1, math.e, 0.1),
        (40, 0.5, 0.01, 4.0, 0.05),
        (60, 0.5, 0.2, 1.5, 0.01),
    ],
)
def test_trinomial_test_is_valid_whatever_the_wrong_guesses(trials, epsilon, cost, weight, level):
    table = rejected(trials, epsilon, cost, weight, level)
    size = size_of(table, epsilon, cost)
    assert size <= level
    assert size >= level / 10  # and it is not empty


@pytest.mark.parametrize(
    ("counts", "epsilon", "cost", "weight"),
    [
        (Guesses(25, 2, 50), 0.5, 0.05, 2.0),
        (Guesses(40, 10, 60), 0.5, 0.02, 2.0),
        (Guesses(12, 0, 60), 1.0, 0.05, 1.0),
        (Guesses(30, 8, 60), 0.3, 0.1, 3.0),
        (Guesses(18, 6, 60), 0.5, 0.1, 3.0),
    ],
)
def test_trinomial_p_value_bounds_the_brute_force_supremum(counts, epsilon, cost, weight):
    level = 0.2
    beta = level / 200
    low = stats.beta.ppf(beta / 2, counts.wrong, counts.trials - counts.wrong + 1) if counts.wrong else 0.0
    high = stats.beta.ppf(1 - beta / 2, counts.wrong + 1, counts.trials - counts.wrong)
    i = np.arange(counts.trials + 1)
    tail = i[:, None] - weight * i[None, :] >= counts.correct - weight * counts.wrong - 1e-9
    brute = beta + max(
        float(pmf(counts.trials, min(1 - w, math.exp(epsilon) * w + cost), w)[tail].sum())
        for w in np.linspace(low, high, 400)
    )
    found = exact.trinomial_p_value(counts, epsilon, cost, weight, level)
    assert found >= min(1.0, brute) - 1e-12
    if brute < 0.8 * level:
        assert found <= level
    if brute > level:
        assert found == 1.0


def test_trinomial_tail_in_blocks_is_an_upper_bound_and_close():
    for trials, wrong, correct in ((500, 0.3, 0.5), (5000, 0.1, 0.3), (20000, 0.02, 0.05)):
        for z in (1.0, 2.5):
            statistic = math.ceil(trials * (correct - 2 * wrong) + z * math.sqrt(trials * (correct + 4 * wrong)))
            w = np.arange(trials + 1)
            need = np.ceil(statistic + 2 * w)
            whole = stats.binom.pmf(w, trials, wrong) @ stats.binom.sf(need - 1, trials - w, correct / (1 - wrong))
            found = tails([wrong], [correct], 2.0, Guesses(statistic, 0, trials))[0]
            assert whole <= found * (1 + 1e-9)
            assert found <= 1.35 * whole


@pytest.mark.parametrize("trials", [200, 10**5, 10**9, 2**45])
@pytest.mark.parametrize(("wrong", "correct"), [(0.0, 8.0), (3.0, 9.0), (3.0, 20.0)])
def test_rare_guesses_have_the_tail_that_their_sum_has(trials, wrong, correct):
    """With few guesses expected each number of wrong ones is a block of its own, so the bound is the tail itself; up to
    what `nothing` and the last block, five standard deviations out, may add to it."""
    for statistic in (8, 14, 25):
        w = np.arange(60)
        sure = stats.binom.sf(statistic + 2 * w - 1, trials - w, correct / trials / (1 - wrong / trials))
        whole = float(stats.binom.pmf(w, trials, wrong / trials) @ sure)
        (found,) = tails([wrong / trials], [correct / trials], 2.0, Guesses(statistic, 0, trials))
        assert whole * (1 - 1e-9) <= found <= whole * (1 + 1e-8) + 1e-12


@pytest.mark.parametrize("trials", [30, 60])
@pytest.mark.parametrize("cost", [0.02, 0.1])
def test_rejection_is_monotone_in_epsilon(trials, cost):
    level, weight = 0.05, 2.0
    for correct in range(0, trials + 1, 5):
        for wrong in range(0, trials - correct + 1, 3):
            said = [
                exact.trinomial_p_value(Guesses(correct, wrong, trials), e, cost, weight, level) <= level
                for e in np.linspace(0.001, 4, 16)
            ]
            assert said == sorted(said, reverse=True), (correct, wrong)


@pytest.mark.parametrize(("correct", "wrong", "trials"), [(400, 60, 1000), (90, 20, 100), (5000, 1000, 20_000)])
def test_trinomial_bound_is_the_boundary_of_its_test(correct, wrong, trials):
    counts, cost, weight, level = Guesses(correct, wrong, trials), 0.01, 3.0, 0.05
    bound = exact.epsilon_lower(counts, cost, weight, level)
    assert 0 < bound < math.log((correct / trials - cost) / (wrong / trials))
    assert exact.p_value(counts, bound, cost, weight, level) <= level
    assert exact.p_value(counts, bound + 0.02, cost, weight, level) > level


def test_trinomial_bound_covers_the_truth_exactly():
    """P[bound > truth] by enumeration, at the truth's own boundary."""
    trials, epsilon, cost, weight, level = 30, 0.7, 0.05, 2.0, 0.1
    bound = np.full((trials + 1, trials + 1), -1.0)
    for correct in range(trials + 1):
        for wrong in range(trials + 1 - correct):
            bound[correct, wrong] = exact.epsilon_lower(Guesses(correct, wrong, trials), cost, weight, level)
    for w in (0.0, 0.01, 0.05, 0.1, 0.2, 0.3):
        assert pmf(trials, min(1 - w, math.exp(epsilon) * w + cost), w)[bound > epsilon].sum() <= level


def test_the_reported_p_value_is_one():
    """P[p <= x] <= x for every x that can be reported, by enumeration."""
    trials, epsilon, cost, weight, level = 40, 0.5, 0.05, 2.0, 0.2
    p = np.ones((trials + 1, trials + 1))
    for correct in range(trials + 1):
        for wrong in range(trials + 1 - correct):
            p[correct, wrong] = exact.p_value(Guesses(correct, wrong, trials), epsilon, cost, weight, level)
    assert (p < level / 10).any()
    for w in (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.35):
        mass = pmf(trials, min(1 - w, math.exp(epsilon) * w + cost), w).ravel()
        order = np.argsort(p.ravel(), kind="stable")
        reached = np.cumsum(mass[order])
        values = p.ravel()[order]
        last = np.append(values[1:] != values[:-1], True)
        assert (reached[last] <= values[last] + 1e-12).all(), w


def test_a_smaller_delta_is_easier_to_refute():
    counts = Guesses(300, 80, 1000)
    found = [exact.epsilon_lower(counts, cost, 3.0, 0.05) for cost in (1e-6, 0.01, 0.05, 0.1)]
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(exact.binomial_epsilon(300, 80, 0.05), rel=0.08)


# the running evidence


def outcomes(trials: int) -> list[tuple[int, int]]:
    return [(r, w) for r in range(trials + 1) for w in range(trials + 1 - r)]


def chance(trials: int, correct: int, wrong: int, r: float, w: float) -> float:
    return float(stats.multinomial.pmf([correct, wrong, trials - correct - wrong], trials, [r, w, 1 - r - w]))


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.1), (0.0, 0.3), (2.0, 1e-3)])
def test_wealth_is_a_fair_game_at_the_boundary_and_a_losing_one_inside(epsilon, delta, directions):
    trials, w = 5, 0.1
    limit = math.exp(epsilon) * w + delta * directions / 2
    for r, fair in ((limit, True), (0.8 * limit, False)):
        mean = 0.0
        for correct, wrong in outcomes(trials):
            evidence = Evidence([Point(epsilon, delta)])
            evidence.add(Round(correct, wrong, trials, directions))
            mean += chance(trials, correct, wrong, r, w) * math.exp(evidence.log_value)
        assert mean == pytest.approx(1.0, abs=1e-9) if fair else mean < 1


def test_wealth_stays_fair_when_the_past_chooses_the_next_event():
    """Two rounds; the second's directions, size and rate of guesses depend on what the first one showed."""
    point, w, trials = Point(0.5, 0.1), 0.15, 3
    mean = 0.0
    for correct, wrong in outcomes(trials):
        first = chance(trials, correct, wrong, math.exp(0.5) * w + 0.05, w)
        lucky = correct > 1
        size, directions, rare = (4, 2, 0.02) if lucky else (2, 1, 0.2)
        limit = math.exp(point.epsilon) * rare + point.delta * directions / 2
        for more, less in outcomes(size):
            evidence = Evidence([point])
            evidence.add(Round(correct, wrong, trials, 1))
            evidence.add(Round(more, less, size, directions))
            mean += first * chance(size, more, less, limit, rare) * math.exp(evidence.log_value)
    assert mean == pytest.approx(1.0, abs=1e-9)


def peaks(true: float, claimed: float, runs: int, looks: int, seed: int) -> np.ndarray:
    """Peaks of the evidence against `claimed` over many looks at randomized response with epsilon `true`."""
    rng = np.random.default_rng(seed)
    share = math.exp(true) / (1 + math.exp(true))
    found = []
    for _ in range(runs):
        evidence = Evidence([Point(claimed, 0.0)])
        for size in 10 * 1.3 ** np.arange(looks):
            correct = int(rng.binomial(int(size), share))
            evidence.add(Round(correct, int(size) - correct, int(size), 2))
        found.append(evidence.peak)
    return np.array(found)


def test_evidence_seldom_peaks_under_a_tight_claim_and_grows_under_a_false_one():
    """Ville at four levels; false-alarm probability of this test below 4e-6."""
    runs = 1000
    found = peaks(1.0, 1.0, runs, 20, seed=1)
    for level in (0.5, 0.2, 0.05, 0.01):
        assert (found >= -math.log(level)).sum() <= stats.binom.isf(1e-6, runs, level)
    assert (found >= math.log(2)).mean() > 0.05  # the game is played: about one in ten doubles its money
    assert (peaks(1.3, 1.0, 50, 20, seed=2) > math.log(100)).mean() > 0.9


def test_the_bound_after_an_early_stop_covers_the_truth():
    """Randomized response with epsilon 1, a claim of .5, stopped when refuted; fails by chance below 1e-6."""
    rng = np.random.default_rng(3)
    share, level, runs, above, below = math.e / (1 + math.e), 0.2, 250, 0, []
    for _ in range(runs):
        evidence = Evidence([Point(0.5, 0.0)])
        while evidence.peak < -math.log(level) and len(evidence.rounds) < 40:
            correct = int(rng.binomial(40, share))
            evidence.add(Round(correct, 40 - correct, 40, 2))
        lower = evidence.epsilon_lower(level)
        above += lower > 1.0
        below.append(lower)
    assert above <= stats.binom.isf(1e-6, runs, level)
    assert np.median(below) > 0.5  # it says more than the claim it refuted


def evidence_of(this: Round, *points: Point) -> Evidence:
    evidence = Evidence(points)
    evidence.add(this)
    return evidence


def test_the_bound_after_an_early_stop_starts_at_the_claim():
    even, sure = Round(50, 50, 100, 1), Round(10_000, 1000, 20_000, 1)
    for epsilon in (0.0, 1.0):
        assert evidence_of(even, Point(epsilon, 0.0)).epsilon_lower(0.05) == epsilon
    found = [evidence_of(sure, Point(epsilon, 0.0)).epsilon_lower(0.05) for epsilon in (0.0, 1.0)]
    assert found[0] == pytest.approx(found[1], abs=0.011)


CURVE = (Point(3.0, 0.001), Point(0.5, 0.1), Point(2.0, 0.01))


def test_points_share_the_level_in_the_order_in_which_the_past_chose_them():
    """The first has three quarters of it, the second three quarters of the rest, the last of three all that is left."""
    this = Round(300, 20, 1000, 1)
    alone = {point: evidence_of(this, point).peak for point in CURVE}
    for order in ((1, 0, 2), (0, 2, 1)):
        together = Evidence(CURVE)
        for index in order:
            together.add(replace(this, point=CURVE[index]))
        rounds = {CURVE[index]: 3 - place for place, index in enumerate(order)}  # from its choice on
        shares = 3 / 4, 3 / 16, 1 / 16
        prices = {CURVE[index]: -math.log(share) for share, index in zip(shares, order, strict=True)}
        assert together.followed == tuple(CURVE[index] for index in order)
        assert sum(math.exp(-price) for price in prices.values()) == pytest.approx(1.0)
        values = {}
        for point in CURVE:
            one = Evidence([point])
            for _ in range(rounds[point]):
                one.add(this)
            values[point] = one.log_value - prices[point]
        assert together.log_value == pytest.approx(max(values.values()))
        assert together.point == max(values, key=values.__getitem__)
    assert max(alone, key=alone.__getitem__) == CURVE[1]


def test_the_bound_of_a_curve_is_at_the_level_of_the_named_point():
    this = Round(300, 20, 1000, 1, CURVE[1])
    together = evidence_of(this, *CURVE)
    assert together.point == CURVE[1]
    assert together.epsilon_lower(0.2) == evidence_of(this, CURVE[1]).epsilon_lower(0.15) > CURVE[1].epsilon


def test_one_point_has_the_whole_level():
    this = Round(300, 20, 1000, 1)
    assert evidence_of(this, CURVE[1]).peak == evidence_of(replace(this, point=CURVE[1]), CURVE[1]).peak
    assert Evidence(CURVE).log_value == Evidence(CURVE).peak == 0.0


RATE = 0.1
TIGHT_POINTS = tuple(
    Point(math.log((math.e * RATE + 0.1 - delta / 2) / RATE), delta) for delta in (0.2, 0.15, 0.1, 0.05, 0.0)
)


def refuted_by_greed(runs: int, level: float, free: bool) -> int:
    """How many audits of an event that is tight at five points refute one. The next round's point is the one against
    which the past looks worst. `free` is the broken twin: every point that is chosen has the whole level, and counts
    the rounds before it was chosen."""
    rng = np.random.default_rng(4)
    count = 0
    for _ in range(runs):
        evidence, twins = Evidence(TIGHT_POINTS), [Evidence([point]) for point in TIGHT_POINTS]
        for size in 10 * 1.5 ** np.arange(12):
            chosen = TIGHT_POINTS[int(np.argmax([twin.log_value for twin in twins]))]
            correct, wrong, _ = rng.multinomial(int(size), [math.e * RATE + 0.1, RATE, 0.9 - (1 + math.e) * RATE])
            this = Round(int(correct), int(wrong), int(size), 1, chosen)
            evidence.add(this)
            for twin in twins:
                twin.add(replace(this, point=None))
        count += max(twin.peak for twin in twins) >= -math.log(level) if free else evidence.peak >= -math.log(level)
    return count


def test_a_tight_curve_is_seldom_accused_by_any_point_that_the_past_chooses():
    """Fails by chance below 1e-6; the twin that pays for no choice is accused more often than the real one."""
    level, runs = 0.2, 250
    count = refuted_by_greed(runs, level, free=False)
    assert 0 < count <= stats.binom.isf(1e-6, runs, level)
    assert refuted_by_greed(runs, level, free=True) > 1.5 * count


def test_growth_is_what_the_best_stake_earns():
    correct, wrong = np.array([0.3, 0.1, 0.05]), np.array([0.05, 0.1, 0.0])
    for point in (Point(1.0, 0.0), Point(0.5, 0.01)):
        for directions in (1, 2):
            z = np.array([2.0, -2 * math.exp(point.epsilon), 0.0]) - point.delta * directions
            stakes = np.linspace(0, 0.999, 4000)[:, None] / -z[1]
            none = 1 - correct - wrong
            brute = (
                correct * np.log1p(stakes * z[0]) + wrong * np.log1p(stakes * z[1]) + none * np.log1p(stakes * z[2])
            ).max(axis=0)
            assert evidence.growth(correct, wrong, point, directions) == pytest.approx(brute, rel=0.05, abs=1e-6)


def one_by_one(counts, epsilon, cost, weight, level):
    """The same test with one cell after the other, from eight cells on, and every block of wrong guesses in full."""
    low, high = exact.nuisance_set(counts.wrong, counts.trials, level / exact.NUISANCE_PART)
    cells, worst, smallest = [(low, high)], 0.0, (high - low) / 2**9
    for _ in range(3):
        cells = [half for a, b in cells for half in ((a, (a + b) / 2), ((a + b) / 2, b))]
    while cells:
        a, b = cells.pop()
        most = min(1.0 - a, math.exp(epsilon) * b + cost)
        (tail,) = tails([a], [most], weight, counts, width=math.sqrt(-2 * math.log(1e-5 * level)))
        if tail + level / exact.NUISANCE_PART <= level:
            worst = max(worst, tail)
        elif b - a <= smallest:
            return 1.0
        else:
            cells += [(a, (a + b) / 2), ((a + b) / 2, b)]
    return worst + level / exact.NUISANCE_PART


def test_all_cells_of_a_depth_at_once_say_what_cells_one_by_one_say():
    rng, rejected = np.random.default_rng(5), 0
    for _ in range(60):
        trials = int(rng.integers(50, 4000))
        r, w = sorted(rng.random(2) * 0.2, reverse=True)
        counts = Guesses(int(trials * r), int(trials * w * 0.5), trials)
        epsilon, cost, weight, level = rng.random() * 2, 0.01 * rng.random(), 1 + 3 * rng.random(), 0.05 * rng.random()
        found, expected = (test(counts, epsilon, cost, weight, level) for test in (exact.trinomial_p_value, one_by_one))
        assert found == pytest.approx(expected, rel=1e-6, abs=2e-5 * level)
        assert found >= expected * (1 - 1e-12)  # what is left out only enlarges it
        rejected += found <= level
    assert 10 < rejected < 55


@pytest.mark.parametrize("nothing", [1e-12, 1e-9, 1e-3])
def test_what_is_taken_for_nothing_only_enlarges_a_tail(nothing):
    rng = np.random.default_rng(2)
    for _ in range(40):
        trials = int(rng.integers(20, 3000))
        wrong = float(rng.random() * 0.3)
        correct = float(rng.random() * (1 - wrong))
        counts = Guesses(int(trials * min(1 - wrong, 1.2 * correct)), int(trials * wrong), trials)
        (whole,) = tails([wrong], [correct], 2.0, counts)
        (rough,) = tails([wrong], [correct], 2.0, counts, nothing=nothing)
        assert whole * (1 - 1e-12) <= rough <= (whole + nothing) * (1 + 1e-8)


def test_tails_at_once_are_the_tails_one_by_one():
    counts, wrong, correct = Guesses(90, 20, 1000), [0.0, 0.01, 0.02, 0.05, 1.0], [0.1, 0.08, 0.2, 0.05, 0.0]
    alone = [tails([w], [r], 3.0, counts)[0] for w, r in zip(wrong, correct, strict=True)]
    assert tails(wrong, correct, 3.0, counts) == pytest.approx(alone, rel=1e-12)


def test_what_is_taken_for_nothing_keeps_tails_rising():
    counts, wrong, shares = Guesses(70, 20, 1000), 0.02, np.linspace(0.001, 0.4, 4000)
    rising = tails([wrong] * len(shares), shares.tolist(), 2.0, counts, nothing=1e-4)
    assert np.diff(rising).min() >= -1e-15
    assert rising[0] < 1e-3 < 0.999 < rising[-1]
