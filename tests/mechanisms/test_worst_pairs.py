"""The named pairs of a mechanism hold its worst one: what an audit is given reaches the exact value.

Each law below is written from the mechanism's own description, pair by pair; `exact()` maximises over all neighbours.
"""

import numpy as np
import pytest

from mechanisms.core.claims import NumericProfile
from mechanisms.core.profiles import finite_profile
from mechanisms.pricing import Apples, Bidders
from mechanisms.private_local_sensitivity import (
    PrivateLocalSensitivity,
    Step,
    triangle_sensitivity,
    triangles,
)
from mechanisms.propose_test_release import State
from mechanisms.ptr_median import PtrMedian
from mechanisms.ptr_reciprocal import PtrReciprocal
from mechanisms.stable_majority import StableMajority
from mechanisms.stable_median import StableMedian


def _tested(mechanism, pair):
    left, right = (State(mechanism.distance(x), mechanism.query(x)) for x in (pair.left, pair.right))
    return lambda e: max(mechanism.hockey(left, right, e), mechanism.hockey(right, left, e))


def _stable(mechanism, pair):
    def law(dataset):
        released = mechanism.release_probability(mechanism.distance(dataset))
        here = mechanism.value(dataset) == mechanism.value(pair.left)
        return (released, 0, 1 - released) if here else (0, released, 1 - released)

    return finite_profile(law(pair.left), law(pair.right)).delta_at


def _graphs(mechanism, pair):
    a, b = (triangle_sensitivity(graph) for graph in (pair.left, pair.right))
    moved = abs(triangles(pair.left) - triangles(pair.right))
    return lambda e: max(mechanism.hockey(Step(*ends, moved), e) for ends in ((a, b), (b, a)))


LAWS = [
    (PtrMedian(), _tested),
    (PtrReciprocal(), _tested),
    (StableMajority(), _stable),
    (StableMedian(), _stable),
    (PrivateLocalSensitivity(), _graphs),
    (PrivateLocalSensitivity(vertices=5), _graphs),
    (PrivateLocalSensitivity(vertices=7), _graphs),
]


@pytest.mark.parametrize(("mechanism", "law"), LAWS, ids=lambda value: getattr(value, "id", ""))
def test_a_named_pair_is_the_worst(mechanism, law):
    delta = mechanism.claim.delta
    reached = [NumericProfile(law(mechanism, pair)).epsilon_at(delta) for pair in mechanism.neighbours()]
    exact = mechanism.exact().epsilon_at(delta)
    assert max(reached) == pytest.approx(exact, rel=1e-6)
    assert min(reached) < 0.99 * exact  # not every pair would do


@pytest.mark.parametrize("mechanism", [Apples(), Bidders()], ids=lambda mechanism: mechanism.id)
def test_a_price_list_comes_near_its_supremum(mechanism):
    """No finite number of buyers attains it."""

    def reached(pair):
        ratio = np.log(mechanism.probabilities(pair.left) / mechanism.probabilities(pair.right))
        return float(np.abs(ratio).max())

    exact = mechanism.exact().epsilon_at(0.0)
    *others, rare = map(reached, mechanism.neighbours())
    assert 0.95 * exact < rare < exact
    assert max(others) < 0.6 * exact
