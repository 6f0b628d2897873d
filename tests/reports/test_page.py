"""The HTML page: complete, self-contained, and nothing in a results file becomes markup that runs."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import joblib
import pytest
import samples

import reports
from auditor.errors import UsageError
from auditor.results.document import Document

FORMULAS = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msub", "msup", "msubsup", "msqrt"}
HARMLESS = {"class", "lspace", "rspace", "stretchy", "width"}
VOID = {"meta", "link", "input", "br", "img"}


class Page(HTMLParser):
    """The page as a list of tags with their attributes, and the text inside each."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.inside: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open, f"</{tag}> closes nothing"
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        place = self.open[-1] if self.open else ""
        self.inside.setdefault(place, []).append(data)
        if place not in ("script", "style"):
            self.words.append(data)

    def all(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.tags if name in attributes]


@pytest.fixture(scope="module")
def parsed(page: str) -> Page:
    return Page(page)


def test_the_page_is_balanced_and_says_what_it_is(parsed: Page) -> None:
    assert parsed.open == []
    assert ("html", {"lang": "en"}) in parsed.tags
    assert parsed.inside["title"] == ["The lecture notes, checked"]
    assert any(attributes.get("name") == "viewport" for _, attributes in parsed.tags)


def test_nothing_is_loaded_from_anywhere(parsed: Page, page: str) -> None:
    links = parsed.all("href") + parsed.all("src") + parsed.all("xlink:href")
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not re.search(r"@import|url\((?!#)", page)
    assert [tag for tag, _ in parsed.tags if tag in ("iframe", "object", "embed", "base", "img")] == []


