"""Rényi divergences by quadrature against naive integration, closed forms and their own symmetries."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from auditor.notes.exact.renyi import AffinePair, Grid, LaplaceLogNormal


def naive_density(sigma, z):
    """The mixture over y itself, by adaptive quadrature: no shift to the mode, no logarithms."""

    def integrand(y):
        rate = math.exp(-sigma * y)
        return math.exp(-y * y / 2 - sigma * y - abs(z) * rate) / math.sqrt(8 * math.pi)

    return quad(integrand, -14, 25, limit=400, epsabs=0, epsrel=1e-12)[0]


@pytest.mark.parametrize("sigma", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("z", [0.0, 1e-3, 0.7, -5.0, 200.0])
def test_density_is_the_mixture(sigma, z):
    assert math.exp(float(LaplaceLogNormal(sigma).log_density(z))) == pytest.approx(naive_density(sigma, z), rel=1e-11)


@pytest.mark.parametrize("sigma", [0.05, 0.25, 1.0, 2.0])
def test_density_integrates_to_one_and_its_slope_at_zero_is_as_stated(sigma):
    noise = LaplaceLogNormal(sigma)
    assert noise.mass() == pytest.approx(1, abs=1e-12)
    step = 1e-7 / noise.slope
    slope = (noise.log_density(0.0) - noise.log_density(step)) / step
    assert float(slope) == pytest.approx(noise.slope, rel=1e-5)
    assert float(noise.log_density(0.0)) == pytest.approx(math.log(0.5) + sigma**2 / 2, abs=1e-13)


@pytest.mark.parametrize(
    ("shift", "dilation", "order"), [(0.5, 0.0, 2.0), (0.0, 0.4, 3.0), (0.3, 0.2, 1.5), (0.3, -0.2, 4.0)]
)
@pytest.mark.parametrize("reverse", [False, True])
def test_divergence_is_the_naive_integral(shift, dilation, order, reverse):
    sigma = 0.5
    noise = LaplaceLogNormal(sigma)

    def integrand(z):
        log_p = float(noise.log_density(z))
        log_q = float(noise.log_density((z - shift) * math.exp(-dilation))) - dilation
        a, b = (1 - order, order) if reverse else (order, 1 - order)
        return math.exp(a * log_p + b * log_q)

    cuts = [-400, -60, -8, 0, *([shift] if shift else []), 8, 60, 400]
    total = sum(quad(integrand, a, b, limit=200, epsrel=1e-9)[0] for a, b in itertools.pairwise(cuts))
    found = AffinePair(sigma, shift, dilation).divergence(order, reverse)
    assert found.value == pytest.approx(math.log(total) / (order - 1), abs=1e-7)
    assert 0 < found.error < 1e-10


def test_the_error_bound_covers_a_coarser_rule():
    reference = AffinePair(0.5, 0.4, 0.3).divergence(8.0)
    coarse = AffinePair(0.5, 0.4, 0.3, grid=Grid(step=0.5)).divergence(8.0)
    assert coarse.error > 1e-9  # it knows that it is coarse
    assert abs(coarse.value - reference.value) <= coarse.error
    coarse = AffinePair(0.5, 0.4, 0.3, grid=Grid(nodes=17, step=1 / 16)).divergence(8.0)
    assert coarse.error > 1e-6
    assert abs(coarse.value - reference.value) <= coarse.error


def test_a_small_sigma_is_the_laplace_distribution():
    shift, order = 0.7, 3.0
    # Rényi divergence of Lap(1) under a shift (Mironov 2017, Table II)
    laplace = math.log(
        order / (2 * order - 1) * math.exp((order - 1) * shift)
        + (order - 1) / (2 * order - 1) * math.exp(-order * shift)
    ) / (order - 1)
    assert AffinePair(1e-3, shift, 0.0).divergence(order).value == pytest.approx(laplace, rel=1e-5)


def test_symmetries():
    order = 5.0
    plus, minus = AffinePair(0.5, 0.3, 0.0), AffinePair(0.5, -0.3, 0.0)
    assert plus.divergence(order).value == pytest.approx(minus.divergence(order).value, rel=1e-12)
    assert plus.divergence(order).value == pytest.approx(plus.divergence(order, reverse=True).value, rel=1e-12)
    # D(Z || s + e^t Z) = D(-e^-t s + e^-t Z || Z)
    forth = AffinePair(0.5, 0.3, 0.2).divergence(order)
    back = AffinePair(0.5, -0.3 * math.exp(-0.2), -0.2).divergence(order, reverse=True)
    assert forth.value == pytest.approx(back.value, rel=1e-11)


def test_divergence_grows_with_its_order_up_to_the_infinite_one():
    pair = AffinePair(0.25, 0.1, 0.0, highest_order=4096.0)
    values = [pair.divergence(order).value for order in (1.001, 1.5, 4, 64, 1024, 4096)]
    assert values == sorted(values)
    limit = LaplaceLogNormal(0.25).infinite_divergence_of_shift(0.1)
    assert values[-1] < limit < values[-1] * 1.01
    grid = np.linspace(-3, 3, 6001)
    noise = LaplaceLogNormal(0.25)
    assert float(np.max(noise.log_density(grid) - noise.log_density(grid - 0.1))) <= limit + 1e-12


def test_nothing_moved_is_no_divergence():
    found = AffinePair(0.5, 0.0, 0.0).divergence(2.0)
    assert abs(found.value) <= found.error < 1e-11


@pytest.mark.parametrize("order", [1.0, 0.5, 65.0])
def test_orders_outside_the_range_are_refused(order):
    with pytest.raises(ValueError, match="got order="):
        AffinePair(0.5, 0.1, 0.1).divergence(order)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="got sigma=0"):
        LaplaceLogNormal(0)
    with pytest.raises(ValueError, match="got highest_order=1"):
        AffinePair(0.5, 0.1, 0.1, highest_order=1.0)
