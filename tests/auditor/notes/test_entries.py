"""The frame of the ledger: outcomes from facts, alpha split, randomness named, errors kept inside."""

import numpy as np
import pytest

from auditor.errors import UsageError
from auditor.notes import (
    Check,
    Outcome,
    Run,
    at_least,
    at_most,
    checks,
    close,
    everywhere,
    fact,
    fails,
    judge,
    not_checked,
)
from auditor.notes.catalogue_audits import pieces
from auditor.notes.everything import notes, random_tests, run_check
from auditor.results.entry import LEDGER_OUTCOMES
from mechanisms.core.catalogue import catalogue

TRUE, FALSE = fact("so", True), fact("not so", False)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"printed": [TRUE]}, "holds"),
        ({"printed": [TRUE], "definition": True}, "definition"),
        ({"printed": [TRUE, FALSE], "condition": [TRUE]}, "holds under condition"),
        ({"printed": [FALSE], "intended": [TRUE]}, "misprint"),
        ({"printed": [FALSE], "corrected": [TRUE]}, "false as printed"),
        ({"printed": [FALSE], "corrected": [TRUE, FALSE]}, "error"),
        ({"printed": [FALSE], "condition": [FALSE]}, "error"),
        ({"printed": [FALSE]}, "error"),
        ({"printed": [TRUE], "anchors": [FALSE]}, "error"),
        ({"printed": [FALSE], "corrected": [TRUE], "anchors": [FALSE]}, "error"),
    ],
)
def test_the_outcome_follows_from_the_facts(facts, expected):
    outcome = judge(**facts)
    assert outcome.outcome == expected
    assert bool(outcome.reason) == (expected == "error")


def test_a_check_without_a_fact_is_refused():
    with pytest.raises(ValueError, match="at least one fact"):
        judge(printed=[])


def test_the_witness_is_the_first_printed_fact_that_fails():
    outcome = judge(printed=[TRUE, at_most("exact delta", 2.0, 1.0)], corrected=[TRUE])
    assert outcome.witness == "exact delta: 2 ≤ 1"
    assert "✗ exact delta: 2 ≤ 1" in outcome.explanation


def test_facts_compare_with_a_slack_for_rounding_only():
    assert at_most("x", 1.0 + 1e-12, 1.0)
    assert not at_most("x", 1.0 + 1e-6, 1.0)
    assert at_least("x", 1.0 - 1e-12, 1.0)
    assert not at_least("x", float("nan"), 0.0)
    assert close("x", 0.1 + 0.2, 0.3)
    assert not close("x", 0.301, 0.3)
    assert fails(FALSE)
    assert not fails(TRUE)


def test_a_grid_names_its_worst_row_and_is_never_empty():
    grid = everywhere("loss", [("k=1", 0.5, 1.0), ("k=2", 3.0, 2.0), ("k=3", 1.0, 2.0)])
    assert not grid
    assert "at k=2, the worst of 3" in grid.words
    assert everywhere("loss", [("k=1", 0.5, 1.0)])
    assert not everywhere("loss", [("k=1", 0.5, 1.0), ("k=2", float("nan"), 1.0)])
    with pytest.raises(ValueError, match="at least one row"):
        everywhere("loss", [])


def test_what_is_not_checked_says_why():
    assert not_checked("an outside theorem").outcome == "not checked"
    with pytest.raises(ValueError, match="needs a reason"):
        not_checked("")


def test_an_outcome_is_one_of_the_documented_words():
    with pytest.raises(ValueError, match="must be one of"):
        Outcome("probably fine")


def test_a_check_may_not_make_more_random_tests_than_it_declares():
    run = Run("x", share=0.01, tests=1)
    run.proportion(lambda rng, n: n, 100, "first")
    with pytest.raises(RuntimeError, match="tests=1"):
        run.proportion(lambda rng, n: n, 100, "second")


def test_a_check_may_not_declare_more_random_tests_than_it_makes():
    check = Check("999-X", "L", "idle", "1 = 1", "nowhere", "holds", lambda run: judge(printed=[TRUE]), tests=1)
    assert run_check(check).reason == "RuntimeError: 999-X declares tests=1, got 0 of them"


def test_proportions_have_exact_intervals():
    # Clopper-Pearson for 0 and all of n at confidence 1-a: 1 - (a/2)^(1/n)
    none = Run("x", 0.05, 1).proportion(lambda rng, n: 0, 10, "none")
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025**0.1))
    everything = Run("x", 0.05, 1).proportion(lambda rng, n: n, 10, "all")
    assert (everything.low, everything.high) == (pytest.approx(0.025**0.1), 1.0)
    assert none.contains(0.2)
    assert not none.contains(0.4)


def test_randomness_is_named_by_seed_entry_and_name():
    draws = {Run(i, 0.01, 1, seed=s).named_seed(n) for i in ("a", "b") for s in (0, 1) for n in ("x", "y")}
    assert len(draws) == 8
    first, again = Run("a", 0.01, 1).rng("x"), Run("a", 0.01, 1).rng("x")
    assert np.array_equal(first.random(4), again.random(4))


def test_quick_runs_draw_less():
    assert Run("x", 0.01, 1).size(1000) == 1000
    assert Run("x", 0.01, 1, quick=True).size(1000) == 100
    assert Run("x", 0.01, 1, quick=True).size(1000, quick=7) == 7


def broken(run):
    raise ZeroDivisionError("a bug in a check")


def test_an_error_inside_a_check_is_that_entrys_outcome():
    check = Check("999-X", "L", "broken", "1 = 1", "nowhere", "holds", broken)
    entry = run_check(check)
    assert entry.outcome == "error"
    assert entry.reason == "ZeroDivisionError: a bug in a check"
    assert not entry.as_expected


def test_bad_registrations_are_refused():
    with pytest.raises(ValueError, match="kind must be letters"):
        Check("999-X", "Q", "t", "s", "here", "holds", broken)
    with pytest.raises(ValueError, match="expected must be one of"):
        Check("999-X", "P", "t", "s", "here", "true", broken)


def test_every_entry_is_complete():
    assert len({check.id for check in checks()}) == len(checks())
    assert [check.id[:3] for check in checks()] == sorted(check.id[:3] for check in checks())
    for check in checks():
        assert check.title, check.id
        assert check.statement, check.id
        assert check.source.startswith(check.id[:3]), check.id
        assert check.expected in LEDGER_OUTCOMES


def test_one_alpha_is_split_over_all_random_tests():
    accuracy = sum(len(m.accuracy()) for m in catalogue() if m.of is None or m.breaks == "accuracy")
    parts = sum(bool(pieces(m)) for m in catalogue())
    assert parts > 0
    assert random_tests() == sum(check.tests for check in checks()) + len(catalogue()) + accuracy + parts


def test_an_unknown_id_is_a_usage_error():
    with pytest.raises(UsageError, match="'000-NOPE'"):
        notes(["000-NOPE"])


def test_processes_do_not_change_the_result():
    ids = ["000-R1", "001-LAP-A"]

    def stripped(jobs):
        return [entry.to_dict() | {"seconds": 0} for entry in notes(ids, quick=True, jobs=jobs, seed=5).entries]

    seen = []
    notes(ids, quick=True, jobs=1, progress=lambda done, total, entry: seen.append((done, total, entry.id)))
    assert stripped(1) == stripped(2)
    assert sorted(seen) == [(1, 2, seen[0][2]), (2, 2, seen[1][2])]
