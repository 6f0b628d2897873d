"""Straight lines of log-ratios: used where they fit and delta > 0, and nowhere else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from auditor.certify.evidence import Point
from auditor.events.event import Event
from auditor.events.scores import Region, Value
from auditor.learner_tuning import Lines
from auditor.search.candidates import Curve, Regions, Scored
from auditor.search.lines import with_line
from auditor.search.past import curve_of
from auditor.search.utility import Growth, LowerBound, Significance, Utility

DRAWS = 2048
MU = 0.6  # epsilon 1.17 at delta .01


def curves(left: np.ndarray, right: np.ndarray) -> tuple[Curve, Curve]:
    """Without the line, and with it."""
    sides = np.sort(left), np.sort(right)
    plain = curve_of(*sides)
    return plain, with_line(plain, *sides, Lines())


def gaussians(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1 / MU, DRAWS), rng.normal(1, 1 / MU, DRAWS)


def chosen(curve: Curve, utility: Utility) -> Event:
    found = Regions([Scored(Value("x"), curve, "values")]).best([utility])
    assert found is not None
    return found.event


def excess(event: Event, epsilon: float, delta: float) -> float:
    """Standard errors, for each root of a coin flip, by which the event truly passes the point."""

    def probability(region: Region | None, mean: float) -> float:
        if region is None:
            return 0.0
        below = float(ndtr((region.at - mean) * MU))
        return below if region.op == "<=" else 1 - below

    r = (probability(event.left, 0) + probability(event.right, 1)) / 2
    w = (probability(event.left, 1) + probability(event.right, 0)) / 2
    gain = r - math.exp(epsilon) * w
    return (gain - delta * event.directions / 2) / math.sqrt(r + math.exp(2 * epsilon) * w - gain**2)


def test_a_line_predicts_the_ratios_of_gaussians_and_chooses_nearly_the_best_event() -> None:
    """Without the line the mean excess over these 20 pasts is 62 % of the best event's."""
    utility = LowerBound(Point(1.0, 0.01), 36_000, 0.007)
    symmetric = (
        Event(Value("x"), Region("<=", low), Region(">=", 1 - low), "values") for low in np.linspace(-6, 0, 121)
    )
    best = max(excess(event, 1.0, 0.01) for event in symmetric)
    found: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(20):
        for straight, curve in zip((False, True), curves(*gaussians(seed)), strict=True):
            found[straight].append(excess(chosen(curve, utility), 1.0, 0.01) / best)
    assert np.mean(found[True]) > 0.95
    assert np.mean(found[False]) < 0.8


def test_a_bent_log_ratio_gets_no_line() -> None:
    rng = np.random.default_rng(0)
    plain, lined = curves(rng.laplace(0, 1, DRAWS), rng.laplace(1, 1, DRAWS))
    assert lined is plain


def test_a_rare_leak_is_not_smoothed_away() -> None:
    """Eight outputs that only the left dataset makes, beside 2,048 that tell nothing."""
    rng = np.random.default_rng(0)
    left, right = rng.normal(0, 1, (2, DRAWS))
    _, without = curves(left, right)
    left[:8] = 9.0
    plain, lined = curves(left, right)
    assert without.straight
    assert lined is plain


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_do_not_disturb_the_line(odd: float) -> None:
    left, right = gaussians(1)
    left[0] = right[0] = odd
    _, lined = curves(left, right)
    assert lined.straight
    assert lined.low.model is not None
    inner = slice(len(lined.low.at) // 4, len(lined.low.at) // 2)
    assert np.isfinite(lined.low.model[inner]).all()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.zeros(DRAWS), np.zeros(DRAWS)),
        (np.zeros(DRAWS), np.ones(DRAWS)),
        (np.full(DRAWS, 1e308), np.full(DRAWS, -1e308)),
        (np.arange(10.0), np.arange(10.0)),
    ],
    ids=["constant", "two values", "huge", "few draws"],
)
def test_no_line_where_there_is_nothing_to_fit(left: np.ndarray, right: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        plain, lined = curves(left, right)
    assert lined is plain


@pytest.mark.parametrize(
    "utility", [Growth(Point(0.5, 0.0)), LowerBound(Point(0.5, 0.0), 1e4, 0.01), Significance(Point(0.5, 0.0))]
)
def test_at_delta_0_the_line_changes_nothing(utility: Utility) -> None:
    plain, lined = curves(*gaussians(2))
    assert lined.straight
    assert chosen(lined, utility) == chosen(plain, utility)
