"""A time limit that strikes: the result is what the running evidence had shown by then, and no more."""

import contextlib
import json
import math
import os

import numpy as np
import pytest
from scipy import stats

from auditor import ApproxDP, AuditResult, GaussianDP, MechanismError
from auditor.certify.evidence import Evidence, Point, Round, log_mean, log_wealth_below
from auditor.cut_off import CutOff
from auditor.engine import carry_out, replayed
from auditor.errors import TimeLimitError
from auditor.request import request
from benchmarks.cut_off import Clocked, hangs_when_unlucky

PAIR = [(0, 1)]
KEEP = 1 / (1 + math.exp(-1.0))


def response(dataset, n, rng):
    """Randomized response: tight at epsilon 1."""
    return np.where(rng.random(n) < KEEP, dataset, 1 - dataset)


def after(draws):
    """A clock whose time is up after so many draws."""
    return lambda clock, dataset, outputs: clock.drawn > draws


def cut(sample, late, claim, **options):
    """An audit of a mechanism whose time ends as the clock `late` says."""
    given = {"trials": 2_000, "alpha": 0.05, "seed": 0, "views": ("values",), "name": "m", **options}
    return carry_out(request(Clocked(sample, late).sample, claim, PAIR, **given))


def allowed(runs, alpha):
    """False alarms that a sound audit exceeds with probability below 1e-4."""
    return stats.binom.ppf(1 - 1e-4, runs, alpha)


def test_what_is_not_refuted_by_then_says_that_it_was_cut_off():
    result = cut(response, after(1_500), ApproxDP(1.0))
    assert not result.refuted
    assert 300 < result.trials_used < 750
    assert 0.0 <= result.epsilon_lower <= 1.0
    assert 1.2 < result.detectable_epsilon < 3.0
    assert any("Cut off by its time limit" in line for line in result.limits)
    assert any(f"after {result.trials_used:,} of 2,000 draws a side" in line for line in result.warnings)
    assert result.witness.phase == "running evidence"
    assert AuditResult.from_json(result.to_json()) == result


def test_what_the_evidence_has_shown_of_a_large_epsilon_is_certified():
    """5 is claimed and true: cut off in the last round, a large part of it is certified already."""

    def leaks(dataset, n, rng):
        return np.where(rng.random(n) < 1 / (1 + math.exp(-5.0)), dataset, 1 - dataset)

    assert 1.0 < cut(leaks, after(3_500), ApproxDP(5.0)).epsilon_lower < 5.0


def test_a_refutation_stays_one():
    """An audit that measures on after its refutation, and is cut off in that."""

    def shows(dataset, n, rng):
        return np.full(n, float(dataset))

    result = cut(shows, after(1_500), ApproxDP(1.0), stop_early=False)
    assert result.refuted
    assert result.cut_off is not None
    assert result.epsilon_lower > 2.0


def test_nothing_that_was_tested_is_an_error():
    with pytest.raises(TimeLimitError):
        cut(response, after(200), ApproxDP(1.0))


def test_what_was_never_bet_on_has_a_blind_spot_too():
    """Nothing makes the evidence grow, so no event is tested; a larger epsilon would have been."""
    result = cut(lambda dataset, n, rng: rng.random(n), after(1_500), ApproxDP(1.0))
    assert result.witness.counts.trials == 0
    assert "looked most promising. It was not tested yet" in str(result.witness)
    assert result.epsilon_lower == 0.0
    assert 1.0 < result.detectable_epsilon < math.inf


@pytest.mark.parametrize("claim", [ApproxDP(1.0), ApproxDP(1.0, 0.01), GaussianDP(1.0)])
@pytest.mark.parametrize("draws", [900, 2_500])
def test_a_replay_ends_after_the_same_round(claim, draws):
    first = cut(response, after(draws), claim)
    options = {"trials": first.trials, "alpha": first.alpha, "seed": first.seed, "views": first.views, "jobs": 1}
    again = replayed(response, claim, PAIR, "m", options, CutOff(first.cut_off, len(first.evidence)))
    assert again.without_timings().to_json() == first.without_timings().to_json()


def hurried(dataset, n, rng):
    """Randomized response whose time ends at a large call, in the environment `HURRY`."""
    if n > 75 and "HURRY" in os.environ:
        raise TimeLimitError("the time limit has passed")
    return response(dataset, n, rng)


