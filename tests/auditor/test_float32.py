"""Noise of 32 bits on numbers of 32 bits: what the bits view says of it is counted here by itself.

An optimizer step of Opacus, read in bits, is such a mechanism. Its refutation is true: see the last test.
"""

import numpy as np

from auditor import GaussianDP, audit

FINE = 2.0**24


def rounded(shift, n, rng):
    """A normal number of 32 bits, added to a number of 32 bits: the sum is rounded once more."""
    return (rng.standard_normal(n, dtype=np.float32) + np.float32(shift)).astype(np.float64)


def run(mechanism, views, pairs=((0.0, 1.0),)):
    return audit(mechanism, GaussianDP(1.0), list(pairs), trials=5_000, views=views, jobs=1)


def test_sizes_are_as_claimed():
    """A true claim in values: false alarm with probability 0.01, at a fixed seed."""
    assert not run(rounded, ["values"]).refuted


def test_bits_of_equal_shifts_are_not_accused():
    """The same sums on both sides, in bits: whatever was found would be a false alarm."""
    assert not run(rounded, ["bits"], [(1.0, 1.0)]).refuted


def test_bits_are_refuted_and_the_event_is_counted_by_itself():
    """A quarter of the sums around 0 has finer bits than any sum around 1; at mu = 1 that cannot be."""
    result = run(rounded, ["bits"])
    assert result.refuted
    assert "2^-24" in str(result.witness)
    rng = np.random.default_rng(1)
    finer = [int(np.count_nonzero(rounded(shift, 100_000, rng) * FINE % 1)) for shift in (0.0, 1.0)]
    assert 20_000 < finer[0] < 32_000
    assert finer[1] == 0
    assert GaussianDP(1.0).delta_at(4.0) < 0.01 < finer[0] / 100_000  # with no event of its own on the other side
