"""diffprivlib as it is installed. It draws from the system's randomness: true claims are audited at alpha 1e-6, which
is the probability that a test of one fails by chance; the false ones are far off."""

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries import diffprivlib
from auditor.sampling.pickling import pickled, pickler

library = pytest.importorskip(
    "diffprivlib", reason="needs diffprivlib (pip install diffprivlib 'scikit-learn<=1.7.2')", exc_type=ImportError
)
NOISE = library.mechanisms
TOOLS = library.tools


class TooLittleNoise(NOISE.Geometric):
    """The noise of three times the epsilon."""

    def __init__(self, *, epsilon, sensitivity=1, random_state=None):
        super().__init__(epsilon=epsilon, sensitivity=sensitivity, random_state=random_state)
        self._scale *= 3


def too_little_noise(array, epsilon=1.0, bounds=None, accountant=None):
    return TOOLS.mean(array, epsilon=4 * epsilon, bounds=bounds, accountant=accountant)


def geometric():
    return NOISE.Geometric(epsilon=1.0)


MEAN = [([0.0, 0.5, 1.0], [0.0, 0.5, 0.0])]  # a record is replaced


def test_claims_are_those_of_the_library():
    assert diffprivlib.mechanism(geometric()).claim == ApproxDP(1.0)
    gaussian = NOISE.GaussianAnalytic(epsilon=0.5, delta=0.01, sensitivity=1)
    assert diffprivlib.mechanism(gaussian).claim == ApproxDP(0.5, 0.01)
    assert diffprivlib.tool(TOOLS.mean, bounds=(0, 1)).claim == ApproxDP(1.0)
    assert diffprivlib.tool(TOOLS.mean, epsilon=2.0, bounds=(0, 1)).claim == ApproxDP(2.0)


def test_a_healthy_mechanism_is_not_refuted():
    result = audit(diffprivlib.mechanism(geometric()), pairs=[(0, 1)], trials=20_000, alpha=1e-6, jobs=1)
    assert not result.refuted
    assert result.epsilon_lower > 0.7
    assert result.name == "Geometric"


def test_too_little_noise_is_refuted():
    mechanism = diffprivlib.mechanism(TooLittleNoise(epsilon=1.0))
    assert audit(mechanism, pairs=[(0, 1)], trials=20_000, jobs=1).refuted


def test_a_healthy_tool_is_not_refuted():
    """In the values view: the library adds its noise to doubles, and their bits tell more."""
    mechanism = diffprivlib.tool(TOOLS.mean, epsilon=1.0, bounds=(0, 1))
    assert not audit(mechanism, pairs=MEAN, trials=2_000, alpha=1e-6, views=["values"], jobs=1).refuted


def test_a_tool_with_too_little_noise_is_refuted():
    mechanism = diffprivlib.tool(too_little_noise, epsilon=1.0, bounds=(0, 1))
    assert audit(mechanism, pairs=MEAN, trials=5_000, views=["values"], jobs=1).refuted


def test_draws_of_a_tool_spend_no_budget_of_the_library():
    before = library.BudgetAccountant.load_default(None)
    spent = len(before)
    diffprivlib.tool(TOOLS.mean, bounds=(0, 1)).sample([0.5], 3, np.random.default_rng(0))
    assert len(library.BudgetAccountant.load_default(None)) == spent


def test_each_draw_fits_a_model_of_its_own():
    model = library.models.GaussianNB(epsilon=2.0, bounds=(0, 1))
    mechanism = diffprivlib.model(model, read=lambda fitted: fitted.theta_)
    assert mechanism.claim == ApproxDP(2.0)
    assert mechanism.id == "GaussianNB"
    X, y = np.linspace(0, 1, 20).reshape(-1, 1), np.arange(20) % 2
    first, second = mechanism.sample((X, y), 2, np.random.default_rng(0))
    assert first.shape == (2, 1)
    assert not np.array_equal(first, second)
    assert not hasattr(model, "theta_")


def test_a_function_that_makes_it_can_be_sent():
    sent = pickler().loads(pickled(diffprivlib.mechanism(geometric)))
    assert sent.claim == ApproxDP(1.0)
    assert len(sent.sample(0, 3, np.random.default_rng(0))) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: diffprivlib.mechanism(3), "an object of diffprivlib.mechanisms"),
        (lambda: diffprivlib.mechanism(NOISE.Geometric), "an object of diffprivlib.mechanisms"),
        (lambda: diffprivlib.mechanism(NOISE.Geometric(epsilon=1.0, random_state=3)), "random_state=3"),
        (lambda: diffprivlib.mechanism(NOISE.Geometric(epsilon=float("inf"))), "testable"),
        (lambda: diffprivlib.tool(np.mean), "a function of diffprivlib.tools"),
        (lambda: diffprivlib.tool(TOOLS.mean, random_state=3), "random_state=3"),
        (lambda: diffprivlib.model(3, read=len), "a model of diffprivlib.models"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(call, words):
    with pytest.raises(UsageError, match=words):
        call()