def test_with_more_time_a_checkpoint_goes_on(tmp_path, monkeypatch):
    asked = request(hurried, ApproxDP(1.0), PAIR, 1_000, 0.05, 0, ("values",), "m")
    path = tmp_path / "kept.json"
    monkeypatch.setenv("HURRY", "1")
    first = carry_out(asked, checkpoint=path)
    kept = json.loads(path.read_text())
    monkeypatch.delenv("HURRY")
    again = carry_out(asked, checkpoint=path)
    assert first.cut_off is not None
    assert all(part["batches"] and "result" not in part for part in kept["audits"].values())
    assert again.cut_off is None
    assert again.without_timings().to_json() == carry_out(asked).without_timings().to_json()


def test_a_clock_that_chooses_the_end_makes_no_false_alarms():
    """A true claim refuted, or a bound above the truth, 1. Sound code fails with probability below 1e-4."""
    wrong = 0
    for seed in range(30):
        with contextlib.suppress(MechanismError):
            result = cut(response, hangs_when_unlucky, ApproxDP(1.0), trials=300, alpha=0.2, seed=seed)
            wrong += result.refuted or result.epsilon_lower > 1.0
    assert wrong <= allowed(30, 0.2)


def false_alarms(refutes, runs=100):
    """True claims, exactly tight, that `refutes` at the worst moment: time ends after whichever round it likes best."""
    rng, found = np.random.default_rng(1), 0
    for _ in range(runs):
        correct = rng.binomial(20, KEEP, 40)
        found += any(refutes(correct[:rounds]) for rounds in range(1, 41))
    return found


def test_evidence_may_be_read_whenever_time_ends_and_the_exact_test_may_not():
    """The twin reads the exact test of the rounds that are finished. Sound code fails with probability below 1e-4."""

    def by_evidence(correct):
        evidence = Evidence([Point(1.0, 0.0)])
        evidence.add(Round(int(correct.sum()), 20 * len(correct) - int(correct.sum()), 20 * len(correct), 2))
        return evidence.log_value >= -math.log(0.2)

    def by_the_exact_test(correct):
        return stats.binom.sf(correct.sum() - 1, 20 * len(correct), KEEP) <= 0.2

    assert false_alarms(by_evidence) <= allowed(100, 0.2)
    assert false_alarms(by_the_exact_test) > allowed(100, 0.2)


def bounds_below(counted=lambda correct, wrong: (correct, wrong), runs=60, level=0.2):
    """How often the bound of a claim of 2 exceeds the truth, which is 1: 40 rounds of 20 guesses."""
    rng, exceeded = np.random.default_rng(1), 0
    for _ in range(runs):
        evidence = Evidence([Point(2.0, 0.0)])
        for correct in rng.binomial(20, KEEP, 40).tolist():
            counted_correct, wrong = counted(correct, 20 - correct)
            evidence.add(Round(counted_correct, wrong, counted_correct + wrong, 2))
        exceeded += evidence.epsilon_below(level) > 1.0
    return exceeded


def test_the_bound_below_the_claim_holds():
    """Sound code fails with probability below 1e-4."""
    assert bounds_below() <= allowed(60, 0.2)


@pytest.mark.parametrize(
    "twin",
    [
        lambda correct, wrong: (correct, wrong // 2),  # what is finished of a round whose wrong guesses are slow
        lambda correct, wrong: (correct, wrong) if correct > 14 else (0, 0),  # rounds that look good alone
    ],
)
def test_counting_what_is_finished_of_unfinished_rounds_would_not_hold(twin):
    assert bounds_below(twin) > allowed(60, 0.2)


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_evidence_against_a_smaller_epsilon_is_never_less(delta):
    """So the claimed epsilon is rejected only together with all smaller ones, which the levels rest on."""
    rng = np.random.default_rng(3)
    rounds = [Round(*map(int, rng.multinomial(50, [0.5, 0.2, 0.3])[:2]), 50, 1 + i % 2) for i in range(20)]
    logs = [log_mean(log_wealth_below(rounds, Point(1.0, delta), epsilon)) for epsilon in np.linspace(0, 1, 11)]
    assert (np.diff(logs, axis=0) <= 0).all()
    evidence = Evidence([Point(1.0, delta)])
    for this in rounds:
        evidence.add(this)
    assert logs[-1][-1] == pytest.approx(evidence.log_value)


def test_a_refuted_claim_has_all_of_its_epsilon_rejected():
    evidence = Evidence([Point(1.0, 0.0)])
    evidence.add(Round(99, 1, 100, 2))
    assert evidence.epsilon_below(0.01) == 1.0
