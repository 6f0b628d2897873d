"""Formulas in text become MathML: nothing is lost, nothing foreign becomes markup, words stay words."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

import pytest

from auditor.notes.everything import checks
from reports.formulas import with_formulas

_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_TAGS = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msub"}
_ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3}


def characters(text: str) -> str:
    """All letters, digits and signs, but those that layout replaces; powers of ten as they are typed."""
    text = re.sub(r"(\d+(?:\.\d+)?)e[-+]?0*(\d+)", r"\1\2", text)
    return "".join(sorted(re.sub(r"[\s()^_/{}√~∼·⁻-]", "", text).translate(_RAISED)))


def shown(markup: str) -> str:
    """The words and signs of the markup; 10⁻⁵ as 15, as `characters` has 1e-5."""
    text = re.sub(r"<mn>(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)</mn>", lambda m: (m[1] or "1") + m[2], markup)
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def texts() -> list[str]:
    return [text for entry in checks() for text in (entry.statement, entry.conditions, entry.title) if text]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("ε-DP", "<math><mi>ε</mi></math>-DP"),
        ("e^−t", "<math><msup><mrow><mi>e</mi></mrow><mrow><mo>−</mo><mi>t</mi></mrow></msup></math>"),
        (
            "a δ of 1/ε",
            "a <math><mi>δ</mi></math> of <math><mfrac><mrow><mn>1</mn></mrow><mrow><mi>ε</mi></mrow></mfrac></math>",
        ),
        ("√(2k)", "<math><msqrt><mrow><mn>2</mn><mi>k</mi></mrow></msqrt></math>"),
        ("1e-5", "<math><mn>10⁻⁵</mn></math>"),
        ("P[loss > 2]", None),
    ],
)
def test_formulas_of_each_kind(text: str, markup: str | None) -> None:
    found = with_formulas(text)
    assert "<math>" in found
    assert markup is None or found == markup


@pytest.mark.parametrize(
    "text",
    [
        "replace-one",
        "add/remove",
        "w.p. of it",
        "a histogram with 8 cells",
        "price 5 earns the most",
        "i.e. R",
        "",
        "(replace-one)",
    ],
)
def test_words_stay_words(text: str) -> None:
    assert with_formulas(text) == text


def test_a_denominator_keeps_its_power() -> None:
    """Where the parentheses around what is squared go, the square must not go with them."""
    assert "²" in with_formulas("k > 2 ln(1/δ′)/(2 − e^ε)²")


def test_no_character_of_the_notes_is_lost_and_the_markup_is_sound() -> None:
    many = 0
    for text in texts():
        markup = with_formulas(text)
        assert characters(shown(markup)) == characters(text), text
        for formula in re.findall(r"<math.*?</math>", markup):
            many += 1
            for element in ElementTree.fromstring(formula).iter():
                assert len(element) == _ARITY.get(element.tag, len(element)), (element.tag, text)
    assert many > 200


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", 'ε < <b onclick="x">', "P[<img src=x>]", "x_{<i>}", "ε &amp; δ"]
)
def test_foreign_text_never_becomes_markup(text: str) -> None:
    found = with_formulas(text)
    assert set(re.findall(r"</?([A-Za-z]+)", found)) <= _TAGS
    assert "<script" not in found
    assert all("onclick" not in tag for tag in re.findall(r"<[^>]*>", found))


@pytest.mark.parametrize("text", ["|" * 200, "(" * 2000, "a^" * 400, "√" * 1000, "ε_" * 300, "P[" + "|a" * 100])
def test_a_text_made_to_be_slow_stays_text(text: str) -> None:
    """The work grows with the length alone; a parser that tries every way would not end."""
    assert characters(shown(with_formulas(text))) == characters(text)
