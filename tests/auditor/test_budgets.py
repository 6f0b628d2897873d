"""Audits that measure on after a refutation, and audits with a budget of time in place of trials."""

import math
import time

import hypothesis.strategies as st
import numpy as np
import pytest
from scipy import stats

from auditor import ApproxDP, GaussianDP, UsageError, audit, engine, neighbouring, per_draw
from auditor.certify import evidence as evidence_module
from auditor.certify import exact
from auditor.certify.evidence import Evidence, Point, Round

PAIR = [(0, 1)]


def shows(dataset, n, rng):
    """The dataset itself: epsilon is infinite."""
    return np.full(n, float(dataset))


def response(epsilon):
    """Randomized response: tight at epsilon."""
    lie = 1 / (1 + math.exp(epsilon))
    return lambda dataset, n, rng: np.where(rng.random(n) < lie, 1 - dataset, dataset)


def slow(dataset, rng):
    time.sleep(0.001)
    return float(dataset + rng.laplace())


def quick(mechanism, claim, **options):
    return audit(mechanism, claim, PAIR, **{"trials": 20_000, "jobs": 1, "views": ("values",), **options})


def allowed(runs, alpha):
    """False alarms that a sound audit exceeds with probability below 1e-4."""
    return stats.binom.ppf(1 - 1e-4, runs, alpha)


@pytest.mark.parametrize("claim", [ApproxDP(1.0), ApproxDP(1.0, 1e-3), GaussianDP(1.0)])
def test_measuring_certifies_much_more_of_an_infinite_epsilon(claim):
    stopped, measured = (quick(shows, claim, stop_early=stop) for stop in (True, False))
    assert stopped.refuted
    assert measured.refuted
    assert stopped.trials_used < 1000
    assert measured.trials_used == measured.trials == 20_000
    assert measured.epsilon_lower > 2 * stopped.epsilon_lower


def test_measuring_gives_the_same_where_the_evidence_never_suffices():
    results = [quick(response(1.0), ApproxDP(1.0), stop_early=stop) for stop in (True, False)]
    assert not results[0].refuted
    assert len({result.without_timings().to_json() for result in results}) == 1


def test_measuring_gives_the_same_bytes_whatever_the_workers():
    results = [quick(response(2.0), ApproxDP(1.0), stop_early=False, jobs=jobs) for jobs in (1, 2)]
    assert len({result.without_timings().to_json() for result in results}) == 1


@pytest.mark.parametrize("claimed", [1.0, 0.2])
def test_measuring_on_costs_no_false_alarms(claimed):
    """Exactly tight at epsilon 1: neither a true claim is refuted nor the truth exceeded more often than alpha allows.

    Sound code fails with probability below 1e-4.
    """
    runs, alpha = 60, 0.2
    results = [
        quick(response(1.0), ApproxDP(claimed), trials=150, alpha=alpha, seed=seed, stop_early=False)
        for seed in range(runs)
    ]
    assert sum(result.epsilon_lower > 1.0 for result in results) <= allowed(runs, alpha)
    if claimed == 1.0:
        assert sum(result.refuted for result in results) <= allowed(runs, alpha)


def test_the_levels_of_both_kinds_of_evidence_and_the_last_test_add_up_to_alpha(monkeypatch):
    levels, bound, last, concluded = {}, Evidence.epsilon_lower, exact.epsilon_lower, engine.conclude

    def running(self, alpha, at_peak=False):
        levels["running"] = alpha
        return bound(self, alpha, at_peak)

    def exactly(guesses, cost, weight, alpha):
        levels["last"] = alpha
        return last(guesses, cost, weight, alpha)

    def conclude(asked, pairs, examiner, plan, *rest):
        levels["lone"] = plan.lone
        return concluded(asked, pairs, examiner, plan, *rest)

    monkeypatch.setattr(engine, "conclude", conclude)
    monkeypatch.setattr(Evidence, "epsilon_lower", running)
    monkeypatch.setattr(exact, "epsilon_lower", exactly)
    quick(response(3.0), ApproxDP(1.0), stop_early=False, alpha=0.03)
    assert set(levels) == {"running", "lone", "last"}
    assert sum(levels.values()) == pytest.approx(0.03)


@pytest.mark.parametrize(("last", "phase"), [(9.0, "last round"), (0.0, "running evidence")])
def test_the_larger_bound_is_reported_with_its_witness(last, phase, monkeypatch):
    """Evidence that once sufficed refutes, whatever the last round finds."""
    monkeypatch.setattr(exact, "epsilon_lower", lambda *_: last)
    monkeypatch.setattr(exact, "p_value", lambda *_: 1.0)
    result = quick(response(3.0), ApproxDP(1.0), stop_early=False)
    assert result.refuted
    assert result.witness.phase == phase
    assert result.epsilon_lower == last if last else 1.0 < result.epsilon_lower <= 3.0


