"""Pictures: small, deterministic, text stays text, and what they show is what the data says."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import samples
from scipy.stats import binomtest

from auditor.errors import UsageError
from auditor.results.counts import Counts
from auditor.results.document import Document
from auditor.results.entry import Entry
from auditor.results.pictures import lines_picture, profile_picture
from mechanisms.core.claims import ApproxDP, GaussianDP
from reports.pictures import Picture, draw, drawn, pictures_of
from reports.pictures.binned import BinnedOutputs, binned_data
from reports.pictures.evidence import evidence_data
from reports.pictures.panel import text_width
from reports.pictures.profile import certified_curve, profile_data
from reports.pictures.ratio import RatioPicture

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


Drawn = list[tuple[str, Picture]]


@pytest.fixture(scope="module")
def pictures(notes: Document) -> Drawn:
    """Every picture of the notes, with its type."""
    data = [data for entry in notes.entries for data in pictures_of(entry)]
    return [(one["type"], draw(one, "p7")) for one in data]


def test_every_picture_is_small(pictures: Drawn) -> None:
    sizes = [len(picture.svg.encode()) for _, picture in pictures]
    assert max(sizes) < 15_000
    assert sum(sizes) / len(sizes) < 6_000  # 120 audits with four each then stay below 3 MB


def test_a_picture_drawn_twice_is_the_same(notes: Document) -> None:
    for data in pictures_of(notes.entry("ptr")):
        assert draw(data).svg == draw(data).svg


def test_pictures_are_one_accessible_element_without_style_or_foreign_ids(pictures: Drawn) -> None:
    for kind, picture in pictures:
        root = ElementTree.fromstring(picture.svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == picture.alt
        assert picture.title, kind
        for element in root.iter():
            assert element.tag.removeprefix(SVG) not in ("script", "style", "metadata", "foreignObject")
            assert "style" not in element.attrib
            assert element.get("id", "p7").startswith("p7")


def test_axes_are_labelled(pictures: Drawn) -> None:
    wanted = {
        "profile": {"ε", "δ"},
        "evidence": {"draws a side", "log₁₀ evidence"},
        "ratio": {"ratio left / right"},
        "lines": {"k, number of mechanisms", "ε of the composition"},
    }
    for kind, picture in pictures:
        assert wanted.get(kind, set()) <= set(texts(picture.svg))


def test_the_user_s_matplotlib_settings_change_nothing(notes: Document) -> None:
    import matplotlib

    data = pictures_of(notes.entry("laplace"))[0]
    before = draw(data).svg
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30, "svg.fonttype": "path"}):
        assert draw(data).svg == before
        assert matplotlib.rcParams["font.size"] == 30


def test_importing_reports_does_not_import_matplotlib() -> None:
    script = (
        "import sys, reports; reports.formats();"
        "assert not {'matplotlib', 'jinja2', 'rich', 'scipy.stats'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)


def test_the_certified_curve_is_two_clopper_pearson_bounds(notes: Document) -> None:
    result = notes.entry("laplace").audit_result
    assert result is not None
    counts = result.witness.counts
    low = binomtest(counts.right_guessed_right, counts.right_trials).proportion_ci(1 - result.alpha).low
    high = binomtest(counts.left_guessed_right, counts.left_trials).proportion_ci(1 - result.alpha).high
    curve = certified_curve(result, [0.0, 0.5, 3.0])  # two-sided at alpha: alpha/2 on each end
    assert curve is not None
    assert [delta for _, delta in curve] == pytest.approx([low - high, low - math.exp(0.5) * high, 0.0])


def test_an_audit_that_stopped_early_has_no_certified_curve(notes: Document) -> None:
    result = notes.entry("laplace/half-scale").audit_result
    assert result is not None
    assert result.witness.phase == "running evidence"
    assert certified_curve(result, [0.0, 1.0]) is None
    data = profile_data(result)
    assert data["certified"] is None
    assert data["point"] == [result.epsilon_lower, 0.0]


def test_the_certified_curve_stays_below_the_truth(notes: Document) -> None:
    """500 times at alpha 0.01: more than 17 failures have probability below 1e-5, seed fixed."""
    result = notes.entry("laplace").audit_result
    assert result is not None
    rng = np.random.default_rng(11)
    p, q, n = 0.6, 0.25, 300
    failures = 0
    for _ in range(500):
        hits = Counts(n, n, int(rng.binomial(n, p)), 0, int(rng.binomial(n, q)), 0)
        witness = replace(result.witness, counts=hits, direction="left")
        curve = certified_curve(replace(result, alpha=0.01, witness=witness), [0.0, 0.4, 0.8])
        assert curve is not None
        failures += any(delta > max(0.0, p - math.exp(epsilon) * q) for epsilon, delta in curve)
    assert failures <= 17


def test_a_stored_profile_keeps_its_exact_curve_and_gains_the_certified_one(notes: Document) -> None:
    entry = notes.entry("laplace")
    data = next(data for data in pictures_of(entry) if data["type"] == "profile")
    assert data["exact"] == entry.pictures[0]["exact"]
    assert data["certified"]
    assert texts(draw(data).svg).count("certified") == 1


def test_profile_pictures_reach_past_what_matters() -> None:
    data = profile_picture(ApproxDP(1.0, 1e-3), GaussianDP(1.0))
    epsilons = [epsilon for epsilon, _ in data["claimed"]]
    assert epsilons[0] == 0
    assert epsilons[-1] > GaussianDP(1.0).epsilon_at(1e-6)
    assert draw(data).svg.count("<path") > 4
    assert profile_picture(ApproxDP(0.0, 0.1))["claimed"][-1] == [1.0, 0.1]


def test_atoms_and_no_answer_are_shown(notes: Document) -> None:
    outputs = next(data for data in pictures_of(notes.entry("ptr")) if data["type"] == "outputs")
    assert "⊥" in texts(draw(outputs).svg)
    assert "⊥: 0.6" in draw(outputs).alt


def test_labels_in_the_event_are_shaded_on_their_side() -> None:
    data = binned_data(samples.labelled_result())
    assert data is not None
    assert [atom[3] for atom in data["atoms"]] == ["left", "right"]
    svg = draw({"type": "outputs", **data}).svg
    assert "var(--shade-left)" in svg
    assert "var(--shade-right)" in svg


def test_steps_of_a_table_touch_without_overlapping() -> None:
    from auditor.events.event import Event
    from auditor.events.scores import Region, Steps

    base = samples.labelled_result()
    event = Event(Steps("x", (0.3, 0.4), (-1.0, 1.0, -1.0), bottom=1.0), Region(">=", 0.5), Region("<=", -0.5))
    sketch = {
        "edges": [], "left": [], "right": [], "score": "x",
        "atoms": [["0.3", 1, 1], ["0.4", 1, 1], ["⊥", 1, 1]],
        "shade": [[0.3, 0.4, "left"], [None, 0.3, "right"], [0.4, None, "right"]],
    }  # fmt: skip
    data = binned_data(replace(base, witness=replace(base.witness, event=event), sketch=sketch))
    assert data is not None
    assert [atom[3] for atom in data["atoms"]] == ["left", "right", "left"]


@pytest.mark.parametrize(
    ("names", "slanted"),
    [
        ([f"2^-{place}" for place in range(52, 34, -1)], False),  # a few powers tell the others
        (["never", "rarely", "sometimes", "often", "nearly always", "always"] * 2, True),
        (["a", "b", "c"], False),
    ],
)
def test_names_below_bars_never_touch(names: list[str], slanted: bool) -> None:
    atoms = [[name, 5, 5] for name in names]
    data = {"type": "outputs", "edges": [], "left": [], "right": [], "atoms": atoms}
    drawn_texts = list(ElementTree.fromstring(draw(data).svg).iter(f"{SVG}text"))
    named = [text for text in drawn_texts if text.text in names]
    assert any("rotate(-35" in (text.get("transform") or "") for text in named) == slanted
    if not slanted:
        places = sorted((float(text.get("x", 0)), text_width(text.text or "")) for text in named)
        assert len(places) > 2
        assert all(b - a > (v + w) / 2 for (a, v), (b, w) in pairwise(places))


def test_the_guesses_of_one_run_stand_beside_what_the_claim_allows() -> None:
    (data,) = pictures_of(samples.one_run_entry())
    picture = draw(data)
    assert data == {"type": "guesses", "guesses": 177, "correct": 168, "epsilon": 1.0}
    assert picture.alt == "168 of 177 guesses were right, 94.9 %; the claim allows 73.1 % on average."
    assert {"by the claim", "by a coin", "seen"} <= set(texts(picture.svg))
    for more in ({"guesses": 90_000, "correct": 89_999}, {"guesses": 1, "correct": 0}, {"epsilon": 40.0}):
        assert draw({**data, **more}).svg
    with pytest.raises(UsageError, match="at most guesses"):
        draw({**data, "correct": 178})


def test_few_draws_make_few_bins() -> None:
    edges = [float(edge) for edge in range(33)]
    sketch = {"edges": edges, "left": [1] * 32, "right": [2] * 32}
    assert len(BinnedOutputs.read(sketch, "outputs").left) == 4
    assert sum(BinnedOutputs.read(sketch, "outputs").left) == 32
    many = {"edges": edges, "left": [100] * 32, "right": [200] * 32}
    assert len(BinnedOutputs.read(many, "outputs").left) == 32


def test_many_atoms_are_gathered() -> None:
    atoms = [[str(place), place, 0] for place in range(60)] + [["z", 0, 5]]
    sketch = BinnedOutputs.read({"edges": [], "left": [], "right": [], "atoms": atoms}, "outputs")
    assert len(sketch.atoms) == 26
    assert sketch.atoms[-1].name == "others"
    assert sketch.left_total == sum(range(60))


def test_infinite_outer_edges_are_one_bin_wide() -> None:
    data = {"edges": ["-inf", 0, 1, "inf"], "left": [1, 2, 1], "right": [1, 1, 2]}
    assert BinnedOutputs.read(data, "outputs").edges == (-1, 0, 1, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"edges": [0, 0, 1]},
        {"edges": ["-inf", "inf", 1]},
        {"left": [1]},
        {"left": [-1, 2]},
        {"left": [0, 0], "right": [0, 0]},
        {"shade": [[0, 1, "up"]]},
        {"atoms": [["a", 1]]},
        {"atoms": [[5, 1, 1]]},
    ],
)
def test_a_histogram_that_contradicts_itself_is_refused(change: dict[str, Any]) -> None:
    data = {"type": "outputs", "edges": [0, 1, 2], "left": [1, 2], "right": [2, 1]} | change
    with pytest.raises(UsageError, match="a picture's"):
        draw(data)


def test_ratio_intervals_contain_the_observed_ratio() -> None:
    data = {"type": "ratio", "edges": [0, 1, 2, 3], "left": [80, 0, 40], "right": [40, 80, 0], "epsilon": 0.5}
    picture = RatioPicture.read(data)
    for left, right, ratio in ((80, 40, 2.0), (0, 80, 0.0), (40, 0, math.inf)):
        low, middle, high = picture.interval(left, right)
        assert (low, middle, high) == tuple(sorted((low, middle, high)))
        assert middle == ratio
    assert "from 0 to ∞" in picture.alt


def test_evidence_of_several_pairs_is_one_line() -> None:
    result = replace(samples.labelled_result(), evidence=((48, 1), (48, 2), (96, 4), (96, math.inf)))
    data = evidence_data(result)
    assert data is not None
    assert data["points"] == [[48, 2], [96, 4]]
    assert data["line"] == pytest.approx(-math.log10(result.alpha))
    assert evidence_data(replace(result, evidence=((48, 4.0),))) is None
    assert evidence_data(replace(result, evidence=((48, 0.1), (96, 0.2)))) is None  # flat: nothing to see
    later = evidence_data(replace(result, sketch={"refutes_at": 5.0}))
    assert later is not None
    assert later["line"] == 5.0


def test_lines_leave_gaps_and_keep_their_looks() -> None:
    data = lines_picture("t", ("k", [1, 2, 3]), "y", {"claimed": [1, None, 3], "mine": [1, 2, 3]}, log="y")
    svg = draw(data).svg
    assert "var(--claimed)" in svg
    assert data["series"][1]["style"] == ""
    assert "claimed from 1 at 1 to 3 at 3" in draw(data).alt
    with pytest.raises(UsageError, match="a value for each x"):
        draw(lines_picture("t", ("k", [1, 2]), "y", {"a": [1]}))
    with pytest.raises(UsageError, match="above 0"):
        draw(lines_picture("t", ("k", [0, 2]), "y", {"a": [1, 2]}, log="x"))


def test_dollar_signs_and_rare_glyphs_stay_text() -> None:
    data = lines_picture("t", ("$\\frac{1}$ 漢字 <b>", [1, 2]), "𝔸", {"$x_": [1, 2]})
    svg = draw(data).svg
    assert "$\\frac{1}$ 漢字 <b>" in texts(svg)
    assert "<b>" not in svg


def test_one_bad_picture_does_not_spoil_the_others() -> None:
    good = lines_picture("good", ("k", [1, 2]), "y", {"a": [1, 2]})
    entry = Entry("a", "claim", "t", "s", "holds", pictures=({"type": "film"}, good))
    pictures, reasons = drawn(entry)
    assert [picture.title for picture in pictures] == ["good"]
    (reason,) = reasons
    assert reason.startswith("A picture cannot be drawn: a picture's type must be one of profile, outputs")
