"""Outputs that are partly answers and partly numbers: which places hold a number, and how large it is there."""

import json

import numpy as np
import pytest

from auditor.certify.evidence import Point
from auditor.certify.exact import binomial_epsilon
from auditor.events.outputs import canonical, form_of
from auditor.events.scores import score_from_dict
from auditor.search.candidates import Regions
from auditor.search.learners import shapes, sums, tables, thresholds
from auditor.search.learners.shapes import Shapes
from auditor.search.past import Past
from auditor.search.utility import LowerBound
from benchmarks.zoo.sparse_vector import SVT3

BOUND = LowerBound(Point(0.0, 0.0), 1e6, 0.01)
SVT = SVT3.at(1.0)
PAIR = next(pair for pair in SVT.neighbours() if pair.why == "last below, rest above")


def past_of(sample, n, seed=0):
    rng = np.random.default_rng(seed)
    sides = [sample(dataset, n, rng) for dataset in (PAIR.left, PAIR.right)]
    form, past = form_of(sides, "m"), Past(("values",), lines=False)
    past.add(*(canonical(side, n, "m", form) for side in sides))
    return past, form


def certified(learner, past, form):
    """What the learner's best event certifies on fresh draws."""
    (found,) = [Regions(learner.propose(past)).best([BOUND])]
    rng, n = np.random.default_rng(7), 400_000
    left, right = (found.event.guesses(canonical(SVT.sample(d, n, rng), n, "m", form)) for d in (PAIR.left, PAIR.right))
    return binomial_epsilon(left[0] + right[1], left[1] + right[0], 0.01)


def test_place_and_number_show_together_what_neither_shows_alone():
    past, form = past_of(SVT.sample, 60_000)
    alone = [certified(learner, past, form) for learner in (thresholds, tables, sums)]
    assert certified(shapes, past, form) > max(alone) + 0.15


def test_what_is_not_there_is_not_promised():
    for seed in range(4):
        past, _ = past_of(lambda dataset, n, rng: SVT.sample(PAIR.left, n, rng), 4000, seed)
        found = Regions(shapes.propose(past)).best([BOUND])
        assert found is None or found.value < 0.1


@pytest.mark.parametrize(
    "sample",
    [
        lambda dataset, n, rng: rng.normal(size=(n, 3)),  # numbers alone
        lambda dataset, n, rng: rng.integers(0, 3, (n, 3)).astype(float),  # answers alone
        lambda dataset, n, rng: rng.normal(size=n),  # no vector
    ],
)
def test_other_outputs_have_no_shapes(sample):
    assert shapes.propose(past_of(sample, 4000)[0]) == []


def test_a_table_of_shapes_as_plain_data():
    past, _ = past_of(SVT.sample, 4000)
    (scored,) = shapes.propose(past)
    outputs = past.sides()[0]
    again = score_from_dict(json.loads(json.dumps(scored.score.to_dict())))
    assert again == scored.score
    assert np.array_equal(again.of(outputs), scored.score.of(outputs))


def test_cells_by_hand():
    """Columns with the answer 0, ⊥ and numbers; shapes are digits of three: answer, number, ⊥."""
    table = Shapes("last", ((0.0,), (0.0,)), (1, 5), ((2.0,), ()), (0.1, 0.2, 0.3, 0.9))
    matrix = np.array([[0.0, 1.0], [0.0, 2.0], [7.0, np.nan], [0.0, 0.0], [3.0, 3.0]])
    form = form_of([matrix, matrix], "m")
    assert table.of(canonical(matrix, 5, "m", form)).tolist() == [0.1, 0.2, 0.3, 0.9, 0.9]
    both = Shapes("sum", ((0.0,), (0.0,)), (4,), ((5.0,),), (0.1, 0.2, 0.9))
    assert both.of(canonical(matrix, 5, "m", form)).tolist() == [0.9, 0.9, 0.9, 0.9, 0.2]
    assert "at least 1.22 times as likely on the left" in table.words(">=", 0.2)
    assert "at least 1.22 times as likely on the right" in table.words("<=", -0.2)
    assert "at most 1.22 times as likely on the left" in table.words("<=", 0.2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": "first"},
        {"keys": (5, 1)},
        {"values": (0.1, 0.2)},
    ],
)
def test_an_impossible_table_cannot_be_built(wrong):
    right = {"number": "last", "answers": ((0.0,),), "keys": (1,), "edges": ((2.0,),), "values": (0.1, 0.2, 0.3)}
    Shapes(**right)
    with pytest.raises(ValueError, match="shape"):
        Shapes(**(right | wrong))
