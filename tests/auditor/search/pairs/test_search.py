"""Audits whose pairs are searched. Every seed is fixed; a refutation of a true claim has probability at most alpha."""

import datetime
import math
import sys
import types

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from auditor import ApproxDP, AuditResult, MechanismError, UsageError, audit, engine, neighbouring, per_draw
from auditor.tuning import TUNING

NUMBERS = neighbouring(st.lists(st.floats(0, 1000, allow_nan=False), max_size=6))
LETTERS = neighbouring(st.lists(st.sampled_from("abc"), max_size=6))
VALUES = {"trials": 10_000, "alpha": 1e-3, "views": ("values",), "jobs": 1}
ONE = ApproxDP(epsilon=1.0)


def unclipped(d, n, rng):
    return sum(d) + rng.laplace(0, 10, n)


def clipped(d, n, rng):
    return sum(min(x, 10.0) for x in d) + rng.laplace(0, 10, n)


def raises_when_empty(d, n, rng):
    return d[0] * 0 + rng.laplace(0, 1, n)


def columns_that_occur(d, n, rng):
    counts = np.array([d.count(v) for v in sorted(set(d))] or [0.0])
    return counts + rng.laplace(0, 1, (n, len(counts)))


def scale_of_the_data(d, n, rng):
    return rng.laplace(0, 1 + 4 * any(x > 900 for x in d), n)


def grid_of_the_data(d, n, rng):
    return np.round(rng.laplace(0, 1, n) * 4) / 4 + 0.125 * (len(d) > 4)


def shown_now_and_then(d, n, rng):
    return np.where((rng.random(n) < 0.05) & any(x > 500 for x in d), -1000.0, rng.laplace(0, 1, n))


