"""TradeOff: what it composes to against exact values, what it refuses, and its broken twins."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from auditor import ZCDP, ApproxDP, GaussianDP, ProfileClaim, RenyiDP, TradeOff, TradeOffClaim, UsageError
from auditor.certify import hull, losses
from auditor.certify.tradeoff import Certificate, Part
from mechanisms.core.profiles import laplace_product_profile, subsampled_profile

AT = np.linspace(-7, 8, 1200)


def curve(points: hull.Points, name: str = "test", alpha: float = 0.05) -> TradeOff:
    return TradeOff((Part(points),), (Certificate(name, "1 and 0", (10, 10), alpha, 0),))


def gaussian(mu: float) -> TradeOff:
    return curve(hull.concave(list(zip(norm.sf(AT), norm.sf(AT - mu), strict=True))))


def laplace(epsilon: float) -> TradeOff:
    """On 0 and 1, scale 1/epsilon: vertices at many thresholds between the two."""
    at = np.linspace(0, 1, 400)
    tail = np.where(at > 0, 0.5 * np.exp(-epsilon * at), 0.5)
    return curve(hull.concave(list(zip(tail, 1 - 0.5 * np.exp(epsilon * (at - 1)), strict=True))))


def test_one_run_is_the_curve_itself() -> None:
    one = gaussian(1.0)
    for epsilon in (0.0, 0.5, 2.0):
        exact = GaussianDP(1.0).delta_at(epsilon)
        assert exact - 1e-4 < one.delta_at(epsilon) <= exact
    assert one.epsilon_at(1e-3) == pytest.approx(3.1387, abs=2e-3)
    assert one.epsilon_at(0.9) == 0


def test_mu_is_at_most_and_nearly_the_truth() -> None:
    assert 0.9999 < gaussian(1.0).mu <= 1 + 1e-6
    assert 0.995 < gaussian(0.1).times(100).mu <= 1 + 1e-6


@pytest.mark.parametrize(("rate", "k", "exact"), [(0.01, 1000, 1.828), (1.0, 4, GaussianDP(2.0).epsilon_at(1e-5))])
def test_subsampled_gaussians_composed(rate: float, k: int, exact: float) -> None:
    """DP-SGD of 1,000 steps: 1.828 by dp-accounting's accountant."""
    found = gaussian(1.0).subsampled(rate).times(k).epsilon_at(1e-5)
    assert 0.996 * exact < found < exact + 5e-4


def test_subsampled_is_the_exact_mixture() -> None:
    exact = subsampled_profile(GaussianDP(1.0), 0.1)
    for added in ("left", "right"):
        found = gaussian(1.0).subsampled(0.1, added=added)
        for epsilon in (0.0, 0.1, 0.3):
            assert exact.delta_at(epsilon) - 1e-4 < found.delta_at(epsilon) <= exact.delta_at(epsilon) + 1e-12


def test_the_wrong_side_subsampled_is_caught() -> None:
    """Broken twin: the record is on the left, and the right is mixed.

    Without the record the mechanism says so with probability .2, with it never. On a sample of half it says so with
    probability .1 against .2: a loss of log 2. Mixed on the wrong side it would be .1 against 0, without bound.
    """
    leaky = curve(((0.0, 0.0), (0.8, 1.0), (1.0, 1.0)))
    assert leaky.subsampled(0.5, added="left").epsilon_at(0.0) == pytest.approx(math.log(2))
    assert leaky.subsampled(0.5, added="right").epsilon_at(0.0) == math.inf


def test_the_worse_direction_counts() -> None:
    """Broken twin: one direction for two. The other one of a subsampled Gaussian is far smaller."""
    found = gaussian(1.0).subsampled(0.1)
    turned = replace(found, parts=(Part(hull.reversed_(found.parts[0].points)),))
    assert found.epsilon_at(1e-5) == pytest.approx(turned.epsilon_at(1e-5))
    points = found.parts[0].points
    ahead, back = (losses.of_curve(one).epsilon_at(1e-5) for one in (points, hull.reversed_(points)))
    assert max(ahead, back) == pytest.approx(found.epsilon_at(1e-5))
    assert min(ahead, back) < 0.5 * found.epsilon_at(1e-5)


