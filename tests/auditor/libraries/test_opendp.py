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


def of_measure(measure, loss=1.0):
    """A measurement whose map says that the loss is this one, in this measure."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    return dp.m.make_user_measurement(*space, measure, lambda x: x, lambda d: loss, TO=int)


def made_in_worker():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)


def test_claims_are_those_of_the_map():
    assert opendp.measurement(laplace(), d_in=2).claim == ApproxDP(2.0)
    assert opendp.measurement(gaussian(), d_in=2.0).claim == ZCDP(2.0)
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian()), 1e-3)
    assert opendp.measurement(fixed, d_in=1.0).claim == ApproxDP(*fixed.map(1.0))


def test_curves_become_points_that_they_imply():
    profile = dp.c.make_zCDP_to_approxDP(gaussian())
    points = opendp.measurement(profile, d_in=1.0).claim.points()
    assert len(points) == 6
    for epsilon, delta in points:
        assert epsilon == pytest.approx(profile.map(1.0).epsilon(delta))
    approximate = dp.approximate(dp.zero_concentrated_divergence())
    for epsilon, delta in opendp.measurement(of_measure(approximate, (0.5, 0.1)), d_in=1).claim.points():
        assert delta == pytest.approx(0.1 + 0.9 * ZCDP(0.5).delta_at(epsilon))
    renyi = opendp.measurement(of_measure(dp.renyi_divergence(), lambda order: order / 2), d_in=1).claim
    for epsilon, delta in renyi.points():  # some orders allow no less than all of them do
        assert delta >= ZCDP(0.5).delta_at(epsilon) - 1e-9
    assert renyi.delta_at(2.0) < 1.3 * ZCDP(0.5).delta_at(2.0)


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


@pytest.mark.parametrize(("wide", "refuted"), [(10, False), (30, True)])
def test_a_query_of_a_context(wide, refuted):
    """The query's sum is of what lies between 0 and 10: a longer range than the noise is for is refuted."""
    context = dp.Context.compositor(
        data=[1.0],
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=2,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    resolved = context.query().clamp((0.0, 10.0)).sum().laplace()
    mechanism = opendp.query(resolved)
    assert mechanism.claim == ApproxDP(0.5)
    assert context.remaining_privacy_loss() == [0.5, 0.5]
    longer = [float(wide)] if wide == 10 else [10.0] * 3
    result = audit(mechanism, pairs=[(longer, [])], trials=4_000, alpha=1e-6, jobs=1)
    assert result.refuted == refuted


def polars_query():
    pl = pytest.importorskip("polars", reason="needs polars (pip install 'opendp[polars]')", exc_type=ImportError)
    context = dp.Context.compositor(
        data=pl.LazyFrame({"age": [1], "town": ["x"]}),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=100), dp.polars.Margin(by=["town"], invariant="keys", max_length=100)],
    )
    return pl, context


def test_a_query_of_polars_is_resolved_once():
    pl, context = polars_query()
    mechanism = opendp.query(context.query().select(dp.len(signed=True)))
    assert mechanism.claim == ApproxDP(1.0)
    left, right = {"age": [1, 2, 3], "town": ["x", "x", "y"]}, {"age": [1], "town": ["x"]}
    assert audit(mechanism, pairs=[(left, right)], trials=300, jobs=1).refuted  # two records are one too many
    near = pl.DataFrame({"age": [1, 2], "town": ["x", "x"]}), pl.LazyFrame(right)
    assert not audit(mechanism, pairs=[near], trials=100, alpha=1e-6, jobs=1).refuted


def test_groups_of_polars_are_told_by_their_keys():
    _, context = polars_query()
    mechanism = opendp.query(context.query().group_by("town").agg(dp.len(signed=True)))
    data = {"age": [1, 2, 3], "town": ["y", "x", "x"]}
    (output,) = mechanism.sample(data, 1, np.random.default_rng(0))
    assert list(output) == ["x", "y"]
    assert all(isinstance(count, int) for count in output.values())


def test_transformations_against_their_maps():
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    pairs = [([7, 3], [7]), ([], [12])]
    clamped = dp.t.make_clamp(*space, (0, 10)) >> dp.t.then_sum()
    found = opendp.stability(clamped, 1, pairs)
    assert not found.refuted
    assert (found.distance, found.allowed) == (10, 10)
    broken = dp.t.make_user_transformation(
        *space, dp.atom_domain(T=int), dp.absolute_distance(T=int), lambda data: 2 * len(data), lambda d: d
    )
    assert opendp.stability(broken, 1, pairs).refuted
    with pytest.raises(UsageError, match="within d_in=1"):
        opendp.stability(clamped, 1, [([7, 3], [])])
    with pytest.raises(UsageError, match="members"):
        opendp.stability(clamped, 1, [(["a"], [])])


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
        (lambda: of_measure(dp.user_divergence("mine")), 1, False, "the output measure must be one of"),
        (gaussian, 0.0, False, "testable"),
    ],
)
def test_what_does_not_fit_gets_a_sentence_for_measurements(make, d_in, elementwise, words):
    with pytest.raises(UsageError, match=words):
        opendp.measurement(make(), d_in, elementwise)


def test_what_is_no_query_gets_a_sentence():
    with pytest.raises(UsageError, match="a query of an OpenDP context, got a int"):
        opendp.query(3)
    made = opendp.query(lambda: 3)
    with pytest.raises(UsageError, match="a query of an OpenDP context, got a int"):
        made.sample(0, 1, np.random.default_rng(0))
