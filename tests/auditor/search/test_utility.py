"""Promises choose events and are never reported: what matters is what they prefer."""

import math

import numpy as np
import pytest

from auditor.certify import exact
from auditor.certify.evidence import Point
from auditor.certify.exact import Guesses
from auditor.events.scores import Region, Value
from auditor.learner_tuning import Calibration
from auditor.search.candidates import Curve, Regions, Scored, Tail
from auditor.search.past import curve_of
from auditor.search.prediction import with_model
from auditor.search.utility import Growth, LowerBound, Seen, Significance

PURE, APPROX = Point(1.0, 0.0), Point(1.0, 0.01)
UTILITIES = [
    Growth(PURE),
    Growth(APPROX),
    LowerBound(PURE, 1e5, 0.01),
    LowerBound(APPROX, 1e5, 0.01),
    Significance(PURE),
    Significance(APPROX),
]


def seen(correct, wrong, trials=1000.0, directions=1) -> Seen:
    return Seen(
        np.atleast_1d(np.array(correct, float)), np.atleast_1d(np.array(wrong, float)), trials, trials, directions
    )


@pytest.mark.parametrize("utility", UTILITIES, ids=str)
def test_more_correct_and_fewer_wrong_guesses_promise_more(utility):
    values = utility.value(seen([300, 400, 500, 500], [80, 80, 80, 40]))
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize("utility", UTILITIES, ids=str)
def test_the_same_rates_seen_more_often_promise_more(utility):
    values = [utility.value(seen(400 * k, 80 * k, 1000.0 * k))[0] for k in (1, 4, 16)]
    assert values == sorted(values)
    assert values[0] < values[2]


@pytest.mark.parametrize("utility", UTILITIES, ids=str)
def test_one_lucky_draw_promises_less_than_a_plain_event(utility):
    lucky, plain = utility.value(seen([1, 400], [0, 100]))
    assert lucky < plain


@pytest.mark.parametrize("point", [PURE, APPROX])
def test_what_keeps_the_claim_promises_no_growth_and_no_bound_above_it(point):
    at = seen(271, 100)  # e times as many
    assert Growth(point).value(at)[0] <= 1e-4
    assert LowerBound(point, 1e5, 0.01).value(at)[0] < 0


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_a_promised_bound_is_about_what_the_exact_test_gives(delta):
    """With a long past, on counts at their expectations: within .03 of the bound itself."""
    point, size, alpha = Point(1.0, delta), 100_000, 0.01
    promised = LowerBound(point, size, alpha).value(seen(4e6, 1e6, 1e7))[0] + point.epsilon
    counts = Guesses(round(0.2 * size), round(0.05 * size), size)
    certified = exact.epsilon_lower(counts, delta / 2, math.exp(point.epsilon + 0.3), alpha)
    assert promised == pytest.approx(certified, abs=0.03)


def test_noise_on_a_number_is_guessed_in_its_tails():
    """Laplace noise has its full ratio below 0 and above 1; between them guesses would be watered down."""
    rng = np.random.default_rng(0)
    left, right = np.sort(rng.laplace(0, 1, 20_000)), np.sort(1 + rng.laplace(0, 1, 20_000))
    scored = Scored(Value("x"), curve_of(left, right), "values")
    for utility in (Growth(Point(0.5, 0.0)), LowerBound(PURE, 1e6, 0.01)):
        proposal = Regions([scored]).best([utility])
        assert proposal is not None
        event = proposal.event
        for region, op, sign, limit in ((event.left, "<=", 1, 0.5), (event.right, ">=", -1, -0.5)):
            assert region is None or (region.op == op and sign * region.at <= limit)