@pytest.mark.parametrize("k", [1, 10, 5000])
def test_epsilon_at_delta_zero_adds_up(k: int) -> None:
    """The largest loss of k runs has a probability that no grid holds, and is k times that of one."""
    assert laplace(0.1).times(k).epsilon_at(0.0) == pytest.approx(0.1 * k, rel=1e-6)


def test_laplace_composed() -> None:
    exact = laplace_product_profile(0.1, 10)
    found = laplace(0.1).times(10)
    for delta in (1e-2, 1e-4):
        assert 0.997 * exact.epsilon_at(delta) < found.epsilon_at(delta) <= exact.epsilon_at(delta) + 1e-9


def test_composed_points_are_concave_and_below() -> None:
    found = gaussian(0.1).times(100)
    points = np.array(found.points)
    assert tuple(points[0]) == (0, 0)
    assert tuple(points[-1]) == (1, 1)
    assert (np.diff(np.diff(points[:, 1]) / np.diff(points[:, 0])) <= 1e-9).all()
    x, y = points[1:-1].T
    assert (y <= norm.cdf(norm.ppf(x) + 1) + 1e-9).all()
    again = curve(tuple(found.points))
    assert again.epsilon_at(1e-3) == pytest.approx(found.epsilon_at(1e-3), rel=5e-3)
    assert again.epsilon_at(1e-3) <= found.epsilon_at(1e-3) + 1e-9


def test_then_and_times_agree() -> None:
    one = laplace(0.5)
    assert one.then(one).epsilon_at(1e-3) == one.times(2).epsilon_at(1e-3)
    assert one.then(gaussian(1.0)).epsilon_at(1e-3) == pytest.approx(gaussian(1.0).then(one).epsilon_at(1e-3), abs=1e-4)
    assert one.times(3).times(4).epsilon_at(1e-3) == one.times(12).epsilon_at(1e-3)


def test_alpha_is_paid_once_for_each_curve() -> None:
    one, other = curve(CURVE, "one"), curve(CURVE, "other", 0.01)
    assert one.then(one).times(9).subsampled(0.5).alpha == 0.05
    assert one.then(other).alpha == pytest.approx(0.06)


CURVE = ((0.0, 0.0), (0.05, 0.3), (0.3, 0.7), (1.0, 1.0))


def test_assumptions_are_said() -> None:
    text = " ".join(str(curve(CURVE).subsampled(0.01).times(1000)).split())
    assert "certified at 95 %" in text
    assert "1,000 independent runs" in text
    assert "nothing but the differing record is sampled" in text
    assert "no proof of privacy" in text


def test_json_round_trip() -> None:
    for one in (curve(CURVE), curve(CURVE).times(7), curve(CURVE).subsampled(0.3).then(laplace(1.0))):
        again = TradeOff.from_json(one.to_json())
        assert again == one
        assert again.points == one.points
        assert again.to_json() == one.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": "dp-audit/tradeoff/1", "parts": [], "certificates": [], "assumed": []}',
        curve(CURVE).to_json().replace("0.05, 0.3", "0.3, 0.05"),
        curve(CURVE).to_json().replace('"times": 1', '"times": 0.5'),
        curve(CURVE).to_json().replace("dp-audit/tradeoff/1", "other"),
        "[" * 100_000,
    ],
)
def test_what_is_no_trade_off_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        TradeOff.from_json(text)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("schema",), "other", "schema of a stored trade-off must be \"dp-audit/tradeoff/1\", got schema='other'"),
        (("parts",), [], "parts of a stored trade-off must be a list of at least one curve, got parts=[]"),
        (("parts", 0, "times"), 0.5, "parts[0].times of a stored trade-off must be a whole number, 1 or more, got"),
        (("parts", 0, "points", 1), [0.1], "must be [false positive rate, true positive rate], got"),
        (("parts", 0, "points", 1, 0), 1.5, "points[1][0] of a stored trade-off must be a number from 0 to 1, got"),
        (("certificates", 0, "alpha"), "5 %", "certificates[0].alpha of a stored trade-off must be a number from 0 to"),
        (("certificates", 0, "trials"), [1], "trials of a stored trade-off must be two whole numbers, 0 or more, got"),
        (
            ("certificates", 0, "more"),
            1,
            "must have only the keys name, pair, trials, alpha, seed, score, got ['mor",
        ),
        (("assumed",), "nothing", "assumed of a stored trade-off must be a list of texts, got assumed='nothing'"),
    ],
)
def test_a_bad_field_of_a_stored_curve_is_named_with_its_rule_and_value(path: Any, value: Any, said: str) -> None:
    data: Any = json.loads(curve(CURVE).to_json())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(UsageError, match=re.escape(said)):
        TradeOff.from_dict(data)