def peaks_covered(runs=60, level=0.2):
    """Whether the bound of processes at their peaks exceeds the truth, 1, at most as often as its level allows."""
    rng, exceeded = np.random.default_rng(5), 0
    for _ in range(runs):
        evidence = Evidence([Point(0.2, 0.0)])
        for correct in rng.binomial(20, 1 / (1 + math.exp(-1.0)), 40):
            evidence.add(Round(int(correct), 20 - int(correct), 20, 2))
        if evidence.peak >= -math.log(level):
            exceeded += evidence.epsilon_lower(level, at_peak=True) > 1.0
    return exceeded <= allowed(runs, level)


def test_the_bound_at_the_peak_holds_and_one_that_leaves_out_lost_rounds_does_not(monkeypatch):
    """Sound code fails with probability below 1e-4."""
    course = evidence_module.log_wealth_by_round

    def only_won(rounds, point, stakes):
        return np.cumsum(np.maximum(np.diff(course(rounds, point, stakes), axis=0, prepend=0.0), 0.0), axis=0)

    assert peaks_covered()
    monkeypatch.setattr(evidence_module, "log_wealth_by_round", only_won)
    assert not peaks_covered()


def test_later_rounds_take_nothing_back():
    evidence = Evidence([Point(1.0, 0.0)])
    evidence.add(Round(99, 1, 100, 2))
    before = evidence.epsilon_lower(0.01)
    assert before > 1.5
    assert evidence.epsilon_lower(0.01, at_peak=True) == before
    evidence.add(Round(500, 500, 1000, 2))
    assert evidence.epsilon_lower(0.01) == 1.0
    assert evidence.epsilon_lower(0.01, at_peak=True) == before


def test_seconds_become_a_fixed_number_of_trials():
    """Of calls of a millisecond or more, 500 fit in half a second: 250 a side at the most."""
    result = quick(per_draw(slow), ApproxDP(1.0), trials=1_000_000, seconds=0.5)
    assert 1 <= result.trials <= 250
    assert not result.refuted


def test_several_pairs_share_the_seconds():
    result = audit(per_draw(slow), ApproxDP(1.0), [(0, 1), (1, 0), (0, 0)], seconds=0.5, jobs=1, views=("values",))
    assert 1 <= result.trials <= 125


@pytest.mark.parametrize("pairs", [PAIR, neighbouring(st.lists(st.floats(0, 1), max_size=2))])
def test_the_trials_of_a_result_repeat_it_whatever_the_workers(pairs):
    def mechanism(dataset, n, rng):
        return np.sum(dataset) + rng.laplace(0, 1, n)

    timed = audit(mechanism, ApproxDP(1.0), pairs, seconds=0.05, jobs=2, views=("values",))
    assert 1 <= timed.trials <= 125_000  # by the auditor's own time for a draw alone
    again = audit(mechanism, ApproxDP(1.0), pairs, trials=timed.trials, jobs=1, views=("values",))
    assert again.without_timings().to_json() == timed.without_timings().to_json()


def test_seconds_never_raise_the_trials():
    assert quick(response(1.0), ApproxDP(1.0), trials=700, seconds=3600).trials == 700


def test_seconds_within_a_time_limit():
    assert quick(response(1.0), ApproxDP(1.0), trials=700, seconds=3600, time_limit=300).trials == 700


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seconds": 0}, "seconds must be a number of seconds above 0, got seconds=0"),
        ({"seconds": "1"}, "seconds must be .*got seconds='1'"),
        ({"seconds": math.nan}, "seconds must be .*got seconds=nan"),
        ({"seconds": 1.0, "checkpoint": "kept.json"}, "a checkpoint must have a fixed number of trials.*give trials"),
        ({"stop_early": 0}, "stop_early must be True or False, got stop_early=0"),
    ],
)
def test_bad_budgets(options, sentence):
    with pytest.raises(UsageError, match=sentence):
        quick(shows, ApproxDP(1.0), **options)


def test_a_checkpoint_of_one_kind_is_not_the_result_of_the_other(tmp_path):
    stopped, measured = (
        quick(shows, ApproxDP(1.0), checkpoint=tmp_path / "kept.json", stop_early=stop) for stop in (True, False)
    )
    assert measured.trials_used > stopped.trials_used
