"""After an early refutation an audit may measure on for a moment: how wrong is the claim?"""

import math

import numpy as np
import pytest
from scipy import stats

from auditor import ApproxDP, AuditResult, GaussianDP, UsageError, audit
from auditor.engine import replayed

PAIR = [(0, 1)]


def shows(dataset, n, rng):
    """The dataset itself: epsilon is infinite."""
    return np.full(n, float(dataset))


def response(dataset, n, rng):
    """Randomized response: tight at epsilon 2."""
    return np.where(rng.random(n) < 1 / (1 + math.exp(-2.0)), dataset, 1 - dataset)


def measured(mechanism, claim, **options):
    given = {"trials": 20_000, "jobs": 1, "views": ("values",), "name": "m", "measure_seconds": 60.0, **options}
    return audit(mechanism, claim, PAIR, **given)


@pytest.mark.parametrize("claim", [ApproxDP(1.0), ApproxDP(1.0, 1e-3), GaussianDP(1.0)])
def test_a_gross_fault_is_measured_on(claim):
    stopped, on = measured(shows, claim, measure_seconds=None), measured(shows, claim)
    assert on.refuted
    assert on.epsilon_lower > 2 * stopped.epsilon_lower
    assert stopped.measured is None
    assert stopped.trials_used < on.trials_used <= 20_000
    assert AuditResult.from_json(on.to_json()) == on


def test_what_is_not_refuted_early_is_not_changed():
    results = [measured(response, ApproxDP(2.0), measure_seconds=seconds) for seconds in (None, 60.0)]
    assert len({result.without_timings().to_json() for result in results}) == 1


def test_a_replay_measures_through_as_many_draws():
    on = measured(response, ApproxDP(1.0))
    options = {"trials": on.trials, "alpha": on.alpha, "seed": on.seed, "views": on.views, "jobs": 1}
    again = replayed(response, on.claim, PAIR, "m", options, measured=on.measured)
    assert again.without_timings().to_json() == on.without_timings().to_json()


def test_where_there_is_no_time_nothing_is_drawn():
    assert measured(shows, ApproxDP(1.0), measure_seconds=1e-9).measured is None


def test_bad_seconds():
    with pytest.raises(UsageError, match="measure_seconds must be"):
        measured(shows, ApproxDP(1.0), measure_seconds=-1.0)


def test_the_bound_holds_as_often_as_promised():
    """True 2, claimed 0.5. Sound code fails with probability below 1e-4."""
    runs, alpha = 60, 0.2
    results = [measured(response, ApproxDP(0.5), trials=1_000, alpha=alpha, seed=seed) for seed in range(runs)]
    assert sum(result.measured is not None for result in results) > runs / 2
    assert sum(result.epsilon_lower > 2.0 for result in results) <= stats.binom.ppf(1 - 1e-4, runs, alpha)
