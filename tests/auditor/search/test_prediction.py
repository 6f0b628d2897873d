"""What a score predicts for its tails, where noise in its tables must not count as a log-ratio."""

import numpy as np
import pytest

from auditor.learner_tuning import Calibration
from auditor.search.prediction import with_model

N = 50_000


def tail_of(left, right, share=0.002):
    """The log-ratio that is predicted for the upper tail with this share of the draws."""
    tail = with_model(np.sort(left), np.sort(right), Calibration()).high
    index = int(np.argmin(np.abs((tail.left + tail.right) / (2 * N) - share)))
    return float(tail.model[index]), float(tail.at[index])


def test_a_tail_that_is_only_noise_promises_nothing():
    """The log-ratio of Laplace noise is at most 1; a table's noise is added to it, and the score goes on to 1.3."""
    rng = np.random.default_rng(0)
    sides = [np.clip(2 * rng.laplace(mean, 1.0, N) - 1, -1, 1) + rng.normal(0, 0.1, N) for mean in (1.0, 0.0)]
    predicted, at = tail_of(*sides)
    assert at > 1.25
    assert predicted == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("sure", [1.0, 2.0])
def test_a_tail_that_is_true_is_promised(sure):
    """N(1/2, 1) against N(0, 1): the log-ratio is a straight line, also where the score is twice too sure of itself."""
    rng = np.random.default_rng(1)
    sides = [sure * (rng.normal(mean, 1.0, N) / 2 - 1 / 8) for mean in (0.5, 0.0)]
    predicted, at = tail_of(*sides)
    assert predicted > 0.93 * at / sure  # the mean beyond a threshold is above it
    assert predicted < 1.25 * at / sure


def test_both_tails_are_alike():
    rng = np.random.default_rng(2)
    left, right = (rng.normal(mean, 1.0, N) for mean in (0.5, -0.5))
    high, low = tail_of(left, right)[0], tail_of(-right, -left)[0]
    assert high == pytest.approx(low, rel=0.15)
