"""A result as people meet it: printed, in a notebook, as a picture, as a row of a table."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, GaussianDP, audit
from auditor.paragraph import paragraph
from auditor.results.summary import summary

VALUES = ("values",)


def noisy_sum(data: Any, n: int, rng: np.random.Generator) -> Any:
    return 2 * sum(data) + rng.laplace(0, 1, n)


def answers(data: Any, n: int, rng: np.random.Generator) -> list[str]:
    return ["<b>yes</b>" if u < 0.4 * len(data) else "$no" for u in rng.random(n)]


def vectors(data: Any, n: int, rng: np.random.Generator) -> Any:
    return np.full(12, len(data)) + rng.laplace(0, 12, (n, 12))


@functools.cache
def made(mechanism: Any, claim: Any = None, **options: Any) -> AuditResult:
    options = {"trials": 20_000, "alpha": 1e-3, "views": VALUES, **options}
    return audit(mechanism, claim=claim or ApproxDP(1.0), pairs=[([1.0, 1.0], [1.0])], **options)


@pytest.fixture(scope="module")
def refuted() -> AuditResult:
    return made(noisy_sum)


def bound(result: AuditResult) -> str:
    """What is certified, to four digits, beside what is claimed."""
    return f"epsilon >= {result.epsilon_lower:.4g}, claimed 1"


@pytest.fixture(autouse=True)
def _no_window() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_print_is_a_short_paragraph(refuted: AuditResult) -> None:
    text = str(refuted)
    assert text == refuted.summary()
    assert text.splitlines()[0] == "REFUTED: noisy_sum is not 1-DP."
    for part in (
        f"certified  {bound(refuted)}",
        "witness    On [1.0, 1.0] and [1.0], x",
        "claim allows 2.72 to 1.",
    ):
        assert part in text
    assert "why        With the same random numbers the outputs differ by 2" in text
    assert "blind spot epsilon below" in text
    assert "…" not in text


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"name": "a name that goes on and on " * 20},
        {"diagnosis": ("why " * 200, "and more " * 100)},
        {"warnings": ("noticed " * 200, "and more " * 100)},
        {"diagnosis": ("a" * 500,), "warnings": ("b" * 500,), "name": "c" * 500},
    ],
    ids=lambda changes: " ".join(changes) or "as it is",
)
def test_it_never_takes_more_than_twelve_lines_of_eighty_columns(refuted: AuditResult, changes: dict[str, Any]) -> None:
    for result in (refuted, made(answers), made(vectors), made(noisy_sum, GaussianDP(1.0))):
        lines = summary(dataclasses.replace(result, **changes)).splitlines()
        assert len(lines) <= 12
        assert max(map(len, lines)) <= 80
        assert lines[-1].startswith("  blind spot")


def test_a_refutation_by_bits_says_that_it_is_one() -> None:
    def laplace(data: Any, n: int, rng: np.random.Generator) -> Any:
        return sum(data) + rng.laplace(0, 1, n)

    result = made(laplace, views=("values", "bits"))
    assert result.witness.event.view == "bits"
    assert "noticed    This is seen in the bits of floating-point numbers" in str(result)
    assert "dp-audit show lattice-laplace" in result._repr_html_()
    assert "in the bits of" not in str(made(noisy_sum))


def test_the_reason_is_told_in_full_before_the_second_side_of_the_event_and_what_was_noticed() -> None:
    why = "Noise is used twice: x[0] and x[1] have the same, so x[1] minus x[0] has none. " + "It is what it is. " * 6
    parts = {
        "certified": "epsilon >= 2, claimed 1",
        "witness": f"On {{'a': 1; 2}} and {{}}, {'x > 5 and ' * 10}y in 9 runs; {'x < 5 and ' * 15}z in 8.",
        "so": "right 9 times; the claim allows 2.72 to 1.",
        "why": why,
        "noticed": f"The output never varied on either input: {'the mechanism adds no noise, ' * 9}or so.",
        "blind spot": "epsilon below 2",
    }
    text = paragraph("REFUTED: it is not 1-DP.", parts)
    shown = " ".join(text.split())
    assert len(text.splitlines()) <= 12
    assert why.strip() in shown
    assert "y in 9 runs. so " in shown
    assert "noticed The output never varied on either input. blind spot" in shown
    assert "…" not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is odd. " + "And so on " * 100, "It is odd."),
        ("It is odd: see; here, " + "and so on " * 100, "It is odd: see."),
        ("On {'a': [1; 2], 'b': " + "3, " * 250 + "} it is odd.", "On {'a': [1; 2], 'b': 3, 3,"),
        ("The output is 'a. b " + "c " * 400 + "'. It is odd.", "The output is 'a. b c c"),
    ],
    ids=["a sentence", "a clause", "not within brackets", "not within quotes"],
)
def test_a_part_is_shortened_where_a_sentence_or_a_clause_ends(text: str, shown: str) -> None:
    told = " ".join(paragraph("Head.", {"why": text, "blind spot": "x"}).split())
    assert told.startswith(f"Head. why {shown}")
    assert told.endswith((f"why {shown} blind spot x", "… blind spot x"))
    assert ("…" in told) == (not shown.endswith("."))


def test_what_is_not_refuted_is_no_proof() -> None:
    result = made(lambda d, n, rng: sum(d) + rng.laplace(0, 2, n), name="careful")
    assert str(result).startswith("NOT REFUTED: careful may be 1-DP. That is no proof.\n  certified  epsilon >= 0.")
    assert "why" not in str(result)
    assert result.diagnosis == ()


def test_control_characters_do_not_reach_a_terminal(refuted: AuditResult) -> None:
    text = str(dataclasses.replace(refuted, name="red\x1b[31m", diagnosis=("bell\x07",)))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_repr_is_one_line(refuted: AuditResult) -> None:
    assert repr(refuted) == f"<AuditResult of 'noisy_sum': 1-DP refuted, epsilon >= {refuted.epsilon_lower:.6g}>"


def test_the_card_says_it_all(refuted: AuditResult) -> None:
    html = refuted._repr_html_()
    for part in (
        "Refuted",
        "noisy_sum",
        "1-DP",
        "With the same random numbers",
        "blind spot",
        "data:image/png;base64,",
    ):
        assert part in html
    assert "Not refuted" in made(lambda d, n, rng: sum(d) + rng.laplace(0, 2, n))._repr_html_()


def test_everything_foreign_on_the_card_is_escaped(refuted: AuditResult) -> None:
    evil = "<script>alert(1)</script>\"'"
    pair = dataclasses.replace(refuted.witness.pair, left=evil, right=evil, why=evil)
    witness = dataclasses.replace(refuted.witness, pair=pair, names=(evil,))
    html = dataclasses.replace(refuted, name=evil, diagnosis=(evil,), warnings=(evil,), witness=witness)._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 5
    assert "<b>yes" not in made(answers)._repr_html_()


def test_the_plot_shows_both_inputs(refuted: AuditResult) -> None:
    axes = refuted.plot()
    assert axes.get_xlabel() == "output"
    assert axes.get_ylabel() == "share of the outputs"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["left input", "right input"]
    assert axes.get_title() == f"Refuted: {bound(refuted)}"


def test_the_plot_goes_into_the_axes_that_it_is_given(refuted: AuditResult) -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert refuted.plot(axes) is axes


def test_texts_are_bars_whatever_is_in_them() -> None:
    axes = made(answers).plot()
    assert [label.get_text() for label in axes.get_xticklabels()] == [r"\$no", "<b>yes</b>"]
    axes.figure.canvas.draw()
    bars = [bar for both in axes.containers for bar in both]
    assert {round(bar.get_height(), 1) for bar in bars} == {0.2, 0.4, 0.6, 0.8}
    assert len(axes.patches) > len(bars)  # the event is shaded


def test_scores_of_vectors_have_a_label() -> None:
    axes = made(vectors).plot()
    axes.figure.canvas.draw()
    assert axes.get_xlabel()


def test_without_outputs_the_bounds_are_drawn(refuted: AuditResult) -> None:
    axes = dataclasses.replace(refuted, sketch={}).plot()
    assert axes.get_xlabel() == "epsilon"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["claimed", "certified"]


def test_a_frame_has_one_row(refuted: AuditResult) -> None:
    pandas = pytest.importorskip("pandas")
    frame = refuted.to_frame()
    assert frame.shape[0] == 1
    assert frame.loc[0, ["name", "claim", "verdict", "claimed"]].tolist() == ["noisy_sum", "1-DP", "refuted", 1.0]
    assert pandas.concat([frame, frame]).shape[0] == 2


def test_without_pandas_a_sentence_says_so(refuted: AuditResult, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ValueError, match="needs pandas, got none; pip install pandas"):
        refuted.to_frame()


def test_a_stored_result_has_the_same_faces(refuted: AuditResult) -> None:
    again = AuditResult.from_json(refuted.to_json())
    assert str(again) == str(refuted)
    assert again._repr_html_() == refuted._repr_html_()


def test_one_run_is_a_card_too() -> None:
    from auditor import audit_one_run

    rng = np.random.default_rng(0)
    included = rng.random(2000) < 0.5
    result = audit_one_run(rng.normal(size=2000) + 3 * included, included, ApproxDP(0.1, 1e-5))
    html = dataclasses.replace(result, name="<script>")._repr_html_()
    assert "Refuted" in html
    assert "about 2,000 canaries correct" in html
    assert "<script>" not in html
