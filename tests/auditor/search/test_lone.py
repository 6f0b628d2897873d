"""Outputs seen on one side alone: found where they are a leak, not where they are a tail, and tested on later draws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from auditor import ApproxDP, audit
from auditor.certify.evidence import BOLD, Evidence, Point, Round
from auditor.events.event import Event, event_from_dict
from auditor.events.outputs import canonical, form_of
from auditor.events.scores import Lone, Region
from auditor.events.scores.lone import LEFT, RIGHT, Stretch
from auditor.search.lone import lone_candidate
from auditor.search.past import Past
from auditor.tuning import TUNING

CLAIM = (Point(1.0, 0.0),)


def past_of(left, right, views=("values",)):
    form = form_of([left[:32], right[:32]], "m")
    past = Past(views)
    past.add(canonical(left, len(left), "m", form), canonical(right, len(right), "m", form))
    return past


def found(left, right, points=CLAIM, views=("values",)):
    return lone_candidate(past_of(left, right, views), points, 0, replace(TUNING.lone, least=0))


def laplace(seed, n=20_000):
    rng = np.random.default_rng(seed)
    return rng.laplace(0, 1, n), 1 + rng.laplace(0, 1, n)


def with_some(values, what, times):
    changed = np.array(values)
    changed[np.arange(1, times + 1) * (len(changed) // (times + 1))] = what
    return changed


@pytest.mark.parametrize(
    ("what", "words"),
    [(0.5, "x = 0.5"), (1234.5, "x > 989.99"), (-900.0, "x < -721.799"), (np.nan, "x is ⊥ (no number)")],
    ids=["in the middle", "far above", "far below", "no number"],
)
def test_a_rare_value_of_one_side_is_found(what, words):
    left, right = laplace(0)
    candidate = found(left, with_some(right, what, 4))
    assert candidate is not None
    assert candidate.event.words("right") == words
    assert candidate.event.left is None


def test_far_numbers_that_never_repeat_are_found_as_a_cluster():
    left, right = laplace(1)
    candidate = found(with_some(left, 5000 + np.arange(4) / 7, 4), right)
    assert candidate is not None
    assert candidate.event.guesses(past_of(left, right).sides()[0])[0] == 0
    assert candidate.event.guesses(past_of(np.array([4500.0]), right).sides()[0])[0] == 1  # a little before the first
    assert candidate.event.guesses(past_of(np.array([2000.0]), right).sides()[0])[0] == 0


@pytest.mark.parametrize("seed", range(20))
def test_tails_of_noise_are_left_alone(seed):
    assert found(*laplace(seed)) is None


def test_tails_of_whole_numbers_are_left_alone():
    lucky = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        noise = rng.geometric(1 - math.exp(-1), (4, 20_000))
        lucky += found(noise[0] - noise[1], 1 + noise[2] - noise[3]) is not None
    assert lucky <= 12  # of 40; without the rule for values near a tail it is most of them


def test_a_label_of_one_side_is_found():
    left, right = np.array(["yes", "no"] * 5000, dtype=object), np.array(["yes", "no"] * 5000, dtype=object)
    candidate = found(left, with_some(right, "failed", 5))
    assert candidate is not None
    assert candidate.event.words("right") == "the output is 'failed'"


def test_a_leak_that_delta_allows_is_no_bet():
    left, right = laplace(2)
    assert found(left, with_some(right, 0.5, 4), (Point(1.0, 0.01),)) is None


def test_the_score_is_plain_data():
    score = Lone((Stretch("x", 1.0, 1.0, LEFT), Stretch("x", None, None, RIGHT)), (("failed", RIGHT),))
    event = Event(score, Region(">=", 1.0), Region("<=", -1.0))
    assert event_from_dict(event.to_dict()) == event
    with pytest.raises(ValueError, match="at least one stretch"):
        Lone()
    with pytest.raises(ValueError, match="ends in order"):
        Stretch("x", 2.0, 1.0, LEFT)


@pytest.mark.parametrize(("times", "taken"), [(3, False), (6, False), (12, True)])
def test_a_code_of_bits_that_one_side_has_seldom_is_left_out(times, taken):
    """Every power of two has rare codes, and their order does not tell a tail: a code must be seen more often alone."""
    common = np.tile([1.0, 2.0, 3.0, 5.0], 3000)
    left = common.copy()
    left[:times] = 0.1
    assert (found(left, common, views=("bits",)) is not None) == taken
    lenient = replace(TUNING.lone, least=0, clearly_bits=TUNING.lone.clearly)
    assert lone_candidate(past_of(left, common, ("bits",)), CLAIM, 0, lenient) is not None


def rare(probability, what=0.5):
    def noisy(d, n, rng):
        outputs = d + rng.laplace(0, 1, n)
        return np.where(rng.random(n) < probability, what, outputs) if d else outputs

    return noisy


def rare_without_shift(d, n, rng):
    return np.where((rng.random(n) < 3e-4) & (d == 1), 0.5, rng.laplace(0, 1, n))


@pytest.mark.parametrize(
    ("mechanism", "views"),
    [(rare(3e-4), ("values",)), (rare_without_shift, ("values", "bits"))],
    ids=["values", "both"],
)
def test_a_total_leak_of_three_in_ten_thousand_is_found(mechanism, views):
    """About 92 % of seeds find it: fewer than six of eight has a probability below .03, and the seeds are fixed."""
    results = [
        audit(mechanism, ApproxDP(1.0), [(0, 1)], trials=100_000, seed=seed, jobs=1, views=views) for seed in range(8)
    ]
    refuted = [result for result in results if result.refuted]
    assert len(refuted) >= 6
    witness = refuted[0].witness
    assert witness.phase == "running evidence"
    assert "x = 0.5" in str(witness)
    assert witness.counts.wrong == 0
    assert max(result.witness.counts.correct for result in refuted) > 10


def test_one_pair_of_many_is_not_hidden():
    def noisy(d, n, rng):
        index, bit = d
        return rare(1e-3)(bit, n, rng) if index == 11 else bit + rng.laplace(0, 1, n)

    pairs = [((index, 0), (index, 1)) for index in range(16)]
    result = audit(noisy, ApproxDP(1.0), pairs, trials=100_000, jobs=1, views=("values",))
    assert result.refuted
    assert result.witness.pair.index == 11


def tight(d, n, rng):
    """A rare value that the left dataset gives e times as often as the right one: exactly 1-DP."""
    share = 0.002 * math.exp(1 - d)
    return np.where(rng.random(n) < share, 0.5, rng.random(n) + 1)


def lone_rounds(seed, level, honest=True):
    """Whether the evidence about lone outputs passes its line on a tight mechanism, over 60 rounds of 100 draws a side.

    The broken twin counts a round in the outputs that the round itself has shown on one side alone.
    """
    rng, evidence = np.random.default_rng(seed), Evidence(CLAIM, stakes=BOLD)
    side = 0  # who gave the value alone so far: 1 left, -1 right, 0 nobody or both
    seen = np.zeros(2)
    for _ in range(60):
        lefts = rng.binomial(200, 0.5)
        times = np.array([(tight(d, n, rng) == 0.5).sum() for d, n in ((0, lefts), (1, 200 - lefts))])
        if not honest:
            side = np.sign(times[0] - times[1])
        if side:
            correct, wrong = times if side > 0 else times[::-1]
            evidence.add(Round(int(correct), int(wrong), 200, 1))
        seen += times
        side = np.sign(seen[0] - seen[1])
    return evidence.peak >= -math.log(level)


def test_the_evidence_keeps_its_level_on_a_tight_mechanism():
    """At level .2 a true rate of .2 gives more than 140 of 500 with a probability of 7e-6."""
    assert sum(lone_rounds(seed, 0.2) for seed in range(500)) <= 140


def test_counting_on_the_draws_that_chose_is_caught():
    assert sum(lone_rounds(seed, 0.2, honest=False) for seed in range(500)) > 140
