"""Where a rising function reaches a target: the same answers as by asking everywhere, with fewer questions."""

import math

import numpy as np
import pytest

from auditor.certify.power import first_reached
from auditor.certify.roots import Rising


def halved(rises, target, most):
    """The same search by halving alone."""
    low, high = 0.0, 0.25
    while rises(high) < target:
        low, high = high, 2 * high
        if low >= most:
            return math.inf
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) >= target else (middle, high)
    return high


RISING = {
    "line": lambda x: 3 * x,
    "square": lambda x: x * x,
    "flat at first": lambda x: max(0.0, x - 1.7) ** 1.5,
    "levels off": lambda x: 9 * math.tanh(x / 5),
    "steps": lambda x: float(math.floor(4 * x)),
    "never": lambda x: 0.5,
    "jumps to infinity": lambda x: math.inf if x > 3.3 else 0.0,
}


@pytest.mark.parametrize("name", RISING)
def test_the_same_point_is_found_as_by_halving_alone(name):
    for target in np.geomspace(0.01, 12, 60).tolist():
        assert first_reached(RISING[name], target, 1e3) == halved(RISING[name], target, 1e3)


def test_smooth_functions_are_asked_less_often():
    asked = {}
    for search in (first_reached, halved):
        points = []

        def counted(x, points=points):
            points.append(x)
            return x**1.4

        search(counted, 5.0, 1e3)
        asked[search] = len(points)
    assert asked[first_reached] <= asked[halved] - 3


def test_what_follows_from_earlier_answers_is_not_computed():
    points = []

    def function(x):
        points.append(x)
        return x

    rising = Rising(function, 2.0)
    assert [rising.reaches(x) for x in (1.0, 3.0, 0.5, 4.0, 1.0, 3.0, 2.0, 2.5)] == [
        False, True, False, True, False, True, True, True,
    ]  # fmt: skip
    assert points == [1.0, 3.0, 2.0]