def test_a_leak_in_one_direction_is_guessed_in_that_one():
    """Right is 5 in a fifth of the draws, left never: guessing right when x is above 1 pays."""
    rng = np.random.default_rng(1)
    left = np.sort(rng.random(20_000))
    right = np.sort(np.where(rng.random(20_000) < 0.2, 5.0, rng.random(20_000)))
    for utility in (Growth(PURE), LowerBound(PURE, 1e6, 0.01)):
        proposal = Regions([Scored(Value("x"), curve_of(left, right), "values")]).best([utility])
        assert proposal is not None
        region = proposal.event.right
        assert region is not None
        assert region.op == ">="
        assert 0.99 < region.at <= 5.0


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_scores_judged_together_are_judged_as_each_alone(delta):
    """With and without a model, without a threshold, and with the same score twice, of which the first is meant."""
    rng = np.random.default_rng(2)
    point = Point(0.5, delta)
    utilities = [Growth(point), LowerBound(point, 1e6, 0.01), LowerBound(Point(0.0, 0.3), 1e5, 0.1)]
    samples = [(np.sort(rng.laplace(0, s, 400)), np.sort(1 + rng.laplace(0, s, 500))) for s in (3.0, 0.7, 0.7, 1.5)]
    samples.append((np.array([np.nan]), np.array([np.nan])))
    scores = [Scored(Value(f"x[{place}]"), curve_of(*sides), "values") for place, sides in enumerate(samples)]
    scores += [
        Scored(Value(f"x[{9 + place}]"), with_model(*sides, Calibration()), "values")
        for place, sides in enumerate(samples[:2])
    ]
    scores += [Scored(scored.score, scored.curve, "bits") for scored in scores]
    for utility in utilities:
        alone = [best for scored in scores if (best := Regions([scored]).best([utility])) is not None]
        best = max(alone, key=lambda proposal: proposal.value)
        assert Regions(scores).best([utility]) == best
        assert best.event.view == "values"


def test_of_equal_tails_the_smallest_is_meant():
    """Nothing lies between 0 and 9, and only right ever gives 9: there is no point in guessing from 3 on."""
    none, some = np.zeros(3), np.full(3, 20.0)
    low = Tail("<=", np.array([0.0]), np.array([100.0]), np.array([80.0]))
    curve = Curve(low, Tail(">=", np.array([3.0, 5.0, 9.0]), none, some), 100, 100)
    best = Regions([Scored(Value("x"), curve, "values")]).best([Growth(PURE)])
    assert best is not None
    assert (best.event.left, best.event.right) == (None, Region(">=", 9.0))


def test_a_curve_without_thresholds_has_no_event():
    empty = np.array([np.nan, np.nan])
    assert Regions([Scored(Value("x"), curve_of(empty, empty), "values")]).best([Growth(PURE)]) is None


def test_the_curve_of_a_score_counts_its_tails():
    left, right = np.array([0.0, 1.0, 1.0, np.nan]), np.array([1.0, 2.0, np.nan])
    curve = curve_of(left, right)
    assert (curve.left_trials, curve.right_trials) == (4, 3)
    counted = {float(t): (a, b) for t, a, b in zip(curve.low.at, curve.low.left, curve.low.right, strict=True)}
    assert counted[1.0] == (3.0, 1.0)
    above = {float(t): (a, b) for t, a, b in zip(curve.high.at, curve.high.left, curve.high.right, strict=True)}
    assert above[1.0] == (2.0, 2.0)


def test_significance_is_comparable_between_points_where_bounds_are_not():
    """N(1.36, 1) against N(0, 1), claim 1.2-GDP: the middle is passed by more standard errors than the tail is.

    Half of the draws in the middle (total variation) against a tail of one in ten: the tail passes its point by more
    epsilon, and is less certain to.
    """
    middle, tail = Point(0.0, 0.4515), Point(2.388, 0.03)
    both, few = seen(3007, 993, 2000.0, directions=2), seen(215, 3, 2000.0)
    z = Significance(middle).value(both)[0], Significance(tail).value(few)[0]
    assert z[0] > z[1]
    bounds = [LowerBound(point, 15_000, 0.035).value(what)[0] for point, what in ((middle, both), (tail, few))]
    assert bounds[0] < bounds[1]


def test_a_tail_without_wrong_guesses_is_not_infinitely_significant():
    values = Significance(Point(1.0, 0.0)).value(seen([3, 30, 300], [0, 0, 0]))
    assert values[0] < 0 < values[1] < values[2] < 100
