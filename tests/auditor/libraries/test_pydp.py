"""python-dp as it is installed. It draws from its own randomness: true claims are audited at alpha 1e-6, which is the
probability that a test of one fails by chance; the false ones are far off."""

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries import pydp
from auditor.sampling.pickling import pickled, pickler

laplacian = pytest.importorskip(
    "pydp.algorithms.laplacian", reason="needs python-dp (pip install python-dp)", exc_type=ImportError
)
COUNT = [([1, 1, 1], [1, 1])]


class Count(laplacian.Count):
    """The noise of three times the epsilon. The library finds its C++ class by the name of this one."""

    def __init__(self, epsilon):
        super().__init__(epsilon=3 * epsilon)

    @property
    def epsilon(self):
        return super().epsilon / 3


def total():
    return pydp.algorithm(laplacian.BoundedSum, epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int")


def test_claims_are_those_of_the_library():
    assert pydp.algorithm(laplacian.Count, epsilon=0.5).claim == ApproxDP(0.5)
    assert total().claim == ApproxDP(1.0)


def test_a_healthy_count_is_not_refuted():
    result = audit(pydp.algorithm(laplacian.Count, epsilon=1.0), pairs=COUNT, trials=20_000, alpha=1e-6, jobs=1)
    assert not result.refuted
    assert result.epsilon_lower > 0.7
    assert result.name == "Count"


def test_a_healthy_sum_is_not_refuted():
    assert not audit(total(), pairs=[([1, 1, 10], [1, 1])], trials=10_000, alpha=1e-6, jobs=1).refuted


def test_too_little_noise_is_refuted():
    mechanism = pydp.algorithm(Count, epsilon=1.0)
    assert mechanism.claim == ApproxDP(1.0)
    assert audit(mechanism, pairs=COUNT, trials=20_000, jobs=1).refuted


def test_it_can_be_sent():
    sent = pickler().loads(pickled(total()))
    assert len(sent.sample([1, 2], 3, np.random.default_rng(0))) == 3


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (int, {}, "a class of pydp.algorithms.laplacian"),
        (laplacian.Count, {"epsilon": -1.0}, "Epsilon must be finite and positive"),
        (laplacian.Count, {"bound": 3}, "bound"),
        (laplacian.Count, {"dtype": "text"}, "is not supported"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(kind, settings, words):
    with pytest.raises(UsageError, match=words):
        pydp.algorithm(kind, **settings)