BROKEN = {
    "not clipped": (unclipped, NUMBERS, 1),
    "raises on one side": (raises_when_empty, NUMBERS, 1),
    "another shape": (columns_that_occur, LETTERS, 2),
    "another scale": (scale_of_the_data, NUMBERS, 1),
    "another support": (grid_of_the_data, NUMBERS, 5),
    "a rare event": (shown_now_and_then, NUMBERS, 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_pair_is_found_and_small(name):
    mechanism, pairs, most = BROKEN[name]
    result = audit(mechanism, ONE, pairs, **VALUES)
    assert result.refuted
    shown = result.witness.pair
    assert len(eval(shown.left)) <= most  # a list of plain numbers or letters
    assert shown.relation == "add/remove"
    assert 0 < result.pairs_tried <= TUNING.pairs.examples.at(VALUES["trials"])
    assert any("Pairs were searched" in line for line in result.limits)
    assert AuditResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("seed", range(3))
def test_a_correct_mechanism_is_not_accused(seed):
    result = audit(clipped, ONE, NUMBERS, seed=seed, **VALUES)
    assert not result.refuted
    assert result.epsilon_lower < 1
    assert max(eval(result.witness.pair.left)) >= 10  # a tight pair was found all the same


def test_the_same_seed_gives_the_same_bytes_whatever_is_imported_in_between():
    first = audit(unclipped, ONE, NUMBERS, **VALUES)
    module = types.ModuleType("constants_of_someone_else")
    module.__file__ = __file__
    sys.modules[module.__name__] = module
    try:
        second = audit(unclipped, ONE, NUMBERS, **VALUES)
    finally:
        del sys.modules[module.__name__]
    assert first.without_timings().to_json() == second.without_timings().to_json()
    other = audit(unclipped, ONE, NUMBERS, seed=8, **VALUES)
    assert other.pairs_tried != first.pairs_tried or other.witness.pair != first.witness.pair


def test_no_random_number_of_the_search_is_seen_again_by_the_audit(monkeypatch):
    seen = {"search": set(), "audit": set()}
    phase = ["search"]

    def watched(d, n, rng):
        noise = rng.laplace(0, 10, n)
        seen[phase[0]].update(noise.tolist())
        return sum(min(x, 10.0) for x in d) + noise

    def pilot(*arguments):
        phase[0] = "audit"
        return first(*arguments)

    first = engine.pilot
    monkeypatch.setattr(engine, "pilot", pilot)
    audit(watched, ONE, NUMBERS, **{**VALUES, "trials": 500})
    assert len(seen["search"]) > 200
    assert len(seen["audit"]) > 500
    assert not seen["search"] & seen["audit"]


def test_corners_come_first():
    order = []

    def watched(d, n, rng):
        order.append(list(d))
        return len(d) + rng.laplace(0, 1, n)

    audit(watched, ONE, neighbouring(st.lists(st.floats(0, 7), max_size=4)), **VALUES)
    first = [tuple(d) for d in order[:80]]
    assert {(), (7.0,), (0.0,), (7.0, 7.0), (7.0,) * 4, (0.0, 7.0), (7.0, 0.0)} <= set(first)


def test_a_pair_that_is_clearly_refuted_ends_the_search_and_measuring_does_not():
    stopped = audit(unclipped, ONE, NUMBERS, **VALUES)
    assert stopped.pairs_tried < 10
    assert audit(unclipped, ONE, NUMBERS, stop_early=False, **{**VALUES, "trials": 5000}).pairs_tried > 30


def rows_of_a_user(d, n, rng):
    return len(d) + rng.laplace(0, 2, n)


def test_three_records_show_what_more_show_better():
    rows = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=8)
    pairs = neighbouring(rows, "add/remove-user", user=lambda row: row[0])
    result = audit(rows_of_a_user, ONE, pairs, **{**VALUES, "trials": 100_000})
    assert result.refuted
    assert len(eval(result.witness.pair.left)) == 3


def more_than_four(d, n, rng):
    return sum(d) * (len(d) > 4) + rng.laplace(0, 1, n)


def test_a_leak_of_many_records_keeps_them():
    pairs = neighbouring(st.lists(st.booleans(), max_size=8))
    result = audit(more_than_four, ONE, pairs, **{**VALUES, "trials": 50_000})
    assert result.refuted
    assert len(eval(result.witness.pair.left)) == 5


def eighteenth_birthdays(d, n, rng):
    return sum(day.replace(year=day.year + 18).month == 1 for day in d) + rng.laplace(0, 1, n)


@pytest.mark.parametrize(
    "days",
    [
        st.dates(datetime.date(1900, 1, 1), datetime.date(2030, 1, 1)),
        st.datetimes(max_value=datetime.datetime(2030, 6, 1)),
        st.datetimes(max_value=datetime.datetime(2030, 6, 1)).map(datetime.datetime.date),
    ],
)
def test_a_leap_day_is_tried(days):
    result = audit(eighteenth_birthdays, ONE, neighbouring(st.lists(days, max_size=3)), **VALUES)
    assert result.refuted
    assert ", 2, 29" in result.witness.pair.left


@per_draw
def compared_with_one_threshold(d, rng):
    threshold = 1.5 + rng.laplace(0, 2)
    return tuple(d.count(letter) > threshold for letter in "abc")


def test_numbers_that_leak_only_together_are_found():
    result = audit(compared_with_one_threshold, ONE, LETTERS, **{**VALUES, "trials": 20_000})
    assert result.refuted


def test_odd_values_are_tried_where_they_are_allowed_and_only_there():
    def seen(strategy):
        values = set()

        def watched(d, n, rng):
            values.update("nan" if math.isnan(x) else x for x in d)
            return rng.laplace(0, 1, n)

        audit(watched, ONE, neighbouring(st.lists(strategy, max_size=3)), **{**VALUES, "trials": 20_000})
        return values

    assert {"nan", math.inf, -math.inf} <= seen(st.floats())
    assert not {"nan", math.inf, -math.inf} & seen(st.floats(allow_nan=False, allow_infinity=False))


class Own:
    """Brings its own strategy."""

    claim = ONE
    views = ("values",)

    def sample(self, d, n, rng):
        return sum(d) + rng.laplace(0, 10, n)

    def neighbours(self):
        return NUMBERS


def test_a_mechanism_may_bring_its_strategy_and_a_strategy_may_make_plain_pairs():
    assert audit(Own(), trials=5000, jobs=1).refuted
    plain = st.tuples(st.just([50.0]), st.just([]))
    result = audit(unclipped, ONE, plain, **VALUES)
    assert result.refuted
    assert result.pairs_tried == 1


def test_one_output_a_call_and_a_time_limit():
    result = audit(per_draw(lambda d, rng: sum(d) + rng.laplace(0, 10)), ONE, NUMBERS, **{**VALUES, "trials": 2000})
    assert result.refuted
    limited = audit(unclipped, ONE, NUMBERS, **{**VALUES, "trials": 2000}, time_limit=300)
    assert limited.refuted


def test_it_works_inside_a_test_of_hypothesis():
    verdicts = []

    @settings(max_examples=2, database=None, deadline=None, derandomize=True)
    @given(st.integers(20, 30))
    def check(scale):
        result = audit(lambda d, n, rng: scale * len(d) + rng.laplace(0, 1, n), ONE, LETTERS, **VALUES)
        verdicts.append(result.refuted)

    check()
    assert verdicts
    assert all(verdicts)


def test_what_goes_wrong_is_told():
    with pytest.raises(MechanismError, match=r"raised ZeroDivisionError on every pair of the search"):
        audit(lambda d, n, rng: 1 / 0, ONE, NUMBERS, **VALUES)
    with pytest.raises(MechanismError, match="must return"):
        audit(lambda d, n, rng: rng.laplace(), ONE, NUMBERS, **VALUES)
    with pytest.raises(UsageError, match="a pair must be"):
        audit(unclipped, ONE, st.integers(), **VALUES)


def test_a_mechanism_that_changes_its_input_is_told_as_ever():
    def spoils(d, n, rng):
        d.append(1.0)
        return rng.laplace(0, 1, n)

    with pytest.raises(MechanismError, match="must leave its input as it is"):
        audit(spoils, ONE, NUMBERS, **VALUES)


def test_a_search_is_as_large_as_its_audit():
    assert [TUNING.pairs.examples.at(trials) for trials in (100, 10_000, 10**7)] == [16, 100, 500]
