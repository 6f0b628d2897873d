"""Hockey-stick divergences against the definition over all events, and against hand-worked numbers."""

import math

import numpy as np
import pytest

from auditor.notes.exact import finite


def test_the_formula_is_the_definition_over_all_events():
    rng = np.random.default_rng(1)
    for _ in range(50):
        p, q = rng.dirichlet(np.ones(6), size=2)
        epsilon = rng.uniform(0, 2)
        assert finite.both_directions(p, q, epsilon) == pytest.approx(finite.by_events(p, q, epsilon), abs=1e-14)


def test_randomized_response_by_hand():
    p, q = (0.75, 0.25), (0.25, 0.75)
    assert finite.max_divergence(p, q) == pytest.approx(math.log(3))
    assert finite.hockey_stick(p, q, 0.0) == pytest.approx(0.5)
    assert finite.hockey_stick(p, q, math.log(2)) == pytest.approx(0.25)


def test_an_output_that_only_one_side_gives_is_infinite():
    assert finite.max_divergence((0.5, 0.5, 0.0), (0.5, 0.25, 0.25)) == math.inf


def test_product_is_the_joint_distribution():
    assert finite.product((0.5, 0.5), (0.1, 0.9)) == pytest.approx([0.05, 0.45, 0.05, 0.45])


def test_events_are_only_enumerated_where_there_are_few():
    with pytest.raises(ValueError, match="outputs=17"):
        finite.by_events(np.ones(17) / 17, np.ones(17) / 17, 0.0)
