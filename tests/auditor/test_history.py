"""Evidence over time: nights of a history are one long audit, with one alpha."""

import json
import math
import os

import numpy as np
import pytest
from scipy import stats

from auditor import ApproxDP, GaussianDP, MechanismError, UsageError, audit
from auditor.certify.evidence import Evidence, Point, Round
from auditor.engine import replayed
from auditor.errors import TimeLimitError
from auditor.history import Night, merged, night_from_dict

PAIR = [(0, 1)]
KEEP = 1 / (1 + math.exp(-1.0))


def response(epsilon):
    """Randomized response: tight at epsilon."""
    lie = 1 / (1 + math.exp(epsilon))
    return lambda dataset, n, rng: np.where(rng.random(n) < lie, 1 - dataset, dataset)


def night(folder, mechanism, claim=ApproxDP(1.0), **options):  # noqa: B008
    given = {"trials": 300, "alpha": 0.05, "jobs": 1, "views": ("values",), "name": "m", "history": folder}
    return audit(mechanism, claim, PAIR, **(given | options))


def stored(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*/*.json"))]


def allowed(runs, alpha):
    """False alarms that a sound audit exceeds with probability below 1e-4."""
    return stats.binom.ppf(1 - 1e-4, runs, alpha)


def test_small_nights_refute_together_what_none_refutes_alone(tmp_path):
    """True 1.3, claimed 1: a thousand draws a side refute it, 100 do not."""
    mechanism = response(1.3)
    nights = []
    while not nights or (not nights[-1].refuted and len(nights) < 30):
        nights.append(night(tmp_path, mechanism, trials=100, alpha=0.01))
    alone = [night(None, mechanism, seed=result.seed, trials=100, alpha=0.01) for result in nights]
    assert nights[-1].refuted
    assert nights[-1].epsilon_lower >= 1.0
    assert 3 < len(nights) < 30
    assert not any(result.refuted for result in alone)
    assert nights[-2].detectable_epsilon < alone[-2].detectable_epsilon
    again = night(tmp_path, mechanism, trials=100)
    assert again.refuted
    assert "refuted this claim before; nothing was drawn now" in again.warnings[0]
    options = {"trials": 100, "alpha": 0.01, "seed": again.seed, "views": again.views, "jobs": 1}
    drawn = replayed(mechanism, again.claim, PAIR, "m", options, night=night_from_dict(again.history))
    assert drawn.without_timings() == again.without_timings()


def test_each_night_has_a_seed_of_its_own(tmp_path):
    mechanism = response(1.0)
    results = [night(tmp_path, mechanism, seed=seed) for seed in (0, 0, 7, 0, 7)]
    assert [result.seed for result in results] == [0, 1, 7, 2, 8]
    assert len({result.witness.counts for result in results}) == 5


def test_a_night_is_replayed_from_its_result_alone(tmp_path):
    mechanism = response(1.0)
    results = [night(tmp_path, mechanism, claim=GaussianDP(1.5)) for _ in range(3)]
    last = results[-1]
    options = {"trials": last.trials, "alpha": last.alpha, "seed": last.seed, "views": last.views, "jobs": 1}
    again = replayed(mechanism, last.claim, PAIR, "m", options, night=night_from_dict(last.history))
    assert len(last.history["before"]) > 1
    assert again.without_timings().to_json() == last.without_timings().to_json()


@pytest.mark.parametrize(
    ("mechanism", "claim", "words"),
    [(response(1.1), ApproxDP(1.0), "its code"), (response(1.0), ApproxDP(1.5), "the claim")],
)
def test_what_changed_starts_anew_and_says_so(tmp_path, mechanism, claim, words):
    same = response(1.0)
    assert not night(tmp_path, same).warnings
    assert not night(tmp_path, same).warnings
    changed = night(tmp_path, mechanism, claim=claim)
    assert any(f"starts anew: since the last night {words} changed" in line for line in changed.warnings)
    assert changed.history["night"] == 1
    assert not changed.history["before"]
    assert night(tmp_path, same).history["night"] == 3  # as it was: its own history goes on


def hurried(dataset, n, rng):
    """Randomized response whose time ends at a large call, in the environment `HURRY`."""
    if n > 60 and "HURRY" in os.environ:
        raise TimeLimitError("the time is over")
    return response(1.0)(dataset, n, rng)


def broken(dataset, n, rng):
    """Randomized response that raises in the environment `HURRY`."""
    if "HURRY" in os.environ:
        raise KeyError("unlucky")
    return response(1.0)(dataset, n, rng)


@pytest.mark.parametrize("mechanism", [hurried, broken])
def test_after_a_night_that_did_not_end_by_itself_a_new_chapter_begins(tmp_path, mechanism, monkeypatch):
    night(tmp_path, mechanism)
    monkeypatch.setenv("HURRY", "1")
    if mechanism is hurried:
        cut = night(tmp_path, mechanism, trials=1_000)
        assert cut.cut_off is not None
        assert (cut.history["night"], cut.history["chapter"]) == (2, 1)
        assert cut.history["before"]
    else:
        with pytest.raises(MechanismError):
            night(tmp_path, mechanism)
    monkeypatch.delenv("HURRY")
    third, fourth = night(tmp_path, mechanism), night(tmp_path, mechanism)
    assert (third.history["night"], third.history["chapter"]) == (3, 2)
    assert not third.history["before"]
    assert "the last night did not end by itself" in third.warnings[0]
    assert fourth.history["before"] == third.history["tonight"]
    assert [one["seed"] for one in stored(tmp_path)[0]["nights"]] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "must be an object with the nights of a history, got "),
        ('{"schema": "other"}', "must have identity, nights, refuted, got keys"),
        (
            '{"schema": "dp-audit-history/1", "identity": {}, "nights": [{"seed": -1, "finished": true, '
            '"rounds": []}], "refuted": null}',
            r"nights\[0\].seed of the history '.*' must be a whole number, 0 or more, got nights\[0\].seed=-1",
        ),
        (
            '{"schema": "dp-audit-history/1", "identity": {}, "nights": [{"seed": 0, "finished": true, '
            '"rounds": [[5, 1, 3, 1, null]]}], "refuted": null}',
            r"a round must have its guesses among its trials, got \[5, 1, 3, 1, None\]",
        ),
    ],
)
def test_a_history_that_is_none_is_one_sentence(tmp_path, broken, said):
    mechanism = response(1.0)
    night(tmp_path, mechanism)
    (path,) = tmp_path.glob("*/*.json")
    path.write_text(broken)
    with pytest.raises(UsageError, match=rf"{said}.*; remove it to start anew"):
        night(tmp_path, mechanism)
    assert path.read_text() == broken


def test_bad_histories(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="must be a folder that can be written"):
        night(tmp_path / "file", response(1.0))
    with pytest.raises(UsageError, match="a history must be the path of a folder"):
        night(3, response(1.0))
    with pytest.raises(UsageError, match=r"starts each night anew.*give no checkpoint"):
        night(tmp_path, response(1.0), checkpoint=tmp_path / "kept.json")


def test_two_runs_at_a_time_are_refused(tmp_path):
    def mechanism(dataset, n, rng):
        if n > 40:
            night(tmp_path, mechanism)
        return response(1.0)(dataset, n, rng)

    with pytest.raises(Exception, match="two runs must not write to one folder at a time"):
        night(tmp_path, mechanism)


def test_levels_of_all_chapters_and_nights_add_up_to_alpha():
    from auditor.plan import plan_of
    from auditor.request import request
    from auditor.tuning import TUNING

    plan = plan_of(request(response(1.0), ApproxDP(1.0), PAIR, 1000, 0.05, 0, None, "m"), True, TUNING)
    chapters = sum(Night(1, chapter).plan(plan).running for chapter in range(1, 40))
    plans = [Night(number).plan(plan) for number in range(1, 2_000)]
    nights = sum(night.last for night in plans)
    lone = sum(night.lone for night in plans)
    assert chapters <= plan.running * (1 + 1e-12)
    assert nights <= plan.last
    assert lone <= plan.lone
    assert chapters + lone + nights == pytest.approx(0.05, rel=1e-3)


def test_merged_rounds_are_worth_the_same():
    rng = np.random.default_rng(0)
    points = [Point(0.5, 0.1), Point(1.0, 0.01)]
    rounds = [
        Round(*map(int, rng.multinomial(50, [0.5, 0.2, 0.3])[:2]), 50, 1 + (i // 4) % 2, points[(i // 7) % 2])
        for i in range(30)
    ]
    fewer = merged(rounds)
    assert len(fewer) < 15
    assert Evidence(points, fewer).log_value == pytest.approx(Evidence(points, rounds).log_value)


def false_alarms(multiplied, nights=20, runs=60):
    """Histories of an exactly tight claim that refute it on some night at level 0.2; 40 guesses a night."""
    rng, found = np.random.default_rng(2), 0
    for _ in range(runs):
        evidence = Evidence([Point(1.0, 0.0)])
        for correct in rng.binomial(40, KEEP, nights).tolist():
            for this in multiplied(Round(correct, 40 - correct, 40, 2)):
                evidence.add(this)
        found += evidence.peak >= -math.log(0.2)
    return found


@pytest.mark.parametrize(
    "twin",
    [
        lambda this: 12 * [this],  # a seed that is used again and again: the same draws count each time
        lambda this: [this] if this.correct > 30 else [],  # nights that ended for a reason of their own are left out
    ],
)
def test_nights_multiply_and_what_goes_in_twice_or_chosen_does_not_hold(twin):
    """Sound code fails with probability below 1e-4."""
    assert false_alarms(lambda this: [this]) <= allowed(60, 0.2)
    assert false_alarms(twin) > allowed(60, 0.2)
