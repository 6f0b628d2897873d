"""The badge says what was refuted, and never more than "not refuted"."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
import samples

import reports
from auditor.results.document import Document

RUN = samples.run_document()
BAD, GOOD, BROKEN = RUN.entries


def label(document: Document) -> str:
    root = ElementTree.fromstring(reports.render(document, "badge"))
    return root.attrib["aria-label"]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ((BAD, GOOD, BROKEN), "1 of 3 refuted"),
        ((GOOD, BROKEN), "1 without a verdict"),
        ((GOOD,), "1 not refuted"),
        ((GOOD, replace(BAD, expected="refuted")), "1 not refuted, 1 as expected"),
        ((replace(GOOD, kind="claim", outcome="holds", expected="misprint"),), "1 of 1 not as expected"),
        ((), "nothing audited"),
    ],
)
def test_what_the_badge_says(entries, words):
    assert label(replace(RUN, entries=entries)) == f"dp-audit: {words}"


def test_an_interrupted_run_is_not_finished():
    assert label(replace(RUN, entries=(GOOD,), interrupted=True)) == "dp-audit: not finished"
