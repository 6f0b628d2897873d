import pytest

from auditor.errors import UsageError
from auditor.results import baseline
from auditor.results.document import Document
from auditor.results.entry import Entry


def row(identifier, outcome, certified=None, **more):
    return Entry(identifier, "audit", identifier, "", outcome, certified=certified, claimed=1.0, **more)


def document(*entries, **more):
    return Document(entries=entries, version="0", **more)


OLD = document(row("a", "not refuted", 0.9), row("b", "refuted", 1.9), row("c", "not refuted", 0.5))


def words(old, *entries, **more):
    return [(str(change), change.worse) for change in baseline.compare(old, document(*entries, **more))]


def test_nothing_new_is_nothing_to_say():
    assert words(OLD, *OLD.entries) == []


def test_what_became_worse_comes_first():
    now = (
        row("d", "not refuted", 0.1),
        row("a", "refuted", 1.2),
        row("b", "refuted", 2.6),
        row("c", "not refuted", 0.7),
    )
    assert words(OLD, *now) == [
        ("a: newly refuted", True),
        ("b: certified epsilon 2.6, was 1.9", True),
        ("c: certified epsilon 0.7, was 0.5", True),
        ("d: new, not refuted", False),
    ]


def test_a_smaller_rise_than_another_seed_gives_is_no_news():
    assert words(OLD, row("a", "not refuted", 1.03), row("b", "refuted", 2.13), row("c", "not refuted", 0.6)) == []


def test_what_is_not_audited_any_more_is_worse_unless_the_run_was_interrupted():
    assert words(OLD, *OLD.entries[:2]) == [("c: in the baseline, and not audited any more", True)]
    assert words(OLD, *OLD.entries[:2], interrupted=True) == []


def test_errors_and_repairs_are_told():
    now = (row("a", "error", reason="broke"), row("b", "not refuted", 0.9), row("c", "not refuted", 0.5))
    assert words(OLD, *now) == [("a: error, was not refuted", True), ("b: not refuted, was refuted", False)]


def test_an_accepted_finding_is_expected_with_its_reason():
    accepted = baseline.accept(OLD, {"b": " known since 1.0 "})
    entry = accepted.entry("b")
    assert (entry.outcome, entry.expected, entry.reason) == (
        "refuted",
        "refuted",
        "accepted: known since 1.0",
    )
    assert not entry.failed
    carried = baseline.carry(accepted, OLD).entry("b")
    assert baseline.reason_of(carried) == "known since 1.0"
    assert not carried.failed


def test_an_acceptance_never_covers_more_than_was_known():
    accepted = baseline.accept(OLD, {"b": "known"})
    now = document(row("a", "refuted", 1.2), row("b", "refuted", 2.6), row("c", "not refuted", 0.5))
    carried = baseline.carry(accepted, now)
    assert [entry.failed for entry in carried.entries] == [True, True, False]
    broken = baseline.carry(accepted, document(row("b", "error", reason="broke")))
    assert broken.entry("b").failed


def test_an_acceptance_that_is_not_needed_any_more_says_so():
    accepted = baseline.accept(OLD, {"b": "known"})
    repaired = document(OLD.entries[0], row("b", "not refuted", 0.9), OLD.entries[2])
    assert baseline.carry(accepted, repaired).entry("b").reason == ""
    (change,) = baseline.compare(accepted, repaired)
    assert str(change) == "b: not refuted, was refuted; its acceptance (known) is no longer needed"


@pytest.mark.parametrize(
    ("reasons", "rule"),
    [({"a": "x"}, "only a refutation"), ({"z": "x"}, "only a refutation"), ({"b": " "}, "needs a reason")],
)
def test_only_a_known_refutation_can_be_accepted_and_only_with_a_reason(reasons, rule):
    with pytest.raises(UsageError, match=rule):
        baseline.accept(OLD, reasons)


def test_acceptances_survive_the_file():
    accepted = baseline.accept(OLD, {"b": "known"})
    assert baseline.reason_of(Document.from_json(accepted.to_json()).entry("b")) == "known"


def seen(detectable, outcome="not refuted", certified=0.9):
    return row("a", outcome, certified, detectable=detectable)


def test_an_audit_that_sees_less_is_blind():
    changes = baseline.compare(document(seen(1.1)), document(seen(1.5)))
    assert [(str(change), change.worse, change.blind) for change in changes] == [
        ("a: blind below epsilon 1.5, was 1.1", False, True)
    ]
    assert words(document(seen(1.1)), seen(float("inf"))) == [("a: blind below epsilon inf, was 1.1", False)]
    assert words(document(seen(1.1)), seen(1.25)) == []
    assert words(document(seen(1.5)), seen(1.1)) == []
    assert words(document(seen(None)), seen(1.1)) == []


def test_a_refutation_that_would_not_be_found_again_is_no_repair():
    old = document(seen(1.1, "refuted", 1.9))
    (change,) = baseline.compare(old, document(seen(2.4)))
    assert (str(change), change.worse, change.blind) == (
        "a: not refuted, was refuted with 1.9; now blind below epsilon 2.4",
        False,
        True,
    )
    assert words(old, seen(1.2)) == [("a: not refuted, was refuted", False)]


def test_a_weaker_claim_is_worse():
    weaker = Entry("a", "audit", "a", "", "not refuted", certified=1.8, claimed=2.0)
    assert words(OLD, weaker, *OLD.entries[1:]) == [("a: claims epsilon 2, was 1; not refuted", True)]
    assert words(document(weaker), row("a", "not refuted", 0.9)) == []


def test_a_run_that_was_meant_to_be_smaller_misses_nothing():
    assert baseline.compare(OLD, document(*OLD.entries[:2]), whole=False) == ()
