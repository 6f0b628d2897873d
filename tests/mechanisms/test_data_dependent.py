"""Noise that depends on the data: smooth sensitivity and a privately released local sensitivity."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from oracles import FALSE_ALARM, fits_density
from scipy import integrate, stats

from mechanisms import Relation
from mechanisms.core.graph import Graph, deletion_sensitivity, triangle_sensitivity, triangles
from mechanisms.core.profiles import laplace_hockey
from mechanisms.laplace_log_normal import density, hockey, log_normal_noise, tail
from mechanisms.median import in_order, median
from mechanisms.private_local_sensitivity import (
    PrivateLocalSensitivity,
    PrivateLocalSensitivityDeletions,
    PrivateLocalSensitivityNoOffset,
    PrivateLocalSensitivityRaw,
    Step,
)
from mechanisms.smooth_sensitivity import (
    SmoothMedian,
    SmoothMedianLocal,
    SmoothMedianSteep,
    SmoothMedianUnscaled,
)

# Laplace log-normal noise and the smooth sensitivity (004 Prop 15.1)


def log_normal_density(z, sigma):
    """The definition, integrated over Y by scipy."""

    def integrand(y):
        return stats.norm.pdf(y) * stats.laplace.pdf(z * math.exp(-sigma * y)) * math.exp(-sigma * y)

    return integrate.quad(integrand, -12, 12, epsabs=1e-13, limit=200)[0]


@pytest.mark.parametrize("sigma", [0.3, 0.5, 1.0])
def test_density_and_tail(sigma):
    for z in (0.0, 0.01, -0.7, 3.0, 40.0):
        assert density(np.array([z]), sigma)[0] == pytest.approx(log_normal_density(z, sigma), abs=1e-10)
    total = integrate.quad(lambda z: density(np.array([z]), sigma)[0], 1.3, np.inf, epsabs=1e-12)[0]
    assert tail(np.array([1.3]), sigma)[0] == pytest.approx(total, abs=1e-9)
    assert tail(np.array([-1.3]), sigma)[0] == pytest.approx(1 - total, abs=1e-9)


def test_noise_follows_its_density():
    noise = log_normal_noise(0.7, 20_000, np.random.default_rng(2))
    assert fits_density(noise, lambda z: 1 - tail(z, 0.7)) > FALSE_ALARM


@pytest.mark.parametrize(("shift", "ratio"), [(0.2, 1.0), (0.2, 1.1), (0.0, 0.4), (1.0, 1.0), (0.5, 0.8)])
def test_hockey_against_a_fine_grid(shift, ratio):
    """Midpoints of a million cells over [-60, 60], beyond which LLN(.5) has less than 1e-9."""
    cells = np.linspace(-60, 60, 1_000_001)
    z = (cells[1:] + cells[:-1]) / 2
    grid = np.linspace(0, 260, 100_001)
    curve = density(grid, 0.5)
    p = np.interp(np.abs(z), grid, curve)
    q = np.interp(np.abs(z - shift) / ratio, grid, curve) / ratio
    for epsilon in (0.0, 0.3, 0.8):
        numeric = np.maximum(p - math.exp(epsilon) * q, 0).sum() * (cells[1] - cells[0])
        exact = hockey(0.5, np.array([shift]), np.array([ratio]), epsilon)[0]
        assert exact == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("mechanism", [SmoothMedian(), SmoothMedianUnscaled(), SmoothMedianSteep()], ids=lambda m: m.id)
def test_exact_profile_is_the_worst_of_all_neighbours(mechanism):
    """All pairs of datasets that differ in one record, both ways round; the named pairs contain the worst."""
    space = list(itertools.combinations_with_replacement(mechanism.values, mechanism.records))
    state = {x: (median(o := mechanism.ordered(x)), mechanism.spread(o)) for x in space}
    moves = set()
    for x in space:
        for i, new in itertools.product(range(5), mechanism.values):
            y = tuple(sorted((*x[:i], new, *x[i + 1 :])))
            (a, s), (b, r) = state[x], state[y]
            moves.add(((b - a) / s, r / s))
    shift, ratio = np.array(sorted(moves)).T
    named = set()
    for pair in mechanism.neighbours():
        for x, y in ((pair.left, pair.right), (pair.right, pair.left)):
            (a, s), (b, r) = state[tuple(sorted(x))], state[tuple(sorted(y))]
            named.add((abs(b - a) / s, r / s))
    shifts, ratios = np.array(sorted(named)).T
    for epsilon in (0.0, 0.2):
        worst = hockey(mechanism.sigma, shift, ratio, epsilon).max()
        assert mechanism.exact().delta_at(epsilon) == pytest.approx(worst, abs=1e-9)
        assert hockey(mechanism.sigma, shifts, ratios, epsilon).max() == pytest.approx(worst, abs=1e-9)


def test_smooth_median_samples():
    mechanism = SmoothMedian()
    for pair in mechanism.neighbours():
        for x in (pair.left, pair.right):
            outputs = mechanism.sample(x, 20_000, np.random.default_rng(4))
            centre, spread = np.median(x), mechanism.spread(in_order(x, 0, 4))
            law = lambda y, c=centre, s=spread: 1 - tail((y - c) / s, mechanism.sigma)  # noqa: E731
            assert fits_density(outputs, law) > FALSE_ALARM


def test_claim_of_the_smooth_median():
    """epsilon = t/sigma + e^(1.5 sigma^2) s."""
    assert SmoothMedian().claim.rho == pytest.approx((0.1 / 0.5 + math.exp(1.5 * 0.25) * 0.2) ** 2 / 2)


def test_local_sensitivity_leaves_some_datasets_bare():
    outputs = SmoothMedianLocal().sample((0, 0, 0, 0, 4), 10, np.random.default_rng(0))
    assert (outputs == 0).all()


# Triangles (004 Section 15.2.2)


def all_graphs(n):
    """The edges, the number of triangles and the common neighbours of every pair, for all graphs at once."""
    pairs = list(itertools.combinations(range(n), 2))
    codes = np.arange(2 ** len(pairs))
    adjacency = np.zeros((len(codes), n, n), dtype=np.int64)
    for bit, (i, j) in enumerate(pairs):
        adjacency[:, i, j] = adjacency[:, j, i] = codes >> bit & 1
    rows, columns = zip(*pairs, strict=True)
    common = (adjacency @ adjacency)[:, rows, columns]
    edges = adjacency[:, rows, columns]
    return pairs, codes, edges, (common * edges).sum(axis=1) // 3, common


@pytest.mark.parametrize("n", [3, 4])
def test_graph_functions_on_all_small_graphs(n):
    pairs, codes, edges, count, common = all_graphs(n)
    for code in codes:
        graph = Graph(n, frozenset(pair for pair, on in zip(pairs, edges[code], strict=True) if on))
        assert triangles(graph) == count[code]
        assert triangle_sensitivity(graph) == common[code].max()
        assert deletion_sensitivity(graph) == (common[code] * edges[code]).max()


def steps_of_all_graphs(n, sensitivity):
    """Every (LS, LS', |difference of the counts|) that one edge can make."""
    pairs, codes, edges, count, common = all_graphs(n)
    local = sensitivity(common, edges)
    found = set()
    for bit in range(len(pairs)):
        other = codes ^ (1 << bit)
        found |= set(zip(local.tolist(), local[other].tolist(), np.abs(count - count[other]).tolist(), strict=True))
    return found


@pytest.mark.parametrize("n", [5, 6])
def test_local_sensitivity_moves_by_one_and_the_steps_are_the_worst(n):
    found = steps_of_all_graphs(n, lambda common, edges: common.max(axis=1))
    assert max(abs(a - b) for a, b, _ in found) == 1  # GS(LS) = 1
    steps = {tuple(step) for step in PrivateLocalSensitivity(vertices=n).steps()}
    assert steps <= found
    assert all(moved <= min(a, b) for a, b, moved in found)  # so the listed steps have the largest move


def test_deletions_alone_jump_and_the_steps_are_the_worst():
    found = steps_of_all_graphs(5, lambda common, edges: (common * edges).max(axis=1))
    assert max(abs(a - b) for a, b, _ in found) == 3  # n - 2
    mutant = PrivateLocalSensitivityDeletions(vertices=5)
    assert {tuple(step) for step in mutant.steps()} <= found
    for epsilon in (0.0, 1.0, 2.0):
        worst = max(mutant.hockey(Step(*step), epsilon) for step in found)
        assert mutant.exact().delta_at(epsilon) == pytest.approx(worst, abs=1e-9)


def quadrature(mechanism, step, epsilon):
    """D~ in the printed definition, cut off at 1, with scipy's integrator over all that lies above."""
    eps, centres = mechanism.epsilon, [local + mechanism.offset for local in step[:2]]
    p, q = (stats.laplace(loc=centre, scale=1 / eps).cdf(1) for centre in centres)
    total = p * laplace_hockey(eps * step.moved, epsilon + math.log(q / p))

    def integrand(s):
        log_p, log_q = (-eps * abs(s - centre) for centre in centres)
        return eps / 2 * math.exp(log_p) * laplace_hockey(eps * step.moved / s, epsilon + log_q - log_p)

    cuts = [*np.linspace(1, max(centres) + 4 / eps, 60), max(centres) + 40 / eps]
    return total + sum(integrate.quad(integrand, a, b, epsabs=1e-12, limit=100)[0] for a, b in itertools.pairwise(cuts))


@pytest.mark.parametrize(
    "mechanism",
    [
        PrivateLocalSensitivity(),
        PrivateLocalSensitivityNoOffset(),
        PrivateLocalSensitivityDeletions(epsilon=0.5),
    ],
    ids=lambda m: m.id,
)
def test_hockey_against_scipy(mechanism):
    for step in list(mechanism.steps())[::3]:
        for flipped in (step, Step(step.right, step.left, step.moved)):
            for epsilon in (0.3, 2.0):
                expected = quadrature(mechanism, flipped, epsilon)
                assert mechanism.hockey(flipped, epsilon) == pytest.approx(expected, abs=1e-7)


def test_noisy_sensitivity_is_too_small_with_probability_half_delta():
    mechanism = PrivateLocalSensitivity()
    graph = mechanism.neighbours()[0].left
    noisy = mechanism.noisy_sensitivity(graph, 50_000, np.random.default_rng(6))
    short = int((noisy <= triangle_sensitivity(graph)).sum())
    assert stats.binomtest(short, 50_000, mechanism.delta / 2).pvalue > FALSE_ALARM
    assert mechanism.exact().delta_at(2.0) < mechanism.delta / 2


def test_triangle_samples():
    """D~ above its cut-off, and the noise of the count in units of D~."""
    mechanism = PrivateLocalSensitivity()
    for pair in mechanism.neighbours():
        assert pair.relation is Relation.EDGE
        assert len(pair.left.edges ^ pair.right.edges) == 1
        count, noisy = mechanism.sample(pair.left, 20_000, np.random.default_rng(7)).T
        law = stats.laplace(loc=triangle_sensitivity(pair.left) + mechanism.offset)
        assert fits_density(noisy[noisy > 1], lambda s, law=law: (law.cdf(s) - law.cdf(1)) / law.sf(1)) > FALSE_ALARM
        assert fits_density((count - triangles(pair.left)) / noisy, stats.laplace.cdf) > FALSE_ALARM


def test_named_pairs_move_what_they_say():
    mechanism = PrivateLocalSensitivity()
    rising, hubs, _ = mechanism.neighbours()
    assert (triangle_sensitivity(rising.left), triangle_sensitivity(rising.right)) == (3, 4)
    assert triangles(rising.right) - triangles(rising.left) == 3
    assert triangles(hubs.right) - triangles(hubs.left) == mechanism.vertices - 2
    assert (deletion_sensitivity(hubs.left), deletion_sensitivity(hubs.right)) == (0, 4)
    raw = PrivateLocalSensitivityRaw().sample(rising.left, 5, np.random.default_rng(0))
    assert (raw[:, 1] == 3).all()


def test_graphs_are_values():
    graph = Graph(4, frozenset({(2, 0), (0, 1)}))
    assert repr(graph) == "Graph(4: 0-1 0-2)"
    assert graph.toggled(1, 2) == Graph(4, frozenset({(0, 1), (0, 2), (1, 2)}))
    assert graph.toggled(1, 0).toggled(0, 1) == graph
    with pytest.raises(ValueError, match=r"two of the 3 vertices, got \(1, 3\)"):
        Graph(3, frozenset({(3, 1)}))
    with pytest.raises(ValueError, match="two of the 3 vertices"):
        Graph(3, frozenset({(1, 1)}))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SmoothMedian(sigma=0), "sigma must be a finite number above 0"),
        (lambda: SmoothMedian(s=-1), "s must be a finite number above 0"),
        (lambda: SmoothMedian(records=4), "odd number of records"),
        (lambda: PrivateLocalSensitivity(vertices=3), "vertices must be a whole number of at least 5"),
        (lambda: PrivateLocalSensitivity(delta=1), "delta must be a probability strictly between 0 and 1"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()
