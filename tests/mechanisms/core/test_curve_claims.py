"""Claims that are curves: what they allow, against known conversions, and what they refuse."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from auditor import ApproxDP, GaussianDP, ProfileClaim, RenyiDP, TradeOffClaim, audit
from mechanisms.core.claims import claim_from_dict


def gaussian_renyi(order: float, sigma: float) -> float:
    """The Rényi divergence of N(0, sigma^2) and N(1, sigma^2) (Mironov 2017, Prop 7)."""
    return order / (2 * sigma**2)


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0, 32.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 6.0])
def test_what_an_order_allows_is_never_below_what_a_gaussian_of_that_order_has(order, epsilon):
    sigma = 1.3
    allowed = RenyiDP(order, gaussian_renyi(order, sigma)).delta_at(epsilon)
    assert allowed >= GaussianDP(1 / sigma).delta_at(epsilon)


def test_a_profile_allows_the_least_of_its_points():
    claim = ProfileClaim([(2.0, 1e-5), (1.0, 0.01)])
    assert claim.points() == ((1.0, 0.01), (2.0, 1e-5))
    assert claim.delta_at(1.0) == pytest.approx(0.01)
    assert claim.delta_at(2.0) == pytest.approx(1e-5)
    for epsilon in (0.0, 0.5, 1.5, 3.0):
        assert claim.delta_at(epsilon) == min(ApproxDP(*point).delta_at(epsilon) for point in claim.points())


def test_the_profile_of_a_loss_distribution_is_its_own():
    from dp_accounting.pld import privacy_loss_distribution

    pld = privacy_loss_distribution.from_gaussian_mechanism(1.0)
    claim = ProfileClaim.from_pld(pld, deltas=(1e-2, 1e-5))
    for epsilon, delta in claim.points():
        assert GaussianDP(1.0).delta_at(epsilon) == pytest.approx(delta, rel=1e-3)


def test_a_curve_allows_what_its_own_profile_says():
    mu = 1.0
    x = np.linspace(0.001, 0.999, 400)
    claim = TradeOffClaim(list(zip(x.tolist(), norm.cdf(norm.ppf(x) + mu).tolist(), strict=True)))
    for epsilon in (0.0, 0.5, 1.5):
        exact = GaussianDP(mu).delta_at(epsilon)
        assert exact - 1e-3 <= claim.delta_at(epsilon) <= exact + 1e-9  # a polygon inside the curve


@pytest.mark.parametrize(
    "make",
    [
        lambda: RenyiDP(1.0, 1.0),
        lambda: RenyiDP(2.0, -1.0),
        lambda: ProfileClaim([]),
        lambda: ProfileClaim([(1.0, 2.0)]),
        lambda: ProfileClaim([1.0]),
        lambda: TradeOffClaim([(0.5, 0.4)]),
        lambda: TradeOffClaim([(0.1, 0.12), (0.5, 0.9)]),
        lambda: TradeOffClaim([(0.1, 1.2)]),
    ],
)
def test_what_is_no_claim_is_refused(make):
    with pytest.raises(ValueError, match="got"):
        make()


CLAIMS = [RenyiDP(4.0, 0.5), ProfileClaim([(1.0, 0.01), (2.0, 1e-5)]), TradeOffClaim([(0.1, 0.4), (0.5, 0.9)])]


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_a_claim_is_plain_data(claim):
    assert claim_from_dict(claim.to_dict()) == claim


TRUE_AND_FALSE = {
    "Rényi": (RenyiDP(4.0, gaussian_renyi(4.0, 1.0)), RenyiDP(4.0, gaussian_renyi(4.0, 3.0))),
    "profile": (ProfileClaim([(3.14, 1e-3), (1.0, 0.127)]), ProfileClaim([(3.0, 1e-3), (0.3, 0.1)])),
    "curve": (
        TradeOffClaim([(0.0, 0.15), (0.1, 0.45), (0.31, 0.72), (0.6, 0.92)]),
        TradeOffClaim([(0.1, 0.2), (0.5, 0.65)]),
    ),
}


@pytest.mark.parametrize("kind", TRUE_AND_FALSE)
def test_a_true_curve_stands_and_a_false_one_falls(kind):
    """One Gaussian of sigma 1; each audit refutes a true claim with probability at most .001."""
    true, false = TRUE_AND_FALSE[kind]
    options = {"pairs": [(0, 1)], "trials": 20_000, "alpha": 1e-3, "jobs": 1, "views": ("values",)}

    def gaussian(dataset, n, rng):
        return dataset + rng.normal(0, 1, n)

    assert not audit(gaussian, true, **options).refuted
    assert audit(gaussian, false, **options).refuted


def test_mu_and_rho_of_a_result_are_below_the_truth_and_close():
    """With probability at most .01 each above it; the right order, or mu would be nearer to 2 or to 1/2."""
    from auditor import ZCDP

    def gaussian(dataset, n, rng):
        return dataset + rng.normal(0, 1, n)

    options = {"pairs": [(0, 1)], "trials": 200_000, "jobs": 1, "views": ("values",)}
    mu = audit(gaussian, GaussianDP(1.5), **options).mu_lower
    rho = audit(gaussian, ZCDP(0.5), **options).rho_lower
    assert mu is not None
    assert 0.7 < mu <= 1.0
    assert rho is not None
    assert 0.2 < rho <= 0.5
    assert audit(gaussian, ApproxDP(1.0, 0.2), **options).mu_lower is None
    assert math.isfinite(mu)
