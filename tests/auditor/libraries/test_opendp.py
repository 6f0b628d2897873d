"""OpenDP as it is installed. It draws from the system's randomness: true claims are audited at alpha 1e-6, which is
the probability that a test of one fails by chance; the false ones are far off."""

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries import opendp
from auditor.sampling.pickling import pickled, pickler
from mechanisms.core.claims import ZCDP

dp = pytest.importorskip("opendp.prelude", reason="needs opendp (pip install opendp)", exc_type=ImportError)


@pytest.fixture(autouse=True)
def features():
    dp.enable_features("contrib", "honest-but-curious")


def laplace(scale=1.0):
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)


def gaussian():
    return dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=float), scale=1.0)


def vector(scale=1.0):
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    return dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=scale)


def too_little_noise():
    """The noise is a third of what the map says."""
    noisy, measure = laplace(1 / 3), dp.max_divergence()
    return dp.m.make_user_measurement(
        dp.atom_domain(T=int), dp.absolute_distance(T=int), measure, lambda x: noisy(x), lambda d: float(d), TO=int
    )


def made_in_worker():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)


def test_claims_are_those_of_the_map():
    assert opendp.measurement(laplace(), d_in=2).claim == ApproxDP(2.0)
    assert opendp.measurement(gaussian(), d_in=2.0).claim == ZCDP(2.0)
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian()), 1e-3)
    assert opendp.measurement(fixed, d_in=1.0).claim == ApproxDP(*fixed.map(1.0))


def test_healthy_is_not_refuted():
    result = audit(opendp.measurement(laplace(), d_in=1), pairs=[(0, 1)], trials=4_000, alpha=1e-6, jobs=1)
    assert not result.refuted
    assert result.epsilon_lower > 0.5
    assert result.name == "opendp"


def test_healthy_entries_of_a_vector_are_not_refuted():
    mechanism = opendp.measurement(vector(), d_in=1.0, elementwise=True)
    assert not audit(mechanism, pairs=[(0.0, 1.0)], trials=20_000, alpha=1e-6, jobs=1).refuted


def test_too_little_noise_is_refuted():
    assert audit(opendp.measurement(too_little_noise(), d_in=1), pairs=[(0, 1)], trials=20_000, jobs=1).refuted


def test_a_pair_further_apart_than_told_is_refuted():
    mechanism = opendp.measurement(vector(), d_in=1.0, elementwise=True)
    assert audit(mechanism, pairs=[(0.0, 3.0)], trials=20_000, jobs=1).refuted


def test_a_function_that_makes_it_can_be_sent():
    sent = pickler().loads(pickled(opendp.measurement(made_in_worker, d_in=1)))
    assert sent.claim == ApproxDP(1.0)
    assert len(sent.sample(0, 3, np.random.default_rng(0))) == 3


@pytest.mark.parametrize(
    ("make", "d_in", "elementwise", "words"),
    [
        (lambda: 3, 1, False, "must be an OpenDP Measurement, got a int"),
        (laplace, "far", False, "d_in must be a distance"),
        (laplace, 1, True, "needs a vector"),
        (lambda: dp.c.make_zCDP_to_approxDP(gaussian()), 1.0, False, "make_fix_delta"),
        (gaussian, 0.0, False, "testable"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(make, d_in, elementwise, words):
    with pytest.raises(UsageError, match=words):
        opendp.measurement(make(), d_in, elementwise)
