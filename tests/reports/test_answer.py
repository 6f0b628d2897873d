"""The first picture, the three findings, the chapters, and the trade-off picture."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import samples

from auditor.results.document import Document, Entry
from reports.answer import EpsilonAxis, answer
from reports.chapters import chapters, foremost, what_was_audited
from reports.pictures import draw
from reports.pictures.tradeoff import best_test, certified_test, tradeoff_data


def audited(name: str, outcome: str = "not refuted", **numbers: float | None) -> Entry:
    return Entry(name, "audit", "t", "s", outcome, **{"claimed": 1.0, "certified": 0.9, "detectable": 1.1} | numbers)


def percent(place: str | None) -> float:
    assert place is not None
    return float(place.rstrip("%"))


def test_a_fill_passes_the_mark_of_the_claim_exactly_where_the_claim_is_refuted() -> None:
    found = answer((audited("good"), audited("bad", "refuted", certified=1.7)))
    assert found is not None
    bad, good = found.strips  # what is refuted comes first
    assert percent(bad.certified) > percent(bad.claimed)
    assert percent(good.certified) < percent(good.claimed) < percent(good.blind)
    assert bad.blind is None
    assert found.summary == "1 of 2 claims is refuted."


def test_an_axis_shows_zero_and_every_finite_value_and_an_infinite_one_stands_beyond() -> None:
    found = answer((audited("a", claimed=0.1, exact=0.0), audited("b", claimed=8.0, certified=7.5, exact=math.inf)))
    assert found is not None
    assert found.axis.log
    first, second = found.strips
    assert first.exact == "0.0%"
    assert second.infinite
    assert second.exact is None
    places = [percent(place) for place, _ in found.axis.ticks]
    assert places == sorted(places)
    assert places[0] == 0
    assert max(places) <= 97


@pytest.mark.parametrize("log", [True, False])
def test_places_keep_the_order_of_values(log: bool) -> None:
    axis = EpsilonAxis(10.0, log)
    places = [percent(axis.at(value)) for value in (0, 0.05, 0.1, 0.11, 1, 5, 10, 1e9)]
    assert places == sorted(places)
    assert axis.at(math.nan) is axis.at(None) is None


def test_an_error_has_a_row_without_numbers_and_other_quantities_have_none() -> None:
    error = Entry("boom", "audit", "t", "s", "error")
    other = audited("revenue", quantity="revenue")
    found = answer((audited("good"), error, other))
    assert found is not None
    assert [strip.entry.id for strip in found.strips] == ["boom", "good"]
    assert found.strips[0].certified is None
    assert answer((error, other)) is None


def test_strips_say_in_words_what_they_show() -> None:
    found = answer((audited("mine", exact=0.95),))
    assert found is not None
    words = "mine: not refuted, epsilon claimed 1, exactly 0.95, certified at least 0.9, blind below 1.1"
    assert found.strips[0].words == words
    assert found.summary == "Nothing contradicts the claim. That is no proof."


def test_the_worst_excess_comes_first_then_understated_privacy_then_the_rest() -> None:
    def printed(name: str, outcome: str, **numbers: float | str) -> Entry:
        return Entry(name, "claim", "t", "s", outcome, expected=outcome, finding="f", **numbers)

    notes = (
        printed("pen", "misprint", quantity="epsilon", claimed=1.0, exact=99.0, certified=9.0),
        printed("revenue", "false as printed", quantity="revenue", claimed=1.0, exact=9.0),
        printed("computed", "false as printed", quantity="P[loss > 1]", claimed=0.1, exact=0.9),
        printed("shown", "holds under condition", quantity="epsilon", claimed=1.0, exact=2.0, certified=1.5),
    )
    assert [entry.id for entry in foremost(Document(notes, "1"))] == ["shown", "computed", "revenue"]
    red = (audited("little", "refuted", certified=1.01), audited("much", "refuted", certified=3.0))
    assert [entry.id for entry in foremost(Document((*notes, *red), "1"))] == ["much", "little", "shown"]


def test_chapters_have_every_entry_once_and_findings_first(notes: Document) -> None:
    found = chapters(notes)
    ids = [entry.id for chapter in found for entry in chapter.entries]
    assert sorted(ids) == sorted(entry.id for entry in notes.entries)
    findings = [chapter.finding for chapter in found]
    assert findings == sorted(findings, reverse=True)
    assert len({chapter.anchor for chapter in found}) == len(found)
    assert what_was_audited(notes).startswith("3 mechanisms, 4 broken twins of them and ")


def test_the_best_test_of_pure_dp_is_the_two_lines_of_the_definition() -> None:
    """tpr <= e^eps fpr and 1 - tpr >= e^-eps (1 - fpr), the region of (eps, 0)-DP (Kairouz, Oh, Viswanath 2015)."""
    for fpr, tpr in best_test([[1.0, 0.0]]):
        assert tpr == pytest.approx(min(math.e * fpr, 1 - (1 - fpr) / math.e))


def test_the_exact_curve_lies_below_the_claimed_and_above_the_certified() -> None:
    entry = samples.notes_document().entry("laplace")
    result = entry.audit_result
    assert result is not None
    (profile,) = [picture for picture in entry.pictures if picture["type"] == "profile"]
    data = tradeoff_data(result, profile)
    for (_, claimed), (_, exact) in zip(data["claimed"], data["exact"], strict=True):
        assert exact <= claimed + 1e-9
    for fpr, tpr in data["certified"]:
        assert tpr <= min(line[1] for line in data["exact"] if line[0] >= fpr - 1e-12) + 1e-9
    assert "certified" in draw(data).alt


def test_only_counts_of_a_last_round_certify_a_curve() -> None:
    refuted = samples.labelled_result()
    assert certified_test(refuted) is None
    later = replace(refuted, witness=replace(refuted.witness, phase="last round"))
    hull = certified_test(later)
    assert hull is not None
    seen = tradeoff_data(later)["seen"]
    for (fpr, tpr), (seen_fpr, seen_tpr) in zip(sorted(map(tuple, hull))[1:-1], sorted(map(tuple, seen)), strict=True):
        assert fpr > seen_fpr
        assert tpr < seen_tpr