def test_the_policy_allows_exactly_this_script_and_this_style(parsed: Page) -> None:
    policy = next(a["content"] for _, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (text,) = parsed.inside[tag]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not any("style" in attributes for _, attributes in parsed.tags)


def test_every_link_has_its_target_and_every_id_is_unique(parsed: Page) -> None:
    ids = parsed.all("id")
    assert len(ids) == len(set(ids))
    targets = [unquote(link[1:]) for link in parsed.all("href") if link.startswith("#")]
    targets += parsed.all("aria-labelledby") + re.findall(r"url\(#([^)]+)\)", " ".join(parsed.all("clip-path")))
    assert targets
    assert set(targets) <= set(ids)


def test_headings_do_not_skip_a_level(parsed: Page) -> None:
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_pictures_have_words(parsed: Page) -> None:
    pictures = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    told = [attributes for attributes in pictures if attributes.get("aria-hidden") != "true"]
    assert len(told) > 15
    assert all(attributes["role"] == "img" and len(attributes["aria-label"]) > 20 for attributes in told)
    assert all(attributes.get("class") in ("look", "axis") for attributes in pictures if attributes not in told)


def test_a_researcher_finds_everything_about_an_audit(notes: Document, parsed: Page) -> None:
    said = " ".join("".join(parsed.words).split())
    entry = notes.entry("laplace/half-scale")
    result = entry.audit_result
    assert result is not None
    for words in (
        entry.source,
        str(result.claim),
        "ε = 2",
        "ε ≥ 1.94",
        "with probability at least 0.99995",
        entry.witness,
        result.witness.pair.why,
        "x >= 1.9",
        "11,816 of 20,000",
        "ε < 1.08",
        entry.replay,
        result.limits[0],
    ):
        assert str(words) in said, words


def test_the_answer_stands_first_then_the_findings(page: str) -> None:
    titles = ("Is it private as claimed?", "What matters most", "Findings", "Everything else", "How to read this page")
    order = [page.index(f">{title}<") for title in titles]
    assert order == sorted(order)
    chapters = [
        page.index(f">{title} <") for title in ("Needs attention", "False as printed", "Misprints", "Mechanisms")
    ]
    assert order[2] < chapters[0]
    assert chapters == sorted(chapters)


def test_the_headline_counts(parsed: Page) -> None:
    said = " ".join("".join(parsed.words).split())
    assert "1 ended in an error and 1 outcome not as expected." in said
    for words in (
        "3 not refuted",
        "4 broken twins caught",
        "1 claim holds",
        "2 false as printed",
        "1 misprint",
    ):
        assert words in said
    assert "with probability at most 0.01: one α for 7 audits. 16 entries in 2 min 14 s, seed 0." in said


def test_every_entry_stands_on_the_page_once(notes: Document, parsed: Page) -> None:
    entries = [a for tag, a in parsed.tags if tag == "details" and a.get("class", "").startswith("entry")]
    assert len(entries) == len(notes.entries)
    assert sum("open" in attributes for attributes in entries) == 2  # the two that need attention
    assert {(a["data-kind"], a["data-outcome"]) for a in entries} == {(e.kind, e.outcome) for e in notes.entries}


def test_one_audit_has_a_page_without_lists_and_filters(run: Document) -> None:
    page = Page(reports.render(Document((run.entries[0],), "1", alpha=0.01), "html"))
    assert "select" not in [tag for tag, _ in page.tags]
    assert [a.get("class") for tag, a in page.tags if tag == "details"] == ["more"]
    assert len([tag for tag, a in page.tags if tag == "figure"]) == 3
    said = " ".join("".join(page.words).split())
    assert "Refuted: it is not 1-DP." in said
    assert str(run.entries[0].witness) in said


def test_one_training_run_shows_its_guesses_and_no_draws(run: Document) -> None:
    found = samples.one_run_entry()
    page = Page(reports.render(Document((found,), "1"), "html"))
    said = " ".join("".join(page.words).split())
    assert "Refuted: it is not 1-DP." in said
    assert "168 of 177 guesses whether a canary was included were right, 94.9 %; the claim allows about 73.1 %." in said
    assert "If its privacy loss is Gaussian" in said
    assert "Draws a side" not in said
    assert said.count("Each canary must have been included by a coin of its own.") == 1
    assert [tag for tag, _ in page.tags].count("figure") == 1


def test_a_chapter_that_is_named_for_its_outcome_does_not_repeat_it(page: str) -> None:
    misprints = page[page.index('id="chapter-misprints"') : page.index('id="chapter-mechanisms"')]
    assert 'class="badge' not in misprints
    assert 'class="badge' in page[page.index('id="chapter-needs-attention"') : page.index('id="chapter-misprints"')]


def test_an_exponent_stays_whole_where_a_line_ends(notes: Document, page: str) -> None:
    assert "1e-\u20605" in page or "e-\u2060" in page
    assert "\u2060" not in reports.render(notes, "markdown")


def test_formulas_are_set_in_claims_of_the_notes_alone(notes: Document, run: Document, page: str) -> None:
    assert "<math>" in page
    mine = replace(run.entries[0], title="ε ≤ 1", statement="δ/(1 − e^−ε)")
    assert "<math" not in reports.render(Document((mine, mine), "1"), "html")


def test_no_picture_of_a_real_run_is_missing(page: str) -> None:
    assert "cannot be drawn" not in page


def test_an_audit_costs_less_than_25_kilobytes(notes: Document, page: str) -> None:
    """So 120 audits and 130 claims stay below 5 MB."""
    audits = sum(entry.audit is not None for entry in notes.entries)
    without = reports.render(Document((), "1"), "html")
    assert (len(page.encode()) - len(without.encode())) / audits < 25_000


def test_hostile_text_changes_no_tag(hostile: Document, hostile_page: str) -> None:
    """The same document with harmless text of the same length gives the same tags and attribute names.

    But for formulas, which a claim's text may have, hostile or not: these are of a few tags without a behaviour.
    """
    text = hostile.to_json()
    quoted = samples.json_string(samples.HOSTILE)
    harmless = text.replace(quoted, "x" * len(samples.HOSTILE))
    assert harmless != text
    assert "<script" not in harmless
    attacked, plain = Page(hostile_page), Page(reports.render(Document.from_json(harmless), "html"))
    assert attacked.open == []
    assert [(tag, list(a)) for tag, a in attacked.tags if tag not in FORMULAS] == [(t, list(a)) for t, a in plain.tags]
    assert {name for tag, a in attacked.tags if tag in FORMULAS for name in a} <= HARMLESS
    assert [tag for tag, _ in attacked.tags].count("script") == 1
    assert all(link.startswith("#") or link == "data:," for link in attacked.all("href"))
    assert not any(name.startswith("on") for _, a in attacked.tags for name in a)
    assert "\x00" not in "".join(attacked.words)
    assert "\u202e" not in "".join(attacked.words)


def test_hostile_text_is_shown(hostile_page: str) -> None:
    said = "".join(Page(hostile_page).words)
    assert "<script>alert(1)</script>" in said
    assert "{{7*7}}" in said


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "private"},
        {"claim": {"kind": "ApproxDP", "epsilon": -1, "delta": 0}},
        {"claim": {"kind": "__import__"}},
        {"witness": None},
        {"trials": "many"},
        {"evidence": [[1]]},
        {"sketch": []},
    ],
)
def test_a_broken_audit_is_a_usage_error(run: Document, change: dict[str, object]) -> None:
    import json

    data = json.loads(run.to_json())
    data["entries"][0]["audit"] |= change
    with pytest.raises(UsageError, match=r"^audit\.|stored audit result"):
        reports.render(Document.from_json(json.dumps(data)), "html")


def test_odd_numbers_in_an_audit_spoil_a_picture_not_the_page(run: Document) -> None:
    import json

    data = json.loads(run.to_json())
    audit = data["entries"][0]["audit"]
    audit["sketch"] |= {"edges": [0, 0, 1], "atoms": [[None, 1, 2]]}
    audit["witness"]["counts"] = dict.fromkeys(audit["witness"]["counts"], 0)
    audit["alpha"] = 0
    page = reports.render(Document.from_json(json.dumps(data)), "html")
    assert page.count("A picture cannot be drawn") >= 2


def test_an_empty_document_has_a_page() -> None:
    said = " ".join("".join(Page(reports.render(Document((), "1"), "html")).words).split())
    assert "Nothing was audited." in said
    assert "Not refuted is not proof" in said


def test_a_green_run_says_that_it_is_no_proof(run: Document) -> None:
    green = Document((run.entries[1],), "1", alpha=0.01)
    page = reports.render(green, "html")
    assert "Not refuted: it may be 1-DP." in page
    assert "Not refuted is not proof" in page


def test_the_same_document_gives_the_same_bytes(run: Document) -> None:
    assert reports.render(run, "html") == reports.render(Document.from_json(run.to_json()), "html")


def test_pictures_drawn_in_other_threads_are_the_same(notes: Document, page: str) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert reports.render(notes, "html") == page
