"""The case files are complete and readable without the libraries that they audit."""

from __future__ import annotations

import re

import pytest

from auditor.errors import UsageError
from gallery.case import KINDS, NOT_REFUTED, REFUTED, Case, cases, code_of

LISTED = cases()
COMPLETE = {
    "title": "a title",
    "kind": "control",
    "packages": ("library==1.0",),
    "claimed": "epsilon 1",
    "neighbours": "one record",
    "why": "it is so",
    "practice": "it does not matter",
}


def test_there_are_as_many_cases_as_promised():
    kinds = [one.case.kind for one in LISTED.values()]
    assert kinds.count("finding") + kinds.count("bits") >= 12
    assert kinds.count("control") >= 8


@pytest.mark.parametrize("name", LISTED)
def test_cases_are_complete_and_short(name):
    one = LISTED[name]
    assert re.fullmatch(r"[a-z0-9-]+", name)
    assert all((one.case.claimed, one.case.neighbours, one.case.why, one.case.practice))
    assert 2 < one.lines <= 32
    assert "auditor" in one.code
    compile(one.code, name, "exec")


def test_the_expected_verdict_is_that_of_the_kind():
    assert Case(**COMPLETE).expected == NOT_REFUTED
    refuted = [Case(**{**COMPLETE, "kind": kind, "references": ("x",)}).expected for kind in KINDS if kind != "control"]
    assert refuted == [REFUTED] * 3


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kind": "guess"}, "kind must be one of"),
        ({"packages": ("library",)}, "pinned"),
        ({"packages": ()}, "pinned"),
        ({"kind": "finding"}, "needs a public reference"),
    ],
)
def test_an_impossible_case_cannot_be_built(wrong, told):
    with pytest.raises(UsageError, match=told):
        Case(**{**COMPLETE, **wrong})


def test_a_finding_that_nobody_knows_needs_no_reference():
    assert not Case(**{**COMPLETE, "kind": "finding", "reported": False}).reported


def test_environments_are_named_after_what_is_pinned():
    assert Case(**{**COMPLETE, "packages": ("a[b]==1.0", "c==2")}).environment == "a-1.0-c-2"


def test_the_code_of_a_case_is_what_a_user_would_write():
    source = "x = 1\n\ndef audited():\n    a = 2\n\n    # why\n    return f(a)\n"
    assert code_of(source) == "a = 2\n\n# why\nf(a)"
    with pytest.raises(UsageError, match="must have a function"):
        code_of("x = 1\n")
