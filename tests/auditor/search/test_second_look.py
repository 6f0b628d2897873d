"""Winners of the first draws are judged again on later ones."""

import numpy as np

from auditor.certify.evidence import Point
from auditor.events.outputs import canonical, form_of
from auditor.search.candidates import Regions
from auditor.search.learners import thresholds
from auditor.search.past import Past
from auditor.search.second_look import looked_at_again
from auditor.search.selection import best_candidate
from auditor.search.utility import LowerBound
from auditor.tuning import Learning

TUNING = Learning(judged_of_many=4000, least_for_trees=10**9)
BOUND = LowerBound(Point(0.0, 0.0), 1e6, 0.01)


def past_of(lucky):
    """Laplace noise on the first coordinate, which moves by 1. Where `lucky`, left outputs have a second coordinate of
    9 among the first 4,000 draws and never again."""
    rng, n = np.random.default_rng(3), 40_000
    sides = [rng.laplace(size=(n, 2)) for _ in range(2)]
    sides[0][:, 0] += 1
    if lucky:
        sides[0][:60, 1] = 9.0
        sides[1][:4000, 1] = np.minimum(sides[1][:4000, 1], 4.0)
    form, past = form_of(sides, "m"), Past(("values",), TUNING, lines=False)
    past.add(*(canonical(side, n, "m", form) for side in sides))
    return past


def features(candidate):
    return str(candidate.event.score.to_dict())


def test_a_lucky_region_wins_at_first_and_loses_the_second_look():
    past = past_of(lucky=True)
    scores = thresholds.propose(past)
    first = Regions(scores).best([BOUND])
    assert "x[0]" not in features(first)
    assert first.value > 1.2
    again = looked_at_again(Regions(scores), [BOUND], past.later(), TUNING)
    assert "x[0]" in features(again)
    assert 0.85 < again.value < 1.0


def test_what_is_true_stays():
    past = past_of(lucky=False)
    regions = Regions(thresholds.propose(past))
    assert "x[0]" in features(regions.best([BOUND]))
    assert "x[0]" in features(looked_at_again(regions, [BOUND], past.later(), TUNING))
    assert 0.9 < best_candidate(past, [BOUND]).value < 1.0


def test_later_draws_are_those_that_judged_nothing():
    past = past_of(lucky=False)
    left, right = past.later()
    assert (len(left), len(right)) == (36_000, 36_000)
    assert np.array_equal(left.numbers, past.sides()[0].numbers[4000:])
    short = Past(("values",), Learning(judged_of_many=30_000))
    short.add(*past.sides())
    assert short.later() is None  # 10,000 draws would judge less well than 30,000 did