def test_a_curve_stored_without_the_words_for_its_score_is_read() -> None:
    data = curve(CURVE).to_dict()
    del data["certificates"][0]["score"]
    assert TradeOff.from_dict(data).points == curve(CURVE).points


def test_bad_arguments_name_the_rule() -> None:
    one = curve(CURVE)
    with pytest.raises(UsageError, match="delta must be a probability"):
        one.epsilon_at(2.0)
    with pytest.raises(UsageError, match="k must be a whole number"):
        one.times(0)
    with pytest.raises(UsageError, match="added must be 'left' or 'right'"):
        one.subsampled(0.5, added="both")
    with pytest.raises(UsageError, match="rate must be a probability"):
        one.subsampled(1.5)
    with pytest.raises(UsageError, match="then takes a TradeOff"):
        one.then("x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="order must be"):
        one.renyi_at(1.0)


def test_claims_are_refuted_where_the_curve_passes_them() -> None:
    one = gaussian(1.0)
    false = (
        ApproxDP(3.0, 1e-3),
        GaussianDP(0.98),
        ZCDP(0.48),
        RenyiDP(2.0, 0.97),
        ProfileClaim([(0.5, 0.5), (1.0, 0.1)]),
        TradeOffClaim([(0.1, 0.35), (0.5, 0.8)]),
    )
    true = (
        ApproxDP(3.2, 1e-3),
        GaussianDP(1.0),
        ZCDP(0.5),
        RenyiDP(2.0, 1.0),
        ProfileClaim([(0.5, 0.5), (1.0, 0.14)]),
        TradeOffClaim([(0.0, 0.01), (0.01, 0.2), (0.1, 0.5), (0.5, 0.95)]),
    )
    assert [one.refutes(claim) for claim in false] == [True] * len(false)
    assert [one.refutes(claim) for claim in true] == [False] * len(true)


def test_a_claim_on_a_composition() -> None:
    steps = gaussian(1.0).subsampled(0.01).times(1000)
    assert steps.refutes(ApproxDP(1.8, 1e-5))
    assert not steps.refutes(ApproxDP(1.85, 1e-5))


def test_renyi_divergences_add_up() -> None:
    one = gaussian(1.0)
    assert 0.99 < one.renyi_at(2.0) <= 1 + 1e-12
    assert one.times(3).renyi_at(2.0) == pytest.approx(3 * one.renyi_at(2.0))
    assert 0.499 < one.rho <= 0.5


def test_nothing_certified_says_nothing() -> None:
    none = curve(((0.0, 0.0), (1.0, 1.0)))
    assert none.epsilon_at(0.0) == none.times(50).epsilon_at(1e-5) == none.mu == none.delta_at(0.0) == 0
    assert not none.refutes(ApproxDP(0.0))


def test_the_card_is_escaped_and_has_a_picture() -> None:
    one = curve(CURVE, name="<script>alert(1)</script>")
    card = one._repr_html_()
    assert "<script" not in card
    assert "<svg" in card
    assert "at least" in card


def test_the_plot_is_on_the_axes_given() -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert gaussian(1.0).plot(axes, claim=GaussianDP(0.5), exact=GaussianDP(1.0)) is axes
    lines = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    exact = np.array(lines["exact"])
    truth = norm.cdf(norm.ppf(np.clip(exact[:, 0], 1e-12, 1 - 1e-12)) + 1)
    assert np.abs(exact[:, 1] - truth).max() < 0.01
    assert math.isclose(max(np.array(lines["certified at 95 %"])[:, 1]), 1.0)
