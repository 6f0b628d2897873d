import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from oracles import FALSE_ALARM, enumerated_delta, fits_probabilities

from auditor import Verdict, audit
from mechanisms.core.catalogue import find
from mechanisms.core.exact_sampler import ExactSampler
from mechanisms.core.mechanism import ON_DOUBLES
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.lattice import fixed_exp
from mechanisms.lattice_gaussian import LatticeGaussian, LatticeGaussianUnrounded, discrete_gaussian
from mechanisms.lattice_laplace import LatticeLaplace, LatticeLaplaceUnrounded, discrete_laplace


def implemented_law(table):
    """What the table really draws, as fractions of 2^128: differences of successive cuts."""
    cuts = [0, *table.cuts, 1 << 128]
    middle = table.size // 2
    return {i - middle: Fraction(b - a, 1 << 128) for i, (a, b) in enumerate(pairwise(cuts))}


def textbook_law(weight, reach):
    total = math.fsum(weight(j) for j in range(-reach, reach + 1))
    return {j: weight(j) / total for j in range(-reach, reach + 1)}


LAWS = {
    "lattice-laplace": lambda width: lambda j: math.exp(-abs(j) / width),
    "lattice-gaussian": lambda width: lambda j: math.exp(-(j**2) / (2 * width**2)),
}


@pytest.mark.parametrize("identifier", LAWS)
def test_the_table_holds_the_law(identifier):
    mechanism = find(identifier)
    implemented = implemented_law(mechanism.table)
    assert sum(implemented.values()) == 1
    assert all(implemented[j] == pytest.approx(implemented[-j], abs=1e-37) for j in implemented)
    for j, p in textbook_law(LAWS[identifier](mechanism.width), max(implemented)).items():
        assert float(implemented[j]) == pytest.approx(p, rel=1e-12, abs=1e-37)
    assert float(implemented[max(implemented)]) < 2.0**-120  # what lies beyond is never drawn


@pytest.mark.parametrize("epsilon", [0.0, 0.37, 0.9, 1.0, 1.6])
@pytest.mark.parametrize("name", ["", "/half-width", "/short-table"])
@pytest.mark.parametrize("identifier", LAWS)
def test_profile_against_what_is_drawn(identifier, name, epsilon):
    """Both neighbours' laws from the cuts of the table itself, enumerated."""
    mechanism = find(identifier + name)
    law = {j: float(p) for j, p in implemented_law(mechanism.table).items()}
    moved = {j + mechanism.shift: p for j, p in law.items()}
    expected = enumerated_delta(law, moved, epsilon)
    assert mechanism.exact().delta_at(epsilon) == pytest.approx(expected, abs=1e-11)


def test_the_lattice_costs_next_to_nothing():
    """With a fine grid the twins are as tight as the textbook mechanisms."""
    fine = LatticeGaussian(1.0, 1e-2, grid=2.0**-10)
    assert fine.width * fine.grid == pytest.approx(analytic_sigma(1.0, 1e-2), rel=1e-3)
    assert fine.exact().delta_at(0.5) == pytest.approx(
        gaussian_profile(1 / (fine.width * fine.grid)).delta_at(0.5), abs=1e-6
    )
    assert LatticeLaplace(grid=2.0**-10).exact().epsilon_at(0.0) == pytest.approx(1.0)
    assert LatticeLaplace(epsilon=0.7).exact().epsilon_at(0.0) <= 0.7


@pytest.mark.parametrize("parameters", [(0.0, 0.05), (0.3, 1e-3), (2.0, 1e-6), (5.0, 0.3)])
def test_gaussian_width_is_enough_and_not_more(parameters):
    mechanism = LatticeGaussian(*parameters)
    epsilon, delta = parameters
    assert mechanism.exact().delta_at(epsilon) <= delta
    law = LAWS["lattice-gaussian"](mechanism.width - 1)
    less = textbook_law(law, 30 * mechanism.width)
    moved = {j + mechanism.shift: p for j, p in less.items()}
    assert enumerated_delta(less, moved, epsilon) > delta


@pytest.mark.parametrize("identifier", LAWS)
def test_sampler(identifier):
    mechanism = find(identifier)
    law = textbook_law(LAWS[identifier](mechanism.width), 90 * mechanism.width)
    centre = 2 * mechanism.shift
    outputs = mechanism.sample((0, 1.0, 1.0), 100_000, np.random.default_rng(12))
    assert fits_probabilities((outputs / mechanism.grid - centre).astype(int), law) > FALSE_ALARM
    for name in ("/half-width", "/short-table"):
        broken = find(identifier + name).sample((0, 1.0, 1.0), 100_000, np.random.default_rng(12))
        assert fits_probabilities((broken / mechanism.grid - centre).astype(int), law) < FALSE_ALARM


@pytest.mark.parametrize("cls", [LatticeLaplace, LatticeGaussian])
def test_every_output_is_on_the_grid(cls):
    """Whatever the records are: the remainder modulo the grid is 0 exactly, in doubles."""
    mechanism = cls()
    for dataset in ((0.3,), (0.7, 1e-300, 0.1), (math.pi / 4,) * 1000, (2.0, -1.0)):
        outputs = mechanism.sample(dataset, 1000, np.random.default_rng(0))
        assert not np.fmod(outputs, mechanism.grid).any()


