import numpy as np
import pytest

from auditor.events.outputs import Form, Outputs
from auditor.search.pairs.signals import HIGHEST, shift, sides

RNG = np.random.default_rng(3)


def numbers(values, floating=True):
    column = np.asarray(values, dtype=float)
    return Outputs(column.reshape(len(column), -1), None, Form("numbers", 1, floating))


def labels(texts):
    return Outputs(np.full((len(texts), 1), np.nan), list(texts), Form("labels", 1, False))


NOISE = RNG.laplace(0, 2, 200)


def test_where_the_data_do_not_matter_both_scores_are_nothing():
    assert shift(numbers(NOISE), numbers(NOISE)) == 0
    assert sides(numbers(NOISE), numbers(NOISE), 0.0) <= 0
    assert shift(labels("ab" * 50), labels("ab" * 50)) == 0


def test_additive_noise_shows_its_whole_difference():
    assert shift(numbers(NOISE + 6), numbers(NOISE)) == pytest.approx(1.25 * 3, rel=0.2)  # 6 of a scale of 2
    assert shift(numbers(NOISE + 0.2), numbers(NOISE)) == pytest.approx(0.125, rel=0.2)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (numbers(3 * NOISE), numbers(NOISE)),  # the scale
        (numbers(NOISE + 9), numbers(NOISE)),  # the place
        (numbers(np.full(200, 2.0)), numbers(np.full(200, 1.0))),  # no noise
        (numbers(np.where(NOISE > 1, np.nan, NOISE)), numbers(NOISE)),  # no answer
        (labels("a" * 150 + "b" * 50), labels("b" * 200)),  # the words
    ],
)
def test_leaks_score_more_than_sampling_error(left, right):
    assert shift(left, right) > 0.8
    assert sides(left, right, 0.0) > 0.3


def test_the_grid_of_the_outputs_is_seen():
    grid = np.round(NOISE * 4) / 4
    assert sides(numbers(grid), numbers(grid + 0.125), 0.0) > 2
    assert sides(numbers(grid), numbers(grid + 1.0), 0.0) < 2


def test_no_noise_is_the_highest_score_and_infinite_outputs_are_no_error():
    assert shift(numbers(np.full(50, 2.0)), numbers(np.full(50, 1.0))) == HIGHEST
    wild = numbers(np.array([np.inf, -np.inf, np.nan, 1e308, -1e308] * 20))
    assert 0 <= shift(wild, numbers(NOISE[:100])) <= HIGHEST
    assert sides(wild, numbers(NOISE[:100]), 0.0) > 0


def test_columns_are_looked_at_together():
    coins, others = np.random.default_rng(4).integers(0, 2, (2, 400)).astype(float)
    equal, free = numbers(np.column_stack([coins, coins])), numbers(np.column_stack([coins, others]))
    assert sides(numbers(coins), numbers(coins), 0.0) <= 0
    assert sides(equal, free, 0.0) > 2
    noise = RNG.laplace(0, 1, (400, 2))
    assert sides(numbers(noise), numbers(noise), 0.0) <= 0