@pytest.mark.parametrize("cls", [LatticeLaplaceUnrounded, LatticeGaussianUnrounded])
def test_unrounded_outputs_are_disjoint(cls):
    mutant = cls()
    pair = mutant.neighbours()[-1]
    left, right = (set(mutant.sample(d, 5000, np.random.default_rng(0))) for d in (pair.left, pair.right))
    assert not left & right


def test_rounding_keeps_the_sensitivity():
    """Any two records, and any one record or none, differ by at most `shift` steps."""
    mechanism = LatticeLaplace(sensitivity=0.3, grid=0.25)
    rng = np.random.default_rng(0)
    totals = [mechanism.total((record,)) for record in (*rng.uniform(-1, 2, 1000), 0.125, 0.3, 0.375)]
    assert min(totals) == 0
    assert max(totals) == mechanism.shift == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"grid": 0.3}, r"grid must be a power of two, got grid=0\.3"),
        ({"grid": 4.0}, r"grid must be at most twice the sensitivity, got grid=4\.0"),
        ({"grid": 2.0**-20}, r"at most 4096 grid steps wide, got \d+; take a coarser grid"),
        ({"epsilon": -1.0}, r"epsilon must be .*got epsilon=-1\.0"),
        ({"sensitivity": 0.0}, r"sensitivity must be .*got sensitivity=0\.0"),
    ],
)
@pytest.mark.parametrize("cls", [LatticeLaplace, LatticeGaussian])
def test_bad_parameters(cls, parameters, message):
    with pytest.raises(ValueError, match=message):
        cls(**parameters)


# --- doubles

TEXTBOOK = ("laplace", "truncated-laplace", "gaussian-classic", "gaussian-simple", "gaussian-analytic")


@pytest.mark.parametrize("identifier", TEXTBOOK)
def test_textbook_mechanisms_are_refuted_in_the_bits_view(identifier):
    """What their note says; and on numbers alone they are not refuted. Seeds are fixed."""
    mechanism = find(identifier)
    assert mechanism.note == ON_DOUBLES
    both = audit(mechanism, trials=20_000, views=("values", "bits"), jobs=1)
    assert both.verdict is Verdict.REFUTED
    assert audit(mechanism, trials=2_000, views=("values",), jobs=1).verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize("cls", [LatticeLaplace, LatticeGaussian])
def test_lattice_twins_are_not_refuted_in_the_bits_view(cls):
    assert cls().views == ("values", "bits")
    assert audit(cls(), trials=50_000, jobs=1).verdict is Verdict.NOT_REFUTED


# --- the table


def test_fixed_exp():
    for exponent in ("-1", "-0.015625", "-1e-9"):
        expected = Decimal(2) ** 192
        assert fixed_exp(Decimal(exponent)) / expected == pytest.approx(
            Decimal(math.exp(float(exponent))), rel=Decimal("1e-15")
        )


def test_table_against_its_weights():
    weights = [3, 0, 1, 1 << 20, 7, 0]
    table = ExactSampler(weights)
    assert table.cuts[0] == (3 << 128) // sum(weights)
    outputs = ExactSampler([3, 0, 1, 4, 8, 0]).draw(100_000, np.random.default_rng(13))
    law = {0: 3 / 16, 2: 1 / 16, 3: 4 / 16, 4: 8 / 16}
    assert fits_probabilities(outputs, law) > FALSE_ALARM
    assert fits_probabilities(outputs, {0: 3.2 / 16, 2: 0.8 / 16, 3: 4 / 16, 4: 8 / 16}) < FALSE_ALARM


def test_table_decides_ties_by_the_last_64_bits():
    """Two cuts share their first 64 bits; a number that starts like them lands by what follows."""
    cut = 1 << 127
    table = ExactSampler([cut + (1 << 62), 1 << 62, cut - (1 << 63)])
    assert table.cuts == [cut + (1 << 62), cut + (1 << 63)]
    tops = np.full(4000, 1 << 63, dtype=np.uint64)
    index = table.look_up(tops, np.random.default_rng(14))
    assert fits_probabilities(index, {0: 0.25, 1: 0.25, 2: 0.5}) > FALSE_ALARM
    assert table.look_up(tops - np.uint64(1), np.random.default_rng(14)).max() == 0
    assert table.look_up(tops + np.uint64(1), np.random.default_rng(14)).min() == 2


def test_one_outcome_is_certain():
    assert not ExactSampler([5]).draw(10, np.random.default_rng(0)).any()


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1]])
def test_bad_weights(weights):
    with pytest.raises(ValueError, match="weights must be whole numbers of at least 0, not all 0, got"):
        ExactSampler(weights)


def test_tables_are_made_once():
    assert discrete_laplace(64) is discrete_laplace(64)
    assert discrete_gaussian(64) is discrete_gaussian(64)
